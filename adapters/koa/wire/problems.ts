import type { z } from 'zod';
import { BillingError, ErrorCode } from '../../../lib/values/errors/index.ts';

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
  return new BillingError({
    code: problem.code,
    message: problem.complete
      ? `${problem.message}${rowOf(issue?.path ?? [])}`
      : `${place} ${problem.message}`,
    facts: { path, problems: error.issues.length },
  });
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
