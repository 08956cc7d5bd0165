export { BillingError, type BillingErrorInput, type Problem } from './billing-error.ts';
export { classNameOf } from './class-name.ts';
export { ErrorCode } from './error-code.ts';
export { invalidField, invalidParameter } from './invalid-input.ts';
export { assertInvariant, InvariantError } from './invariant-error.ts';
export { MalformedAnswer } from './malformed-answer.ts';
export { problemText } from './problem-text.ts';
