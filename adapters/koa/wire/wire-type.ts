import { z } from 'zod';
import { ErrorCode } from '../../../lib/errors/index.ts';
import type { Dialect, PerDialect } from '../dialect.ts';
import type { JsonSchema } from './json-schema.ts';
import { onDemand } from './on-demand.ts';
import { bodyMissing, problemOf, refuse, type WireProblem } from './problems.ts';

/** One type of the wire: how a request value is read, what an answer may hold, how the document describes it. */
export interface WireType<T> {
  /** Of a model: its name. */
  readonly name?: string;
  /** Reads a value of a parsed request body into the domain's type; absent, null and empty give null. */
  readonly request: z.ZodType<T | null>;
  /** What stands in answers. */
  readonly answer: PerDialect<z.ZodType>;
  readonly json: JsonSchema;
}

/** The schemas of answers, made when they are first asked for: nothing is checked against them while serving. */
export function answerOf(make: (dialect: Dialect) => z.ZodType): PerDialect<z.ZodType> {
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
  const request = onDemand(() =>
    z.unknown().transform((value, context): readonly T[] | null => {
      if (value === undefined || value === null) return null;
      if (!Array.isArray(value)) {
        return refuse(context, { code: ErrorCode.MALFORMED_BODY, message: 'is not a list' });
      }
      return elementsOf(element, value, context);
    }),
  );
  return {
    get request() {
      return request();
    },
    answer: answerOf((dialect) => z.array(element.answer[dialect])),
    get json() {
      return { type: 'array', items: element.json };
    },
  };
}

/** A field that is of one type in dialect D and of another in K; requests are read as D. */
export function byDialect<T>(types: { readonly D: WireType<T>; readonly K: WireType<T> }): WireType<T> {
  return {
    get request() {
      return types.D.request;
    },
    answer: answerOf((dialect) => types[dialect].answer[dialect]),
    get json() {
      return {
        anyOf: [types.D.json, types.K.json],
        description: 'The first form in dialect D, the second in dialect K',
      };
    },
  };
}

function elementsOf<T>(
  element: WireType<T>,
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
  request: z.unknown(),
  answer: { D: z.unknown(), K: z.unknown() },
  json: {},
};

/** A type that is defined later: a model that refers to itself. */
export function lazily<T>(json: JsonSchema, later: () => WireType<T>): WireType<T> {
  return {
    request: z.lazy(() => later().request),
    answer: { D: z.lazy(() => later().answer.D), K: z.lazy(() => later().answer.K) },
    json,
  };
}

function missingElement(element: WireType<unknown>): WireProblem {
  const code = ErrorCode.MISSING_OR_INVALID_FIELD;
  if (element.name === undefined) return { code, message: 'is missing' };
  return { code, message: bodyMissing(element.name), complete: true };
}
