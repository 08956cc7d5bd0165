import { z } from 'zod';
import type { AuditEntry } from '../../../lib/records/index.ts';
import { type BillingError, billingError, ErrorCode } from '../../../lib/values/errors/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import type { Dialect, PerDialect } from '../dialect.ts';
import { listText, shortText } from './json-text.ts';
import { withLazy } from './lazy-values.ts';

/** Defines how a value is parsed from requests, written to responses and described in the API document. */
export interface WireType<T> {
  /** Models only. */
  readonly name?: string;
  /** Models only: required fields. */
  readonly needed?: readonly string[];
  /** Schema for requests. Absent, null and empty values become null. */
  readonly request: PerDialect<z.ZodType<T | null>>;
  readonly answer: PerDialect<z.ZodType>;
  readonly json: JsonSchema;
  /** Schema for dialect K, if it differs from the schema for dialect D. */
  readonly jsonInK?: JsonSchema;
  /** Converts a value that is not null. By default, the value is not converted. */
  readonly write?: (value: unknown, rendering: Rendering) => unknown;
  /**
   * Returns the JSON text of the value that `write` would return, without creating that value. Returns null if the text
   * is too long for one piece.
   */
  readonly text?: TextWriter;
}

export type TextWriter = (value: unknown, rendering: Rendering) => string | null;

/** Returns a function that writes values of the type as JSON text. */
export function textWriterOf({ text, write }: Pick<WireType<unknown>, 'text' | 'write'>): TextWriter {
  if (text) return text;
  if (write) return (value, rendering) => shortText(write(value, rendering) ?? value);
  return shortText;
}

/** Returns the schema of a response with exactly the given members. */
export function strictAnswer(
  members: Readonly<Record<string, readonly [schema: () => z.ZodType, json: JsonSchema]>>,
) {
  const ofMembers = <T>(of: (member: (typeof members)[string]) => T) =>
    Object.fromEntries(Object.entries(members).map(([name, member]) => [name, of(member)]));
  return {
    answer: perDialect(() => z.strictObject(ofMembers(([schema]) => schema()))),
    json: {
      type: 'object',
      properties: ofMembers(([, json]) => json),
      required: Object.keys(members),
    },
  };
}

/**
 * Returns the schemas of both dialects. They are created on first use, because the server does not validate its
 * responses.
 */
export function perDialect<S extends z.ZodType>(make: (dialect: Dialect) => S): PerDialect<S> {
  return withLazy({}, { D: () => make('D'), K: () => make('K') });
}

/** Never null in responses. */
export function listOf<T>(element: WireType<T>): WireType<readonly T[]> {
  const request = (dialect: Dialect) =>
    z.unknown().transform((value, context): readonly T[] | null => {
      if (value === undefined || value === null) return null;
      if (!Array.isArray(value)) {
        return refuse(context, { code: ErrorCode.MALFORMED_BODY, text: 'is not a list' });
      }
      return elementsOf({ name: element.name, request: element.request[dialect] }, value, context);
    });
  const { write } = element;
  const textOf = textWriterOf(element);
  return withLazy(
    {
      request: perDialect(request),
      answer: perDialect((dialect) => z.array(element.answer[dialect])),
      // A lazy list converts its own elements.
      write: (values: unknown, rendering: Rendering) =>
        Array.isArray(values) && write ? values.map((each) => write(each, rendering) ?? each) : values,
      text: (values: unknown, rendering: Rendering) =>
        Array.isArray(values) ? listText(values, (each) => textOf(each, rendering)) : shortText(values),
    },
    {
      json: () => ({ type: 'array', items: element.json }),
      jsonInK: () => ({ type: 'array', items: element.jsonInK ?? element.json }),
    },
  );
}

/** Returns a type whose values are ignored in dialect K requests. */
export function ignoreInK<T>(type: WireType<T>): WireType<T> {
  return { ...type, request: { D: type.request.D, K: z.unknown().transform(() => null) } };
}

/** Requests use the type of dialect D. */
export function byDialect<T>(types: { readonly D: WireType<T>; readonly K: WireType<T> }): WireType<T> {
  const description = 'The first form in dialect D, and the second in dialect K';
  return withLazy(
    {
      request: types.D.request,
      answer: perDialect((dialect) => types[dialect].answer[dialect]),
      write: (value: unknown, rendering: Rendering) =>
        types[rendering.dialect].write?.(value, rendering) ?? value,
    },
    { json: () => ({ anyOf: [types.D.json, types.K.json], description }), jsonInK: () => types.K.json },
  );
}

function elementsOf<T>(
  { name, request }: { readonly name: string | undefined; readonly request: z.ZodType<T | null> },
  values: readonly unknown[],
  context: z.core.$RefinementCtx,
): readonly T[] {
  const elements: T[] = [];
  const add = (path: PropertyKey[], problem: WireProblem) =>
    context.addIssue({ code: 'custom', path, params: { problem } });
  for (const [index, value] of values.entries()) {
    const result = request.safeParse(value);
    if (!result.success) {
      for (const issue of result.error.issues) {
        add([index, ...issue.path], problemOf(issue, ErrorCode.MALFORMED_BODY));
      }
    } else if (result.data === null) add([index], missingElement(name));
    else elements.push(result.data);
  }
  return elements;
}

export const anyValue: WireType<unknown> = {
  request: { D: z.unknown(), K: z.unknown() },
  answer: { D: z.unknown(), K: z.unknown() },
  json: {},
};

/** Returns a type that is created on first use. Models that refer to themselves need such a type. */
export function lazily<T>(json: JsonSchema, later: () => WireType<T>): WireType<T> {
  return {
    request: perDialect((dialect) => z.lazy(() => later().request[dialect])),
    answer: perDialect((dialect) => z.lazy(() => later().answer[dialect])),
    write: (value, rendering) => later().write?.(value, rendering) ?? value,
    text: (value, rendering) => textWriterOf(later())(value, rendering),
    json,
  };
}

function missingElement(name: string | undefined): WireProblem {
  const code = ErrorCode.MISSING_OR_INVALID_FIELD;
  if (name === undefined) return { code, text: 'is missing' };
  return { code, text: bodyMissing(name), complete: true };
}

/** Empty at `audit=NONE`. */
export type AuditByRecord = ReadonlyMap<Uuid, readonly AuditEntry[]>;

export interface Rendering {
  readonly dialect: Dialect;
  readonly audit: AuditByRecord;
}

export function renderingWithoutAudit(dialect: Dialect): Rendering {
  return { dialect, audit: new Map() };
}

export interface WireProblem {
  readonly code: ErrorCode;
  /** Description of the problem, phrased to follow the name of the field. */
  readonly text: string;
  /** True if `text` is the complete message (http-api §12, fixed messages). */
  readonly complete?: boolean;
}

/** See http-api §12. */
export function messageNameOf(modelName: string): string {
  return `${modelName}Json`;
}

export function bodyMissing(modelName: string): string {
  return `${messageNameOf(modelName)} body should be specified`;
}

export function refuse(context: z.core.$RefinementCtx, problem: WireProblem): typeof z.NEVER {
  context.addIssue({ code: 'custom', message: problem.text, params: { problem } });
  return context.value as never;
}

/**
 * Returns the error for the first problem, in the order of the schema. `subject` is a model or kind of input, such as
 * `AccountJson`.
 */
export function validationError(
  error: z.ZodError,
  subject: string,
  fallback: ErrorCode = ErrorCode.MALFORMED_BODY,
): BillingError {
  const [issue] = error.issues;
  const path = (issue?.path ?? []).map(String).join('.');
  const problem = problemOf(issue, fallback);
  const place = [subject, path].filter((part) => part !== '').join(' ');
  return billingError(
    problem.code,
    problem.complete ? `${problem.text}${rowOf(issue?.path ?? [])}` : `${place} ${problem.text}`,
    { path, problems: error.issues.length },
  );
}

/**
 * Returns the position of a problem in nested lists, or an empty string. Clients know the fixed text that precedes it.
 */
function rowOf(path: readonly PropertyKey[]): string {
  const within = typeof path[0] === 'number' ? path.slice(1) : path;
  if (within.filter((step) => typeof step === 'number').length < 2) return '';
  const steps = within
    .slice(0, -1)
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`));
  return ` (${steps.join('').slice(1)})`;
}

/** Returns the problem that an issue describes. If zod itself found the issue, returns `fallback`. */
export function problemOf(issue: z.core.$ZodIssue | undefined, fallback: ErrorCode): WireProblem {
  if (issue?.code === 'custom') {
    const problem = issue.params?.problem as WireProblem | undefined;
    if (problem) return problem;
  }
  if (issue?.code === 'invalid_type') return { code: fallback, text: `is not of type ${issue.expected}` };
  return { code: fallback, text: issue?.message ?? 'is not valid' };
}

export type JsonSchema = Readonly<Record<string, unknown>>;

export const DATE_OR_DATE_TIME = 'date-or-date-time';

/**
 * Returns a schema that also allows null. A schema for any value is returned unchanged, because code generators cannot
 * handle its union with null.
 */
export function nullable(schema: JsonSchema): JsonSchema {
  if (Object.keys(schema).length === 0) return schema;
  if (typeof schema.type === 'string' && !('enum' in schema))
    return { ...schema, type: [schema.type, 'null'] };
  return { anyOf: [schema, { type: 'null' }] };
}

/** Returns the zod schema of a scalar. Omits keywords that `format` already implies. */
export function documentOf(schema: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...document } = z.toJSONSchema(schema, {
    override: ({ jsonSchema }) => {
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return document;
}
