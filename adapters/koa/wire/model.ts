import { z } from 'zod';
import { ErrorCode, InvariantError } from '../../../lib/values/errors/index.ts';
import { decimalOf } from '../../../lib/values/money/index.ts';
import { shortenText } from '../../../lib/values/text/index.ts';
import { Dialect, type PerDialect } from '../dialect.ts';
import { withLazy } from './lazy-values.ts';
import {
  type JsonSchema,
  messageNameOf,
  nullable,
  perDialect,
  type Rendering,
  refuse,
  type TextWriter,
  textWriterOf,
  type WireProblem,
  type WireType,
} from './wire-type.ts';

/**
 * Access to a field (JSON-MODELS.md). R: only in responses. C: in creations. W: in creations and updates. I: only in
 * requests (null or absent in responses).
 */
export type Access = 'R' | 'C' | 'W' | 'I';

interface FieldOptions {
  /** True if a create request must contain the field. */
  readonly required?: boolean;
  /** True if the field may be null in responses. */
  readonly nullable?: boolean;
  /** True if the field exists only in dialect D (`D+`, http-api §4 line 10). */
  readonly onlyD?: boolean;
  /** True if the field may be absent in responses. */
  readonly absentable?: boolean;
  /** Name of the member from which the field takes its value. Defaults to the name of the field. */
  readonly from?: From | undefined;
}

type From = (shown: never, rendering: Rendering) => unknown;

export interface Field<T = unknown, A extends Access = Access> extends Required<FieldOptions> {
  readonly type: WireType<T>;
  readonly access: A;
}

export function field<T, A extends Access>(
  type: WireType<T>,
  access: A,
  options: FieldOptions = {},
): Field<T, A> {
  const defaults = { required: false, nullable: false, onlyD: false, absentable: false, from: undefined };
  return { type, access, ...defaults, ...options };
}

/** Returns a response field whose value is computed or comes from a member with another name. */
export function derivedField<T>(type: WireType<T>, from: From): Field<T, 'R'> {
  return field(type, 'R', { from });
}

/** A nullable response field. */
export function maybe<T>(type: WireType<T>, from?: From): Field<T, 'R'> {
  return field(type, 'R', { nullable: true, from });
}

/** Returns several fields with the same definition. */
export function alike<F, N extends string>(each: F, ...names: readonly N[]): Readonly<Record<N, F>> {
  return Object.fromEntries(names.map((name) => [name, each])) as Record<N, F>;
}

type Fields = Readonly<Record<string, Field>>;
type Writable<F extends Fields> = { [K in keyof F as F[K] extends Field<unknown, 'R'> ? never : K]: F[K] };

/** The fields of a model. A type without options defines a response field. */
type HostInput = Readonly<Record<string, Field | WireType<unknown>>>;
type FieldsOf<G extends HostInput, A extends Access = 'R'> = {
  readonly [K in keyof G]: G[K] extends Field ? G[K] : G[K] extends WireType<infer T> ? Field<T, A> : never;
};

function fieldsWith<A extends Access, G extends HostInput>(access: A, given: G): FieldsOf<G, A> {
  const fields = Object.entries(given).map(([name, each]) => [
    name,
    'access' in each ? each : field(each, access),
  ]);
  return Object.fromEntries(fields);
}

/** The type of requests. Only updates distinguish absent fields from null (http-api §9 rule 7). */
export type RequestOf<F extends Fields> = {
  readonly [K in keyof Writable<F>]?: F[K] extends Field<infer T> ? T | null : never;
};

/** A JSON object. Its parser, responses, schemas and documentation are all derived from its table of fields. */
export interface Model<F extends Fields = Fields> extends WireType<RequestOf<F>> {
  readonly write: (shown: unknown, rendering: Rendering) => Readonly<Record<string, unknown>>;
  readonly text: TextWriter;
  readonly name: string;
  readonly fields: F;
  readonly needed: readonly string[];
  /** The schema in the API document. It covers all requests and responses. */
  readonly component: JsonSchema;
}

/** All models by name, for the document. */
const models = new Map<string, Model>();

export function modelsByName(): ReadonlyMap<string, Model> {
  return models;
}

/** Request fields by model name. Contains only models whose request fields were replaced. */
const readings = new Map<string, readonly Fields[]>();

export function model<G extends HostInput>(name: string, given: G): Model<FieldsOf<G>> {
  return modelWith('R', name, given);
}

/** Returns a model. Types without options become fields with the given access. */
export function modelWith<A extends Access, G extends HostInput>(
  access: A,
  name: string,
  given: G,
): Model<FieldsOf<G, A>> {
  const fields = fieldsWith(access, given);
  const parts = {
    name,
    fields,
    ...requestOf(name, fields),
    answer: perDialect((dialect) => answerSchema(fields, dialect)),
    write: writerOf(name, fields),
    text: textWriter(name, fields),
    json: { $ref: `#/components/schemas/${name}` },
  };
  const created: Model<FieldsOf<G, A>> = withLazy(parts, { component: () => componentOf(name, fields) });
  models.set(name, created);
  return created;
}

function requestOf<F extends Fields>(name: string, fields: F) {
  return {
    needed: Object.keys(fields).filter((key) => fields[key]?.required),
    request: perDialect((dialect) => requestSchema(name, fields, { dialect })),
  };
}

/** Returns the model for updates. None of its fields is required. */
export function partial<F extends Fields>(whole: Pick<Model<F>, Whole | 'fields'>) {
  const fields = Object.entries(whole.fields).map(([name, each]) => [name, { ...each, required: false }]);
  return replaceRequestFields(whole, Object.fromEntries(fields) as F);
}

/** Returns a model whose requests reject unknown fields in dialect D. */
export function forbidUnknownFieldsInD<F extends Fields>(open: Model<F>) {
  const { name, json, answer, needed } = open;
  const names = Object.keys(open.fields);
  const known = z.unknown().superRefine((value, context) => {
    const members = decimalOf(value) === undefined && !Array.isArray(value) ? Object(value) : {};
    const unknown = Object.keys(members).find((each) => !names.includes(each));
    if (unknown === undefined) return;
    const text = `${messageNameOf(name)} ${shortenText(unknown)} is not a valid member. Use ${names.join(', ')}`;
    refuse(context, { code: ErrorCode.MISSING_OR_INVALID_FIELD, text, complete: true });
  });
  const request = { ...open.request, D: known.pipe(open.request.D) };
  return { name, json, answer, needed, request } satisfies WireType<RequestOf<F>>;
}

/**
 * Returns a model whose requests read these fields. In dialect D, unknown fields are passed to the operation, which
 * rejects them. Fields that occur only in responses are ignored. The API document still lists the fields of the model.
 */
export function openInD<F extends Fields>({ name, json, answer, needed }: Model<F>, fields: F) {
  const isSent = ([key]: readonly [string, unknown]) => fields[key]?.access !== 'R';
  const request = perDialect((dialect) =>
    requestSchema(name, fields, { dialect, keepsUnknown: dialect === Dialect.D }).transform(
      (read) => read && (Object.fromEntries(Object.entries(read).filter(isSent)) as RequestOf<F>),
    ),
  );
  return { name, json, answer, needed, request } satisfies WireType<RequestOf<F>>;
}

/** Returns a request of dialect K in which missing fields are null. */
export function withNulls<F extends Fields>({ fields }: Pick<Model<F>, 'fields'>, sent: RequestOf<F>) {
  const writable = Object.entries(fields).filter(([, { access, onlyD }]) => access !== 'R' && !onlyD);
  const nulls = Object.fromEntries(writable.map(([name]) => [name, null]));
  return { ...nulls, ...sent } as RequestOf<F>;
}

type Whole = 'name' | 'json' | 'answer';

/**
 * Returns a model whose requests have only these fields. In its component, fields that no request reads are read-only.
 */
export function replaceRequestFields<F extends Fields>(
  { name, json, answer }: Pick<Model, Whole>,
  fields: F,
) {
  readings.set(name, [...(readings.get(name) ?? []), fields]);
  return { name, json, answer, ...requestOf(name, fields) } satisfies WireType<RequestOf<F>>;
}

function requestSchema<F extends Fields>(
  name: string,
  fields: F,
  { dialect, keepsUnknown = false }: { readonly dialect: Dialect; readonly keepsUnknown?: boolean },
): z.ZodType<RequestOf<F> | null> {
  const writable = Object.entries(fields).filter(
    ([, { access, onlyD }]) => access !== 'R' && (dialect === Dialect.D || !onlyD),
  );
  const shape = Object.fromEntries(
    writable.map(([key, each]) => [key, each.type.request[dialect].nullish()]),
  );
  const required = writable.filter(([, each]) => each.required).map(([key]) => key);
  const members = keepsUnknown ? z.looseObject(shape) : z.object(shape);
  const object = members.superRefine((value, context) => {
    for (const key of required) {
      if ((value[key] ?? '') !== '') continue;
      const message = `${messageNameOf(name)} ${key} needs to be set`;
      const problem: WireProblem = {
        code: ErrorCode.MISSING_OR_INVALID_FIELD,
        text: message,
        complete: true,
      };
      context.addIssue({ code: 'custom', path: [key], message, params: { problem } });
    }
  });
  return z.preprocess(presentOnly, object.nullable()) as z.ZodType<RequestOf<F> | null>;
}

/**
 * Returns the value without null members, or null if there is no object. Numbers are objects at this point
 * (`decimalOf`).
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

/** Returns a function that writes the model. @throws (when called) InvariantError for missing fields. */
function writerOf(name: string, fields: Fields): Model['write'] {
  const D = Object.entries(fields);
  const K = D.filter(([, { onlyD }]) => !onlyD);
  const all = { D: { each: D, shape: shapeOf(D) }, K: { each: K, shape: shapeOf(K) } };
  return (view, rendering) => {
    const { each: written, shape } = all[rendering.dialect];
    const answer: Record<string, unknown> = { ...shape };
    for (const [key, each] of written) {
      const value = valueIn(view, { key, each, rendering });
      if (value === null) answer[key] = null;
      else if (value !== undefined) answer[key] = each.type.write?.(value, rendering) ?? value;
      else if (!each.absentable) throw new InvariantError(`${name} has no ${key}`);
    }
    return answer;
  };
}

interface WrittenMember {
  readonly key: string;
  readonly each: Field;
  readonly textOf: TextWriter;
  /** The name in JSON, with its colon. */
  readonly begin: string;
}

/** Returns a function that writes the model as JSON text. @throws (when called) InvariantError for missing fields. */
function textWriter(name: string, fields: Fields): TextWriter {
  // The fields are created on first use, because a model may refer to models that do not exist yet.
  const membersIn = (dialect: Dialect): readonly WrittenMember[] =>
    Object.entries(fields)
      .filter(([, { onlyD }]) => dialect === Dialect.D || !onlyD)
      .map(([key, each]) => ({
        key,
        each,
        textOf: textWriterOf(each.type),
        begin: `${JSON.stringify(key)}:`,
      }));
  const members = withLazy({}, { D: () => membersIn('D'), K: () => membersIn('K') });
  return (view, rendering) => objectText({ name, members: members[rendering.dialect] }, view, rendering);
}

function objectText(
  { name, members }: { readonly name: string; readonly members: readonly WrittenMember[] },
  view: unknown,
  rendering: Rendering,
): string | null {
  let text = '';
  for (const member of members) {
    const written = memberText(member, view, rendering);
    if (written === null) return null;
    if (written !== undefined) text += (text === '' ? '{' : ',') + member.begin + written;
    else if (!member.each.absentable) throw new InvariantError(`${name} has no ${member.key}`);
  }
  return text === '' ? '{}' : `${text}}`;
}

/**
 * Returns the JSON text of a member. Returns undefined if the view has no such member, and null if the text is too long
 * for one piece.
 */
function memberText({ key, each, textOf }: WrittenMember, view: unknown, rendering: Rendering) {
  const value = valueIn(view, { key, each, rendering });
  if (value === undefined) return undefined;
  return value === null ? 'null' : textOf(value, rendering);
}

/**
 * Returns a template object with all properties. V8 would turn objects that grow beyond a dozen properties into slow
 * hash tables.
 */
function shapeOf(fields: readonly (readonly [string, Field])[]): Readonly<Record<string, unknown>> {
  const always = fields.filter(([, { absentable }]) => !absentable);
  return Object.fromEntries(always.map(([key]) => [key, null]));
}

function valueIn(
  view: unknown,
  { key, each, rendering }: { readonly key: string; readonly each: Field; readonly rendering: Rendering },
): unknown {
  if (each.access === 'I') return each.absentable ? undefined : null;
  if (each.from !== undefined) return each.from(view as never, rendering);
  return (view as Readonly<Record<string, unknown>>)[key];
}

function componentOf(name: string, fields: Fields): JsonSchema {
  const others = readings.get(name) ?? [];
  const shown = Object.entries(fields).map(([key, each]) => [key, asRead(each, { key, others })] as const);
  const properties = Object.fromEntries(shown.map(([key, each]) => [key, propertyOf(each)]));
  // Read-only fields are required only in responses. Optional request fields are never required.
  const required = shown
    .filter(([, each]) => (each.access === 'R' && !each.onlyD && !each.absentable) || each.required)
    .map(([key]) => key);
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) };
}

/**
 * Returns the field for a component. It is writable if any request reads it, and required if all requests require it.
 */
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
    // In responses, request-only fields that are not `absentable` are null.
    ...(each.access === 'I' && each.absentable ? { writeOnly: true } : {}),
    ...(each.onlyD ? { description: 'Dialect D only' } : {}),
  };
}
