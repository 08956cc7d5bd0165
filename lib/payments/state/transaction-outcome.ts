import { type GatewayResult, PluginStatus } from '../../ports/index.ts';
import { PaymentResponse, type PaymentTransaction, TransactionStatus } from '../../records/index.ts';
import { type Currency, type Decimal, isCurrency, ZERO } from '../../values/money/index.ts';
import { claimedAmount, claimedInUnits } from '../claims/claimed-amount.ts';
import { gatewayText } from '../claims/gateway-claims.ts';
import type { CallOutcome } from '../claims/gateway-reply.ts';

/** What a call changes in its transaction. */
export type TransactionOutcome = Pick<
  PaymentTransaction,
  | 'status'
  | 'processedAmount'
  | 'processedCurrency'
  | 'gatewayErrorCode'
  | 'gatewayErrorMsg'
  | 'paymentResponse'
>;

type Requested = Pick<PaymentTransaction, 'id' | 'amount' | 'currency'>;

const statusOf: Readonly<Record<PluginStatus, TransactionStatus>> = {
  PROCESSED: TransactionStatus.SUCCESS,
  PENDING: TransactionStatus.PENDING,
  ERROR: TransactionStatus.PAYMENT_FAILURE,
  CANCELED: TransactionStatus.PLUGIN_FAILURE,
  UNDEFINED: TransactionStatus.UNKNOWN,
};

/**
 * Reads the outcome of a call for the requested transaction (§2.2, processed values §4.3 rule 3). An answer is a claim:
 * if it is about another transaction, or carries an impossible status, amount or currency, the outcome is unknown.
 */
export function readOutcome(requested: Requested, call: CallOutcome): TransactionOutcome {
  switch (call.kind) {
    case 'RESULT':
      return readResult(requested, call.result);
    case 'NEVER_RECEIVED':
      return failed(requested, {
        status: TransactionStatus.PLUGIN_FAILURE,
        code: null,
        message: call.message,
      });
    case 'NO_RESULT':
      return unknown(requested, 'The gateway gave no result; the outcome is unknown');
    case 'TIMEOUT':
      return unknown(requested, `No answer within ${call.timeoutMs} ms; the outcome is unknown`);
    case 'GATEWAY_ERROR':
    case 'FAULT':
      return unknown(requested, call.message);
    default:
      return call satisfies never;
  }
}

function readResult(requested: Requested, result: GatewayResult): TransactionOutcome {
  const flaw = flawOf(requested, result);
  if (flaw !== null) return unknown(requested, `Unusable answer of the gateway: ${flaw}`);
  const status = result.status === undefined ? TransactionStatus.UNKNOWN : statusOf[result.status];
  const code = gatewayText(result.gatewayErrorCode);
  const message = gatewayText(result.gatewayError);
  const response = claimedResponse(result);
  if (status !== TransactionStatus.SUCCESS && status !== TransactionStatus.PENDING) {
    return failed(requested, { status, code, message, response });
  }
  const processedCurrency = result.currency ?? requested.currency;
  const processed = amountOf(result);
  return {
    status,
    processedAmount: processed
      ? claimedInUnits(processed, { currency: processedCurrency, asked: requested.amount })
      : requested.amount,
    processedCurrency,
    gatewayErrorCode: code,
    gatewayErrorMsg: message,
    paymentResponse: response,
  };
}

function flawOf(requested: Requested, result: GatewayResult): string | null {
  if (result.kbTransactionPaymentId !== requested.id) return 'it is about another transaction';
  if (result.status !== undefined && !Object.hasOwn(PluginStatus, result.status))
    return 'its status does not exist';
  if (result.currency !== undefined && !isCurrency(result.currency)) return 'its currency does not exist';
  if (result.amount === undefined) return null;
  const amount = amountOf(result);
  return amount === undefined || amount.isNegative() ? 'its amount is no valid amount' : null;
}

/** Returns the amount that the gateway states; undefined = none, or not an amount. */
function amountOf({ amount }: GatewayResult): Decimal | undefined {
  return amount == null ? undefined : claimedAmount(amount);
}

const responses: ReadonlySet<unknown> = new Set(Object.values(PaymentResponse));

/** A word that nobody knows stands for some reason or other (overdue §3.2); null = the gateway gave none. */
function claimedResponse({ paymentResponse: said }: GatewayResult): PaymentResponse | null {
  if (said == null) return null;
  return responses.has(said) ? (said as PaymentResponse) : PaymentResponse.OTHER;
}

function unknown(requested: Requested, message: string): TransactionOutcome {
  return failed(requested, { status: TransactionStatus.UNKNOWN, code: null, message: gatewayText(message) });
}

function failed(
  requested: { readonly currency: Currency | null },
  why: {
    readonly status: TransactionStatus;
    readonly code: string | null;
    readonly message: string | null;
    readonly response?: PaymentResponse | null;
  },
): TransactionOutcome {
  return {
    status: why.status,
    processedAmount: ZERO,
    processedCurrency: requested.currency,
    gatewayErrorCode: why.code,
    gatewayErrorMsg: why.message,
    paymentResponse: why.response ?? null,
  };
}
