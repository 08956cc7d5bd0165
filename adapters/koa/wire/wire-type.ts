import { z } from 'zod';
import type { AuditEntry } from '../../../lib/records/index.ts';
import { type BillingError, billingError, ErrorCode } from '../../../lib/values/errors/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import type { Dialect, PerDialect } from '../dialect.ts';
import { onDemand } from './on-demand.ts';

/** One type of the wire: how a request value is read, what an answer may hold, how the document describes it. */
export interface WireType<T> {
  /** For a model: its name. */
  readonly name?: string;
  /** For a model: names of the fields that a request has to hold. */
  readonly needed?: readonly string[];
  /** Reads a value of a parsed request body into the domain's type; absent, null and empty give null. */
  readonly request: PerDialect<z.ZodType<T | null>>;
  /** The form in answers. */
  readonly answer: PerDialect<z.ZodType>;
  readonly json: JsonSchema;
  /** The same in dialect K alone, where that has another form. */
  readonly jsonInK?: JsonSchema;
  /** Makes the answer's form of a domain value that is not null; absent = the value itself. */
  readonly write?: (value: unknown, rendering: Rendering) => unknown;
}

/** An answer of these members alone, each with its schema and how the document shows it. */
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

/** Schemas of either dialect, made when they are first asked for: answers are not checked against theirs while serving. */
export function perDialect<S extends z.ZodType>(make: (dialect: Dialect) => S): PerDialect<S> {
  const [inD, inK] = [onDemand(() => make('D')), onDemand(() => make('K'))];
  return {
    get D() {
      return inD();
    },
    get K() {
      return inK();
    },
  };
}

/** A list; in answers never null. */
export function listOf<T>(element: WireType<T>): WireType<readonly T[]> {
  const request = (dialect: Dialect) =>
    z.unknown().transform((value, context): readonly T[] | null => {
      if (value === undefined || value === null) return null;
      if (!Array.isArray(value)) {
        return refuse(context, { code: ErrorCode.MALFORMED_BODY, message: 'is not a list' });
      }
      return elementsOf({ name: element.name, request: element.request[dialect] }, value, context);
    });
  return {
    request: perDialect(request),
    answer: perDialect((dialect) => z.array(element.answer[dialect])),
    // A list that is made while it is written writes its own elements.
    write: (values, rendering) =>
      Array.isArray(values) ? values.map((each) => element.write?.(each, rendering) ?? each) : values,
    get json() {
      return { type: 'array', items: element.json };
    },
    get jsonInK() {
      return { type: 'array', items: element.jsonInK ?? element.json };
    },
  };
}

/** A field of one type in answers of dialect D and of another in answers of K; requests are read as the first. */
export function byDialect<T>(types: { readonly D: WireType<T>; readonly K: WireType<T> }): WireType<T> {
  return {
    request: types.D.request,
    answer: perDialect((dialect) => types[dialect].answer[dialect]),
    write: (value, rendering) => types[rendering.dialect].write?.(value, rendering) ?? value,
    get json() {
      return {
        anyOf: [types.D.json, types.K.json],
        description: 'The first form in dialect D, the second in dialect K',
      };
    },
    get jsonInK() {
      return types.K.json;
    },
  };
}

interface ElementReader<T> {
  readonly name: string | undefined;
  readonly request: z.ZodType<T | null>;
}

function elementsOf<T>(
  element: ElementReader<T>,
  values: readonly unknown[],
  context: z.core.$RefinementCtx,
): readonly T[] {
  const elements: T[] = [];
  for (const [index, value] of values.entries()) {
    const result = element.request.safeParse(value);
    if (!result.success) {
      for (const issue of result.error.issues) {
        const problem = problemOf(issue, ErrorCode.MALFORMED_BODY);
        context.addIssue({ code: 'custom', path: [index, ...issue.path], params: { problem } });
      }
    } else if (result.data === null) {
      context.addIssue({
        code: 'custom',
        path: [index],
        params: { problem: missingElement(element) },
      });
    } else {
      elements.push(result.data);
    }
  }
  return elements;
}

/** Any JSON value; only in answers. */
export const anyValue: WireType<unknown> = {
  request: { D: z.unknown(), K: z.unknown() },
  answer: { D: z.unknown(), K: z.unknown() },
  json: {},
};

/** A type that is defined later: a model that refers to itself. */
export function lazily<T>(json: JsonSchema, later: () => WireType<T>): WireType<T> {
  return {
    request: perDialect((dialect) => z.lazy(() => later().request[dialect])),
    answer: perDialect((dialect) => z.lazy(() => later().answer[dialect])),
    write: (value, rendering) => later().write?.(value, rendering) ?? value,
    json,
  };
}

function missingElement(element: ElementReader<unknown>): WireProblem {
  const code = ErrorCode.MISSING_OR_INVALID_FIELD;
  if (element.name === undefined) return { code, message: 'is missing' };
  return { code, message: bodyMissing(element.name), complete: true };
}

/** Audit rows by record; empty at `audit=NONE`. */
export type AuditByRecord = ReadonlyMap<Uuid, readonly AuditEntry[]>;

/** How an answer is to be written. */
export interface Rendering {
  readonly dialect: Dialect;
  readonly audit: AuditByRecord;
}

/** The rendering of an answer that shows no audit. */
export function unaudited(dialect: Dialect): Rendering {
  return { dialect, audit: new Map() };
}

/** What a decoder says about a value that it refuses: the code and text of the answer. */
export interface WireProblem {
  readonly code: ErrorCode;
  /** Finishes the sentence that begins with the field's or parameter's name. */
  readonly message: string;
  /** True: `message` is the whole text and no name goes before it (http-api §12, fixed messages). */
  readonly complete?: boolean;
}

/** Name of a model in messages (http-api §12). */
export function messageNameOf(modelName: string): string {
  return `${modelName}Json`;
}

/** What callers are told of a body, or an element of a list, that is missing. */
export function bodyMissing(modelName: string): string {
  return `${messageNameOf(modelName)} body should be specified`;
}

/** Reports `problem` from inside a zod transform. */
export function refuse(context: z.core.$RefinementCtx, problem: WireProblem): typeof z.NEVER {
  context.addIssue({ code: 'custom', message: problem.message, params: { problem } });
  return context.value as never;
}

/**
 * The error of a failed validation: that of the first problem in the order of the schema. `subject` is the model or the
 * kind of input, for example `AccountJson`.
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
    problem.complete ? `${problem.message}${rowOf(issue?.path ?? [])}` : `${place} ${problem.message}`,
    { path, problems: error.issues.length },
  );
}

/** Of rows in a list within a list, which ones: a text that clients know goes before it as it is. */
function rowOf(path: readonly PropertyKey[]): string {
  const within = typeof path[0] === 'number' ? path.slice(1) : path;
  if (within.filter((step) => typeof step === 'number').length < 2) return '';
  const steps = within
    .slice(0, -1)
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`));
  return ` (${steps.join('').slice(1)})`;
}

/** The problem behind an issue; an issue of zod's own (a list instead of an object) becomes one of the `fallback` kind. */
export function problemOf(issue: z.core.$ZodIssue | undefined, fallback: ErrorCode): WireProblem {
  if (issue?.code === 'custom') {
    const problem = issue.params?.problem as WireProblem | undefined;
    if (problem) return problem;
  }
  if (issue?.code === 'invalid_type') return { code: fallback, message: `is not of type ${issue.expected}` };
  return { code: fallback, message: issue?.message ?? 'is not valid' };
}

/** A JSON Schema (draft 2020-12) as OpenAPI 3.1 takes it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The format of a text that is a date or a date-time. */
export const DATE_OR_DATE_TIME = 'date-or-date-time';

/** `schema` that also allows null; one that allows everything does, and generators know no choice of it and null. */
export function nullable(schema: JsonSchema): JsonSchema {
  if (Object.keys(schema).length === 0) return schema;
  if (typeof schema.type === 'string' && !('enum' in schema))
    return { ...schema, type: [schema.type, 'null'] };
  return { anyOf: [schema, { type: 'null' }] };
}

/** The schema of a scalar as zod gives it, without what a `format` already says. */
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
