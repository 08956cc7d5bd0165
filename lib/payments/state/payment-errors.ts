import type { PaymentTransaction } from '../../records/index.ts';
import { type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { describeValue, shortenText } from '../../values/text/index.ts';
import {
  type CallOutcome,
  failureOf,
  type GatewayFailure,
  type GatewayReply,
} from '../claims/gateway-claims.ts';

/** Throws the error from within an expression. */
export function fail(error: Error): never {
  throw error;
}

export function noSuchPayment(paymentId: Uuid): BillingError {
  const message = `Payment ${paymentId} does not exist`;
  return billingError(ErrorCode.PAYMENT_NO_SUCH_PAYMENT, message, { paymentId });
}

export function noPaymentOfTransaction(transactionId: Uuid): BillingError {
  const message = `No payment has the transaction ${transactionId}`;
  return billingError(ErrorCode.PAYMENT_NO_SUCH_PAYMENT, message, { transactionId });
}

export function noPaymentOfKey(externalKey: string): BillingError {
  const message = `No payment has the external key "${shortenText(externalKey)}"`;
  return billingError(ErrorCode.PAYMENT_NO_SUCH_PAYMENT, message, { externalKey });
}

export function paymentOfOther(paymentId: Uuid, accountId: Uuid | null): BillingError {
  const message = `Payment ${paymentId} does not belong to account ${accountId}`;
  return billingError(ErrorCode.PAYMENT_DIFFERENT_ACCOUNT_ID, message, { paymentId, accountId });
}

export function transactionOfOther(accountId: Uuid): BillingError {
  const message = `The transaction's external key belongs to another account than ${accountId}`;
  return billingError(ErrorCode.PAYMENT_TRANSACTION_DIFFERENT_ACCOUNT_ID, message, { accountId });
}

/**
 * Returns the error for an invalid parameter.
 * @param why Description of the problem, which follows the parameter's name in the message.
 */
export function badParameter(parameter: string, why: string, facts: object = {}): BillingError {
  return billingError(ErrorCode.PAYMENT_INVALID_PARAMETER, `${parameter} ${why}`, { parameter, ...facts });
}

/**
 * Returns the error for a payment or account that another call held during the tenant's whole wait time. Nothing was
 * attempted (§5.3).
 */
export function paymentBusy(facts: object): BillingError {
  const message =
    'Another call is working on the payment or its account; nothing was attempted, try again later';
  return billingError(ErrorCode.PAYMENT_INTERNAL_ERROR, message, { ...facts, isBusy: true });
}

export function noSuchMethod(paymentMethodId: Uuid): BillingError {
  const message = `Payment method ${paymentMethodId} does not exist`;
  return billingError(ErrorCode.PAYMENT_NO_SUCH_PAYMENT_METHOD, message, { paymentMethodId });
}

/**
 * Returns the error for a gateway that rejected or failed an operation on a payment method. A timeout has its own code.
 */
export function gatewayFailed(code: ErrorCode, pluginName: string, reply: GatewayFailure): BillingError {
  if (reply.kind !== 'TIMEOUT') return pluginError(code, pluginName, `refused: ${reply.message}`);
  const problem = `did not answer within ${reply.timeoutMs} ms; nothing was stored`;
  return pluginError(ErrorCode.PAYMENT_PLUGIN_TIMEOUT, pluginName, problem);
}

export function noMethodOfKey(externalKey: string): BillingError {
  const message = `No payment method has the external key "${shortenText(externalKey)}"`;
  return billingError(ErrorCode.PAYMENT_NO_SUCH_PAYMENT_METHOD, message, { externalKey });
}

/** Returns the error for an attempt to delete the default payment method without an explicit option (§10.3). */
export function isDefaultMethod(paymentMethodId: Uuid, accountId: Uuid): BillingError {
  const message =
    `Payment method ${paymentMethodId} is the default of account ${accountId}; delete it with ` +
    'deleteDefaultPmWithAutoPayOff or forceDefaultPmDeletion, or set another default first';
  return billingError(ErrorCode.PAYMENT_DEL_DEFAULT_PAYMENT_METHOD, message, { paymentMethodId, accountId });
}

export function searchFailed(pluginName: string, reply: GatewayReply<unknown>): BillingError {
  const code = ErrorCode.PAYMENT_PLUGIN_SEARCH_PAYMENT_METHODS;
  if (reply.kind === 'TIMEOUT') return gatewayFailed(code, pluginName, reply);
  return pluginError(code, pluginName, `did not search payment methods: ${failureOf(reply)}`);
}

export function noSuchPlugin(pluginName: string, registered: ReadonlyMap<string, unknown>): BillingError {
  const known = [...registered.keys()].join(', ');
  const message = `Payment plugin "${shortenText(pluginName)}" is not registered; registered are: ${known}`;
  return billingError(ErrorCode.PAYMENT_NO_SUCH_PAYMENT_PLUGIN, message, { pluginName });
}

export function lacksMember(pluginName: string, member: string): BillingError {
  const problem = `does not offer ${member}; nothing was attempted`;
  return pluginError(ErrorCode.PAYMENT_PLUGIN_EXCEPTION, pluginName, problem);
}

/**
 * Returns the error for a failed gateway call. The caller sees only errors that the gateway declares. Other errors are
 * only logged.
 */
export function gatewayCallFailed(pluginName: string, failure: GatewayFailure): BillingError {
  switch (failure.kind) {
    case 'TIMEOUT':
      return pluginError(
        ErrorCode.PAYMENT_PLUGIN_TIMEOUT,
        pluginName,
        `did not answer within ${failure.timeoutMs} ms`,
      );
    case 'GATEWAY_ERROR':
      return pluginError(ErrorCode.PAYMENT_PLUGIN_EXCEPTION, pluginName, `refused: ${failure.message}`);
    case 'FAULT':
      return pluginError(
        ErrorCode.PAYMENT_INTERNAL_ERROR,
        pluginName,
        'failed; see the server log for the reason',
      );
  }
}

export function pluginError(code: ErrorCode, pluginName: string, problem: string): BillingError {
  return billingError(code, `Payment plugin "${pluginName}" ${problem}`, { pluginName });
}

export function unreadableAnswer(pluginName: string): BillingError {
  const message = `The answer of payment plugin "${pluginName}" cannot be read`;
  return billingError(ErrorCode.PAYMENT_INTERNAL_ERROR, message, { pluginName });
}

/**
 * Returns the error for a signed notification that is not accepted. The error is the same for every reason, so that it
 * reveals nothing about tenants and gateways.
 */
export function noSignedNotifications(): BillingError {
  return billingError(ErrorCode.ROUTE_NOT_FOUND, 'No payment gateway accepts notifications here');
}

interface FailedCall {
  readonly paymentId: Uuid;
  readonly transaction: { readonly id: Uuid };
}

/**
 * Returns the error for a call without a result (§2.2, last rows), in which money may have moved. Returns null for a
 * call with a result.
 */
export function failureOfCall(outcome: CallOutcome | null, call: FailedCall): BillingError | null {
  switch (outcome?.kind) {
    case undefined:
    case 'RESULT':
    case 'NEVER_RECEIVED':
      return null;
    case 'TIMEOUT':
      return unknownOutcome('PAYMENT_PLUGIN_TIMEOUT', `no answer within ${outcome.timeoutMs} ms`, call);
    case 'GATEWAY_ERROR':
      return unknownOutcome('PAYMENT_PLUGIN_EXCEPTION', outcome.message, call);
    case 'FAULT':
      return unknownOutcome('PAYMENT_INTERNAL_ERROR', outcome.message, call);
    case 'NO_RESULT':
      return unknownOutcome('PAYMENT_INTERNAL_ERROR', 'it returned no result', call);
    default:
      return outcome satisfies never;
  }
}

function unknownOutcome(code: keyof typeof ErrorCode, why: string, { paymentId, transaction }: FailedCall) {
  return billingError(
    ErrorCode[code],
    `The outcome of payment ${paymentId} is unknown; money may have moved: ${why}. ` +
      'Recovery queries the payment gateway; read the payment before trying again',
    { paymentId, transactionId: transaction.id },
  );
}

/**
 * Returns the registered gateway.
 * @throws BillingError PAYMENT_NO_SUCH_PAYMENT_PLUGIN (7028) if no gateway has this name.
 */
export function registeredGateway<G>(gateways: ReadonlyMap<string, G>, pluginName: string): G {
  const gateway = gateways.get(pluginName);
  if (gateway === undefined) throw noSuchPlugin(pluginName, gateways);
  return gateway;
}

/** Returns the error for the key of a transaction that has already succeeded (§1.7 rule 2). */
export function succeededKeyError({
  id,
  paymentId,
  externalKey,
}: Pick<PaymentTransaction, 'id' | 'paymentId' | 'externalKey'>): BillingError {
  return billingError(
    ErrorCode.PAYMENT_ACTIVE_TRANSACTION_KEY_EXISTS,
    `Transaction ${id} with external key ${describeValue(externalKey)} has already succeeded; choose a different key`,
    { transactionId: id, paymentId },
  );
}
