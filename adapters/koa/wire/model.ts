import { z } from 'zod';
import { ErrorCode, InvariantError } from '../../../lib/values/errors/index.ts';
import { decimalOf } from '../../../lib/values/money/index.ts';
import { Dialect, type PerDialect } from '../dialect.ts';
import { onDemand } from './on-demand.ts';
import {
  type JsonSchema,
  messageNameOf,
  nullable,
  perDialect,
  type Rendering,
  type WireType,
} from './wire-type.ts';

/**
 * Who may set a field (JSON-MODELS.md): R only in answers, C on creation, W on creation and update, I only in requests
 * (null in answers, or left out).
 */
export type Access = 'R' | 'C' | 'W' | 'I';

export interface Field<T = unknown, A extends Access = Access> {
  readonly type: WireType<T>;
  readonly access: A;
  /** Required in requests that use the model for creation. */
  readonly required: boolean;
  /** May be null in answers. */
  readonly nullable: boolean;
  /** True: in answers of dialect D only (`D+`, http-api §4 line 10). */
  readonly onlyD: boolean;
  /** True: answers may leave it out. */
  readonly absentable: boolean;
  /** Where answers take it from; undefined = the member of the same name. */
  readonly from: From | undefined;
}

/** Names the view that it takes the value from, so that the compiler knows its members. */
type From = (shown: never, rendering: Rendering) => unknown;

interface FieldOptions {
  readonly required?: true;
  readonly nullable?: true;
  readonly onlyD?: true;
  readonly absentable?: true;
  readonly from?: From;
}

export function field<T, A extends Access>(
  type: WireType<T>,
  access: A,
  options: FieldOptions = {},
): Field<T, A> {
  return {
    type,
    access,
    required: options.required ?? false,
    nullable: options.nullable ?? false,
    onlyD: options.onlyD ?? false,
    absentable: options.absentable ?? false,
    from: options.from,
  };
}

type Fields = Readonly<Record<string, Field>>;
type Writable<F extends Fields> = { [K in keyof F as F[K] extends Field<unknown, 'R'> ? never : K]: F[K] };

/**
 * What a request body of the model holds: absent stays absent and null stays null, which differ in updates only
 * (http-api §9 rule 7).
 */
export type RequestOf<F extends Fields> = {
  readonly [K in keyof Writable<F>]?: F[K] extends Field<infer T> ? T | null : never;
};

/** A JSON object of the interface. One table of fields makes the reader, the answers, their schemas and the document. */
export interface Model<F extends Fields = Fields> extends WireType<RequestOf<F>> {
  readonly write: (shown: unknown, rendering: Rendering) => Readonly<Record<string, unknown>>;
  readonly name: string;
  readonly fields: F;
  /** Names of the fields that a request has to hold. */
  readonly needed: readonly string[];
  /** The schema under the model's name in the document, which holds for every request and answer. */
  readonly component: JsonSchema;
}

/** Every model by name, so that the document can hold all that it refers to. */
const models = new Map<string, Model>();

export function modelsByName(): ReadonlyMap<string, Model> {
  return models;
}

/** By name of a model: as what requests are read that are not read as the model itself. */
const readings = new Map<string, Fields[]>();

function noteReading(name: string, fields: Fields): void {
  readings.set(name, [...(readings.get(name) ?? []), fields]);
}

function neededOf(fields: Fields): readonly string[] {
  return Object.keys(fields).filter((key) => fields[key]?.required);
}

/** Defines a model. */
export function model<F extends Fields>(name: string, fields: F): Model<F> {
  const json = { $ref: `#/components/schemas/${name}` };
  const component = onDemand(() => componentOf(name, fields));
  const created: Model<F> = {
    name,
    fields,
    needed: neededOf(fields),
    request: perDialect((dialect) => requestSchema(name, fields, dialect)),
    answer: perDialect((dialect) => answerSchema(fields, dialect)),
    write: writerOf(name, fields),
    json,
    get component() {
      return component();
    },
  };
  models.set(name, created);
  return created;
}

/** The same model for updates: no field is required, so the component asks for none. */
export function partial<F extends Fields>(whole: Model<F>): Model<F> {
  const fields = Object.fromEntries(
    Object.entries(whole.fields).map(([name, each]) => [name, { ...each, required: false }]),
  ) as F;
  const { name, answer, write, json } = whole;
  noteReading(name, fields);
  return {
    name,
    fields: whole.fields,
    needed: [],
    write,
    request: perDialect((dialect) => requestSchema(name, fields, dialect)),
    answer,
    json,
    get component() {
      return whole.component;
    },
  };
}

/** What a request holds of the model, with null for every member that it leaves out. */
export function withNulls<F extends Fields>({ fields }: Pick<Model<F>, 'fields'>, sent: RequestOf<F>) {
  const writable = Object.keys(fields).filter((name) => fields[name]?.access !== 'R');
  const nulls = Object.fromEntries(writable.map((name) => [name, null]));
  return { ...nulls, ...sent } as RequestOf<F>;
}

/**
 * The same model, but requests are read by these fields only; what else they hold is ignored. A field is read-only in the
 * component where nothing reads it, and required where everything asks for it.
 */
export function reading<F extends Fields>(whole: Pick<Model, 'name' | 'json' | 'answer'>, fields: F) {
  const { name, json, answer } = whole;
  noteReading(name, fields);
  return {
    name,
    json,
    answer,
    needed: neededOf(fields),
    request: perDialect((dialect) => requestSchema(name, fields, dialect)),
  } satisfies WireType<RequestOf<F>>;
}

function requestSchema<F extends Fields>(
  name: string,
  fields: F,
  dialect: Dialect,
): z.ZodType<RequestOf<F> | null> {
  const writable = Object.entries(fields).filter(([, each]) => each.access !== 'R');
  const shape = Object.fromEntries(
    writable.map(([key, each]) => [key, each.type.request[dialect].nullish()]),
  );
  const required = writable.filter(([, each]) => each.required).map(([key]) => key);
  const object = z.object(shape).superRefine((value, context) => {
    for (const key of required) {
      const given = value[key];
      if (given === undefined || given === null || given === '') context.addIssue(needsToBeSet(name, key));
    }
  });
  return z.preprocess(presentOnly, object.nullable()) as z.ZodType<RequestOf<F> | null>;
}

function needsToBeSet(name: string, key: string) {
  const message = `${messageNameOf(name)} ${key} needs to be set`;
  const problem = { code: ErrorCode.MISSING_OR_INVALID_FIELD, message, complete: true };
  return { code: 'custom' as const, path: [key], message, params: { problem } };
}

/**
 * A missing object is null; an absent member must not become null. Numbers come as objects (`decimalOf`), which must not be
 * taken for objects without members.
 */
function presentOnly(value: unknown): unknown {
  if (value === undefined) return null;
  return decimalOf(value)?.toString() ?? value;
}

function answerSchema(fields: Fields, dialect: Dialect): z.ZodType {
  const shown = Object.entries(fields).filter(([, each]) => dialect === Dialect.D || !each.onlyD);
  const shape = Object.fromEntries(
    shown.map(([key, each]) => {
      const schema = (each.type.answer satisfies PerDialect<z.ZodType>)[dialect];
      const present = each.nullable || each.access === 'I' ? schema.nullable() : schema;
      return [key, each.absentable ? present.optional() : present];
    }),
  );
  return z.strictObject(shape);
}

/** @throws (on writing) InvariantError if the view lacks a field. */
function writerOf(name: string, fields: Fields): Model['write'] {
  const D = Object.entries(fields);
  const K = D.filter(([, { onlyD }]) => !onlyD);
  const all = { D: { each: D, shape: shapeOf(D) }, K: { each: K, shape: shapeOf(K) } };
  return (shown, rendering) => {
    const { each: written, shape } = all[rendering.dialect];
    const answer: Record<string, unknown> = { ...shape };
    for (const [key, each] of written) {
      const value = valueIn(shown, { key, each, rendering });
      if (value !== undefined) answer[key] = value === null ? null : writtenAs(each.type, value, rendering);
      else if (!each.absentable) throw new InvariantError(`${name} has no ${key}`);
    }
    return answer;
  };
}

/**
 * Every member that each answer has. An object that gets more than a dozen properties one by one becomes a hash table in
 * V8. Written into a copy of the shape, an invoice of ten items takes 40 microseconds to write and turn into text, not 53.
 */
function shapeOf(fields: readonly (readonly [string, Field])[]): Readonly<Record<string, unknown>> {
  const always = fields.filter(([, { absentable }]) => !absentable);
  return Object.fromEntries(always.map(([key]) => [key, null]));
}

function writtenAs({ write }: WireType<unknown>, value: unknown, rendering: Rendering): unknown {
  return write === undefined ? value : write(value, rendering);
}

function valueIn(
  shown: unknown,
  { key, each, rendering }: { readonly key: string; readonly each: Field; readonly rendering: Rendering },
): unknown {
  if (each.access === 'I') return each.absentable ? undefined : null;
  if (each.from !== undefined) return each.from(shown as never, rendering);
  return (shown as Readonly<Record<string, unknown>>)[key];
}

function componentOf(name: string, fields: Fields): JsonSchema {
  const others = readings.get(name) ?? [];
  const shown = Object.entries(fields).map(([key, each]) => [key, asRead(each, { key, others })] as const);
  const properties = Object.fromEntries(shown.map(([key, each]) => [key, propertyOf(each)]));
  // A read-only field is required in answers only; a field that requests may leave out cannot be in the list.
  const required = shown
    .filter(([, each]) => (each.access === 'R' && !each.onlyD && !each.absentable) || each.required)
    .map(([key]) => key);
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) };
}

/** The field as it is in every request: what one of them reads can be sent, what one of them can do without is not needed. */
function asRead(
  each: Field,
  { key, others }: { readonly key: string; readonly others: readonly Fields[] },
): Field {
  const isSent = others.some((fields) => fields[key] !== undefined && fields[key].access !== 'R');
  return {
    ...each,
    access: each.access === 'R' && isSent ? 'W' : each.access,
    required: each.required && others.every((fields) => fields[key]?.required),
  };
}

function propertyOf(each: Field): JsonSchema {
  const schema = each.nullable || each.access === 'I' ? nullable(each.type.json) : each.type.json;
  return {
    ...schema,
    ...(each.access === 'R' ? { readOnly: true } : {}),
    // Answers hold all others, as null.
    ...(each.access === 'I' && each.absentable ? { writeOnly: true } : {}),
    ...(each.onlyD ? { description: 'Dialect D only' } : {}),
  };
}
