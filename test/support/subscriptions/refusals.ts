import { expect } from 'chai';
import { BillingError, type ErrorCode } from '../../../lib/values/errors/index.ts';

/** The `BillingError` that a call throws. */
export function errorOf(call: () => unknown): BillingError {
  try {
    call();
  } catch (error) {
    if (error instanceof BillingError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

export function expectError(call: () => unknown, code: ErrorCode, message?: string | RegExp): void {
  const error = errorOf(call);
  expect(error.code, error.message).to.equal(code);
  if (typeof message === 'string') expect(error.message).to.equal(message);
  else if (message !== undefined) expect(error.message).to.match(message);
}
