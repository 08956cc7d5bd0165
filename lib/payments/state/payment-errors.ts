import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { shortened } from '../../values/text/index.ts';

export function noSuchPayment(paymentId: Uuid): BillingError {
  return new BillingError({
    code: ErrorCode.PAYMENT_NO_SUCH_PAYMENT,
    message: `Payment ${paymentId} does not exist`,
    facts: { paymentId },
  });
}

export function noPaymentOfTransaction(transactionId: Uuid): BillingError {
  return new BillingError({
    code: ErrorCode.PAYMENT_NO_SUCH_PAYMENT,
    message: `No payment has the transaction ${transactionId}`,
    facts: { transactionId },
  });
}

export function noPaymentOfKey(externalKey: string): BillingError {
  return new BillingError({
    code: ErrorCode.PAYMENT_NO_SUCH_PAYMENT,
    message: `No payment has the external key "${shortened(externalKey)}"`,
    facts: { externalKey },
  });
}

export function paymentOfOther(paymentId: Uuid, accountId: Uuid | null): BillingError {
  return new BillingError({
    code: ErrorCode.PAYMENT_DIFFERENT_ACCOUNT_ID,
    message: `Payment ${paymentId} does not belong to account ${accountId}`,
    facts: { paymentId, accountId },
  });
}

export function transactionOfOther(accountId: Uuid): BillingError {
  return new BillingError({
    code: ErrorCode.PAYMENT_TRANSACTION_DIFFERENT_ACCOUNT_ID,
    message: `The transaction's external key belongs to another account than ${accountId}`,
    facts: { accountId },
  });
}

/** @param why what is wrong with it, as the end of a sentence that begins with its name. */
export function badParameter(parameter: string, why: string, facts: object = {}): BillingError {
  return new BillingError({
    code: ErrorCode.PAYMENT_INVALID_PARAMETER,
    message: `${parameter} ${why}`,
    facts: { parameter, ...facts },
  });
}

/** The payment or its account is with somebody else for as long as the tenant waits: nothing was attempted (§5.3). */
export function paymentBusy(facts: object): BillingError {
  return new BillingError({
    code: ErrorCode.PAYMENT_INTERNAL_ERROR,
    message: 'Another call is working on the payment or its account; nothing was attempted, try again later',
    facts: { ...facts, isBusy: true },
  });
}
