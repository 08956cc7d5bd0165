import { BillingError } from './billing-error.ts';
import { ErrorCode } from './error-code.ts';

type Facts = Readonly<Record<string, unknown>>;

/** MISSING_OR_INVALID_FIELD (60003): what a request holds is missing or cannot be taken. */
export function invalidField(message: string, facts: Facts = {}): BillingError {
  return new BillingError({ code: ErrorCode.MISSING_OR_INVALID_FIELD, message, facts });
}

/** INVALID_PARAMETER (60002): how something is asked for cannot be read, or contradicts itself. */
export function invalidParameter(message: string, facts: Facts = {}): BillingError {
  return new BillingError({ code: ErrorCode.INVALID_PARAMETER, message, facts });
}
