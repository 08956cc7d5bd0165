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
 * Field access (JSON-MODELS.md): R answers only, C creation, W creation and update, I requests only (null or absent in
 * answers).
 */
export type Access = 'R' | 'C' | 'W' | 'I';

export interface Field<T = unknown, A extends Access = Access> {
  readonly type: WireType<T>;
  readonly access: A;
  /** Required in creation requests. */
  readonly required: boolean;
  /** Nullable in answers. */
  readonly nullable: boolean;
  /** True: dialect D only (`D+`, http-api §4 line 10). */
  readonly onlyD: boolean;
  /** True: optional in answers. */
  readonly absentable: boolean;
  /** Default: the member of the same name. */
  readonly from: From | undefined;
}

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

/** Absent and null differ in updates only (http-api §9 rule 7). */
export type RequestOf<F extends Fields> = {
  readonly [K in keyof Writable<F>]?: F[K] extends Field<infer T> ? T | null : never;
};

/** A JSON object. Its table of fields defines reader, answers, schemas and document. */
export interface Model<F extends Fields = Fields> extends WireType<RequestOf<F>> {
  readonly write: (shown: unknown, rendering: Rendering) => Readonly<Record<string, unknown>>;
  readonly name: string;
  readonly fields: F;
  readonly needed: readonly string[];
  /** The schema in the document, for every request and answer. */
  readonly component: JsonSchema;
}

/** All models by name, for the document. */
const models = new Map<string, Model>();

export function modelsByName(): ReadonlyMap<string, Model> {
  return models;
}

/** Restricted request fields by model name. */
const readings = new Map<string, Fields[]>();

function noteReading(name: string, fields: Fields): void {
  readings.set(name, [...(readings.get(name) ?? []), fields]);
}

function neededOf(fields: Fields): readonly string[] {
  return Object.keys(fields).filter((key) => fields[key]?.required);
}

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

/** The model for updates, without required fields. */
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

/** The request with null for missing members. */
export function withNulls<F extends Fields>({ fields }: Pick<Model<F>, 'fields'>, sent: RequestOf<F>) {
  const writable = Object.keys(fields).filter((name) => fields[name]?.access !== 'R');
  const nulls = Object.fromEntries(writable.map((name) => [name, null]));
  return { ...nulls, ...sent } as RequestOf<F>;
}

/** The model with these request fields only. In the component, fields that nothing reads are read-only. */
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

/** A missing object is null; an absent member stays absent. Numbers are objects here (`decimalOf`). */
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

/** @throws (on writing) InvariantError for missing fields. */
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

/** A template with every property: V8 turns objects that grow beyond a dozen properties into slow hash tables. */
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
  // Read-only fields are required in answers only, optional request fields never.
  const required = shown
    .filter(([, each]) => (each.access === 'R' && !each.onlyD && !each.absentable) || each.required)
    .map(([key]) => key);
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) };
}

/** Writable if any request reads it, required if all require it. */
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
    // Answers contain all others, as null.
    ...(each.access === 'I' && each.absentable ? { writeOnly: true } : {}),
    ...(each.onlyD ? { description: 'Dialect D only' } : {}),
  };
}
