import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { shortened } from '../../values/text/index.ts';
import {
  type CallOutcome,
  failureOf,
  type GatewayFailure,
  type GatewayReply,
} from '../claims/gateway-claims.ts';

export function paymentError(
  code: ErrorCode,
  message: string,
  facts: Readonly<Record<string, unknown>> = {},
): BillingError {
  return new BillingError({ code, message, facts });
}

export function noSuchPayment(paymentId: Uuid): BillingError {
  return paymentError(ErrorCode.PAYMENT_NO_SUCH_PAYMENT, `Payment ${paymentId} does not exist`, {
    paymentId,
  });
}

export function noPaymentOfTransaction(transactionId: Uuid): BillingError {
  return paymentError(ErrorCode.PAYMENT_NO_SUCH_PAYMENT, `No payment has the transaction ${transactionId}`, {
    transactionId,
  });
}

export function noPaymentOfKey(externalKey: string): BillingError {
  return paymentError(
    ErrorCode.PAYMENT_NO_SUCH_PAYMENT,
    `No payment has the external key "${shortened(externalKey)}"`,
    { externalKey },
  );
}

export function paymentOfOther(paymentId: Uuid, accountId: Uuid | null): BillingError {
  return paymentError(
    ErrorCode.PAYMENT_DIFFERENT_ACCOUNT_ID,
    `Payment ${paymentId} does not belong to account ${accountId}`,
    { paymentId, accountId },
  );
}

export function transactionOfOther(accountId: Uuid): BillingError {
  return paymentError(
    ErrorCode.PAYMENT_TRANSACTION_DIFFERENT_ACCOUNT_ID,
    `The transaction's external key belongs to another account than ${accountId}`,
    { accountId },
  );
}

/** @param why what is wrong with it, as the end of a sentence that begins with its name. */
export function badParameter(parameter: string, why: string, facts: object = {}): BillingError {
  return paymentError(ErrorCode.PAYMENT_INVALID_PARAMETER, `${parameter} ${why}`, { parameter, ...facts });
}

/** The payment or its account is with somebody else for as long as the tenant waits: nothing was attempted (§5.3). */
export function paymentBusy(facts: object): BillingError {
  return paymentError(
    ErrorCode.PAYMENT_INTERNAL_ERROR,
    'Another call is working on the payment or its account; nothing was attempted, try again later',
    { ...facts, isBusy: true },
  );
}

export function noSuchMethod(paymentMethodId: Uuid): BillingError {
  return paymentError(
    ErrorCode.PAYMENT_NO_SUCH_PAYMENT_METHOD,
    `Payment method ${paymentMethodId} does not exist`,
    { paymentMethodId },
  );
}

/** A gateway refused or failed an operation on a payment method; a timeout has a code of its own. */
export function gatewayFailed(code: ErrorCode, pluginName: string, reply: GatewayFailure): BillingError {
  const facts = { pluginName };
  if (reply.kind === 'TIMEOUT') {
    const message = `Payment plugin "${pluginName}" did not answer within ${reply.timeoutMs} ms; nothing was stored`;
    return paymentError(ErrorCode.PAYMENT_PLUGIN_TIMEOUT, message, facts);
  }
  return paymentError(code, `Payment plugin "${pluginName}" refused: ${reply.message}`, facts);
}

export function noMethodOfKey(externalKey: string): BillingError {
  return paymentError(
    ErrorCode.PAYMENT_NO_SUCH_PAYMENT_METHOD,
    `No payment method has the external key "${shortened(externalKey)}"`,
    { externalKey },
  );
}

/** The default is deleted only if that is what a call asks for (§10.3). */
export function isDefaultMethod(paymentMethodId: Uuid, accountId: Uuid): BillingError {
  return paymentError(
    ErrorCode.PAYMENT_DEL_DEFAULT_PAYMENT_METHOD,
    `Payment method ${paymentMethodId} is the default of account ${accountId}; delete it with ` +
      'deleteDefaultPmWithAutoPayOff or forceDefaultPmDeletion, or set another default first',
    { paymentMethodId, accountId },
  );
}

/** A gateway's own search of payment methods failed. */
export function searchFailed(pluginName: string, reply: GatewayReply<unknown>): BillingError {
  const code = ErrorCode.PAYMENT_PLUGIN_SEARCH_PAYMENT_METHODS;
  if (reply.kind === 'TIMEOUT') return gatewayFailed(code, pluginName, reply);
  const message = `Payment plugin "${pluginName}" did not search payment methods: ${failureOf(reply)}`;
  return paymentError(code, message, { pluginName });
}

export function noSuchPlugin(pluginName: string, registered: ReadonlyMap<string, unknown>): BillingError {
  const known = [...registered.keys()].join(', ');
  return paymentError(
    ErrorCode.PAYMENT_NO_SUCH_PAYMENT_PLUGIN,
    `Payment plugin "${shortened(pluginName)}" is not registered; registered are: ${known}`,
    { pluginName },
  );
}

/** A gateway that does not offer what is asked for: nothing has happened. */
export function lacksMember(pluginName: string, member: string): BillingError {
  return paymentError(
    ErrorCode.PAYMENT_PLUGIN_EXCEPTION,
    `Payment plugin "${pluginName}" does not offer ${member}; nothing was attempted`,
    { pluginName },
  );
}

/** What a gateway declares is told; what it throws otherwise may hold anything, and only the log has it. */
export function gatewayCallFailed(pluginName: string, failure: GatewayFailure): BillingError {
  const facts = { pluginName };
  switch (failure.kind) {
    case 'TIMEOUT': {
      const message = `Payment plugin "${pluginName}" did not answer within ${failure.timeoutMs} ms`;
      return paymentError(ErrorCode.PAYMENT_PLUGIN_TIMEOUT, message, facts);
    }
    case 'GATEWAY_ERROR': {
      const message = `Payment plugin "${pluginName}" refused: ${failure.message}`;
      return paymentError(ErrorCode.PAYMENT_PLUGIN_EXCEPTION, message, facts);
    }
    case 'FAULT': {
      const message = `Payment plugin "${pluginName}" failed; the log of the server tells why`;
      return paymentError(ErrorCode.PAYMENT_INTERNAL_ERROR, message, facts);
    }
  }
}

export function unreadableAnswer(pluginName: string): BillingError {
  return paymentError(
    ErrorCode.PAYMENT_INTERNAL_ERROR,
    `The answer of payment plugin "${pluginName}" cannot be read`,
    { pluginName },
  );
}

/** The same for every reason, so that nobody learns which tenants and gateways there are. */
export function noSignedNotifications(): BillingError {
  return paymentError(ErrorCode.ROUTE_NOT_FOUND, 'No payment gateway takes notifications here');
}

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
  return paymentError(
    code,
    `The outcome of payment ${paymentId} is unknown, money may have moved: ${why}. ` +
      'Recovery asks the payment gateway; read the payment before trying again',
    { paymentId, transactionId: transaction.id },
  );
}

/** @throws BillingError PAYMENT_NO_SUCH_PAYMENT_PLUGIN (7028). */
export function registeredGateway<G>(gateways: ReadonlyMap<string, G>, pluginName: string): G {
  const gateway = gateways.get(pluginName);
  if (gateway === undefined) throw noSuchPlugin(pluginName, gateways);
  return gateway;
}
