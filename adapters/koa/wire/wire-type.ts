import { z } from 'zod';
import { ErrorCode } from '../../../lib/values/errors/index.ts';
import type { Dialect, PerDialect } from '../dialect.ts';
import type { JsonSchema } from './json-schema.ts';
import { onDemand } from './on-demand.ts';
import { bodyMissing, problemOf, refuse, type WireProblem } from './problems.ts';
import type { Rendering } from './rendering.ts';

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
