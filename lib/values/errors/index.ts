export { BillingError, type BillingErrorInput, type Problem } from './billing-error.ts';
export { classNameOf } from './class-name.ts';
export { ErrorCode } from './error-code.ts';
export { assertInvariant, InvariantError } from './invariant-error.ts';
