import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { CallOutcome } from '../claims/gateway-reply.ts';

interface FailedCall {
  readonly paymentId: Uuid;
  readonly transaction: { readonly id: Uuid };
}

/**
 * The error of a call that gave no result at all (§2.2, last rows); null where there is a result, whose status tells.
 * Money may have moved: the message says so and names the payment.
 */
export function failureOfCall(outcome: CallOutcome | null, call: FailedCall): BillingError | null {
  switch (outcome?.kind) {
    case undefined:
    case 'RESULT':
    case 'NEVER_RECEIVED':
      return null;
    case 'TIMEOUT':
      return unknownOutcome(
        ErrorCode.PAYMENT_PLUGIN_TIMEOUT,
        `no answer within ${outcome.timeoutMs} ms`,
        call,
      );
    case 'GATEWAY_ERROR':
      return unknownOutcome(ErrorCode.PAYMENT_PLUGIN_EXCEPTION, outcome.message, call);
    case 'FAULT':
      return unknownOutcome(ErrorCode.PAYMENT_INTERNAL_ERROR, outcome.message, call);
    case 'NO_RESULT':
      return unknownOutcome(ErrorCode.PAYMENT_INTERNAL_ERROR, 'it gave no result', call);
    default:
      return outcome satisfies never;
  }
}

function unknownOutcome(code: ErrorCode, why: string, { paymentId, transaction }: FailedCall): BillingError {
  return new BillingError({
    code,
    message:
      `The outcome of payment ${paymentId} is unknown, money may have moved: ${why}. ` +
      'Recovery asks the payment gateway; read the payment before trying again',
    facts: { paymentId, transactionId: transaction.id },
  });
}
