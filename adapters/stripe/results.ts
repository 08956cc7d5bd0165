import type Stripe from 'stripe';
import { type GatewayResult, type GatewayTransaction, PluginStatus } from '../../lib/ports/index.ts';
import { PaymentResponse, type TransactionType } from '../../lib/records/index.ts';
import { isUuid, type Uuid } from '../../lib/values/ids/index.ts';
import {
  asCurrency,
  type Currency,
  type Decimal,
  decimal,
  minorUnits,
} from '../../lib/values/money/index.ts';
import type { Failure } from './stripe-accounts.ts';

const MS_PER_SECOND = 1_000;

export interface TransactionIdentity {
  readonly paymentId: Uuid;
  readonly transactionId: Uuid;
  readonly transactionType: TransactionType;
}

export function identityOf(
  { paymentId, transactionId }: GatewayTransaction,
  transactionType: TransactionType,
): TransactionIdentity {
  return { paymentId, transactionId, transactionType };
}

/** Returns the result of the transaction that created the payment intent. */
export function intentResult(told: TransactionIdentity, intent: Stripe.PaymentIntent): GatewayResult {
  const type: FirstType = told.transactionType === 'AUTHORIZE' ? 'AUTHORIZE' : 'PURCHASE';
  const status = intentStatus(type, intent);
  const currency = asCurrency(intent.currency.toUpperCase());
  const units = type === 'PURCHASE' && intent.amount_received > 0 ? intent.amount_received : intent.amount;
  return {
    ...at(told, intent.created),
    status,
    amount: readAmount(units, currency),
    currency,
    ...referencesOf(intent),
    ...(status === 'ERROR' && refusalOf(intent)),
    properties: status === 'PENDING' ? nextAction(intent) : [],
  };
}

/** Returns the result of a card check, which has the amount 0. */
export function setupResult(told: TransactionIdentity, setup: Stripe.SetupIntent): GatewayResult {
  const error = setup.last_setup_error;
  const status = setupStatuses[setup.status] ?? PluginStatus.UNDEFINED;
  return {
    ...at(told, setup.created),
    status,
    firstPaymentReferenceId: setup.id,
    ...(status === 'ERROR' && describeError(error ?? { code: setup.cancellation_reason })),
    properties: status === 'PENDING' ? nextAction(setup) : [],
  };
}

/**
 * Returns the result of the capture or void that is marked on the payment intent. Returns null if the operation had no
 * effect.
 */
export function markedResult(
  told: TransactionIdentity,
  intent: Stripe.PaymentIntent,
  written: string,
): GatewayResult | null {
  const rest = { ...referencesOf(intent), properties: [] };
  if (told.transactionType === 'VOID') {
    if (intent.status !== 'canceled') return null;
    const canceled = at(told, intent.canceled_at ?? intent.created);
    return { ...canceled, status: PluginStatus.PROCESSED, ...rest };
  }
  const currency = asCurrency(intent.currency.toUpperCase());
  const amount = readAmount(Number(written), currency);
  const status = intent.status === 'processing' ? PluginStatus.PENDING : PluginStatus.PROCESSED;
  if (intent.amount_received === 0 && status === 'PROCESSED') return null;
  return { ...at(told, intent.created), status, amount, currency, ...rest };
}

export function refundResult(told: TransactionIdentity, refund: Stripe.Refund): GatewayResult {
  const currency = asCurrency(refund.currency.toUpperCase());
  const status = refundStatuses.get(refund.status) ?? PluginStatus.UNDEFINED;
  const charge = idOf(refund.charge);
  return {
    ...at(told, refund.created),
    status,
    amount: readAmount(refund.amount, currency),
    currency,
    firstPaymentReferenceId: refund.id,
    ...(charge !== null && { secondPaymentReferenceId: charge }),
    ...(status === 'ERROR' && describeError({ code: refund.failure_reason ?? refund.status })),
    properties: [],
  };
}

/** Returns the result of a transaction that failed at Stripe or before it reached Stripe. */
export function failedResult(told: TransactionIdentity, failure: Failure, createdDate: Date): GatewayResult {
  const { status, code, message, reference } = failure;
  return {
    ...transactionAt(told, createdDate),
    status,
    ...(code !== null && { gatewayErrorCode: code }),
    gatewayError: message,
    ...(status === 'ERROR' && { paymentResponse: paymentResponseOf(code) }),
    ...(reference !== null && { firstPaymentReferenceId: reference }),
    properties: [],
  };
}

export function idOf(object: string | { readonly id: string } | null | undefined): string | null {
  return typeof object === 'string' ? object : (object?.id ?? null);
}

function intentStatus(type: FirstType, intent: Stripe.PaymentIntent) {
  switch (intent.status) {
    case 'succeeded':
      return PluginStatus.PROCESSED;
    case 'requires_capture':
      return type === 'AUTHORIZE' ? PluginStatus.PROCESSED : PluginStatus.PENDING;
    case 'processing':
      // An intent with a capture mark is an authorization that is being captured.
      return marksOf('capture', intent.metadata).length > 0 ? PluginStatus.PROCESSED : PluginStatus.PENDING;
    case 'requires_action':
      return PluginStatus.PENDING;
    case 'requires_payment_method':
      return PluginStatus.ERROR;
    case 'canceled':
      return type === 'AUTHORIZE' && wasHeld(intent) ? PluginStatus.PROCESSED : PluginStatus.ERROR;
    default:
      return PluginStatus.UNDEFINED;
  }
}

/** Returns true if money was held before a void or the expiry of the hold canceled the intent. */
export function wasHeld({ latest_charge: charge }: Stripe.PaymentIntent): boolean {
  return typeof charge === 'object' && charge !== null && charge.status === 'succeeded';
}

const setupStatuses: Readonly<Partial<Record<Stripe.SetupIntent.Status, PluginStatus>>> = {
  succeeded: 'PROCESSED',
  processing: 'PENDING',
  requires_action: 'PENDING',
  requires_payment_method: 'ERROR',
  canceled: 'ERROR',
};

const refundStatuses: ReadonlyMap<string | null, PluginStatus> = new Map([
  ['succeeded', 'PROCESSED'],
  ['pending', 'PENDING'],
  ['requires_action', 'PENDING'],
  ['failed', 'ERROR'],
  ['canceled', 'ERROR'],
]);

function refusalOf(intent: Stripe.PaymentIntent) {
  return describeError(intent.last_payment_error ?? { code: intent.cancellation_reason });
}

function describeError(error: Partial<Record<'code' | 'decline_code' | 'message', string | null>>) {
  const code = error.decline_code || error.code || null;
  return {
    ...(code !== null && { gatewayErrorCode: code }),
    ...(error.message != null && { gatewayError: error.message }),
    paymentResponse: paymentResponseOf(code),
  };
}

function referencesOf({ id, latest_charge: charge }: Stripe.PaymentIntent) {
  const chargeId = idOf(charge);
  return { firstPaymentReferenceId: id, ...(chargeId !== null && { secondPaymentReferenceId: chargeId }) };
}

/**
 * Returns the data that a customer needs to give the missing consent. The secret is only for the customer's browser.
 */
function nextAction(intent: Stripe.PaymentIntent | Stripe.SetupIntent) {
  const action = intent.next_action;
  const given = {
    stripe_status: intent.status,
    next_action: action?.type ?? null,
    redirect_url: action?.redirect_to_url?.url ?? null,
    client_secret: intent.status === 'requires_action' ? intent.client_secret : null,
  };
  return Object.entries(given).flatMap(([key, value]) =>
    value === null ? [] : [{ key, value, isUpdatable: false }],
  );
}

function at(told: TransactionIdentity, seconds: number) {
  return transactionAt(told, new Date(seconds * MS_PER_SECOND));
}

function transactionAt(
  { paymentId, transactionId, transactionType }: TransactionIdentity,
  createdDate: Date,
) {
  const ids = { kbPaymentId: paymentId, kbTransactionPaymentId: transactionId };
  return { ...ids, transactionType, createdDate, effectiveDate: createdDate };
}

const reasons: Readonly<Record<string, PaymentResponse>> = {
  incorrect_number: 'INVALID_CARD',
  invalid_number: 'INVALID_CARD',
  invalid_account: 'INVALID_CARD',
  invalid_expiry_month: 'INVALID_CARD',
  invalid_expiry_year: 'INVALID_CARD',
  new_account_information_available: 'INVALID_CARD',
  card_not_supported: 'INVALID_CARD',
  incorrect_cvc: 'INVALID_CARD',
  invalid_cvc: 'INVALID_CARD',
  expired_card: 'EXPIRED_CARD',
  lost_card: 'LOST_OR_STOLEN_CARD',
  stolen_card: 'LOST_OR_STOLEN_CARD',
  pickup_card: 'LOST_OR_STOLEN_CARD',
  do_not_honor: 'DO_NOT_HONOR',
  do_not_try_again: 'DO_NOT_HONOR',
  no_action_taken: 'DO_NOT_HONOR',
  insufficient_funds: 'INSUFFICIENT_FUNDS',
  withdrawal_count_limit_exceeded: 'INSUFFICIENT_FUNDS',
  card_velocity_exceeded: 'INSUFFICIENT_FUNDS',
  generic_decline: 'DECLINE',
  card_declined: 'DECLINE',
  call_issuer: 'DECLINE',
  fraudulent: 'DECLINE',
  transaction_not_allowed: 'DECLINE',
  not_permitted: 'DECLINE',
  restricted_card: 'DECLINE',
  security_violation: 'DECLINE',
  processing_error: 'PROCESSING_ERROR',
  issuer_not_available: 'PROCESSING_ERROR',
  reenter_transaction: 'PROCESSING_ERROR',
  try_again_later: 'PROCESSING_ERROR',
  amount_too_small: 'INVALID_AMOUNT',
  amount_too_large: 'INVALID_AMOUNT',
  invalid_amount: 'INVALID_AMOUNT',
  duplicate_transaction: 'DUPLICATE_TRANSACTION',
};

/** Maps Stripe's decline code to a reason that overdue conditions can use. Unknown codes become OTHER. */
export function paymentResponseOf(code: string | null | undefined): PaymentResponse {
  return (Object.hasOwn(reasons, code ?? '') ? reasons[code ?? ''] : undefined) ?? PaymentResponse.OTHER;
}

/** Number of decimal digits of amounts in Stripe's API, for currencies in which it differs from ISO 4217. */
const SENT_DIGITS: Readonly<Partial<Record<Currency, number>>> = {
  // Stripe uses no decimals for these currencies, although ISO 4217 does.
  MGA: 0,
  // For these currencies, the API requires two decimals, and both must be 0.
  ISK: 2,
  UGX: 2,
};
/**
 * Smallest units in which Stripe accepts amounts, for currencies that have three decimals in ISO 4217 or are used
 * without decimals.
 */
const EVEN_TO: Readonly<Partial<Record<Currency, number>>> = {
  BHD: 10,
  IQD: 10,
  JOD: 10,
  KWD: 10,
  LYD: 10,
  OMR: 10,
  TND: 10,
  ISK: 100,
  UGX: 100,
};

/** Returns the amount in the unit of Stripe's API. Returns null if the amount cannot be converted exactly. */
export function sentAmount(amount: Decimal, currency: Currency): number | null {
  const units = amount.times(decimal(10).pow(digitsOf(currency)));
  const evenTo = EVEN_TO[currency] ?? 1;
  if (!units.isInteger() || !units.mod(evenTo).isZero()) return null;
  const sent = units.toNumber();
  return Number.isSafeInteger(sent) ? sent : null;
}

/** Converts an amount from the unit of Stripe's API to the unit of the currency. */
export function readAmount(units: number, currency: Currency): Decimal {
  return decimal(units).div(decimal(10).pow(digitsOf(currency)));
}

function digitsOf(currency: Currency) {
  return SENT_DIGITS[currency] ?? minorUnits(currency);
}

/** Metadata keys on Stripe's objects. The gateway uses them to find its own objects. */
export const TENANT = 'billwright_tenant';
export const ACCOUNT = 'billwright_account';
export const PAYMENT = 'billwright_payment';
export const TRANSACTION = 'billwright_transaction';
export const TYPE = 'billwright_type';
export const PAYMENT_METHOD = 'billwright_payment_method';

/** Metadata as Stripe returns it, or null for deleted objects. */
export type StoredMetadata = Readonly<Record<string, string>> | null | undefined;

export type FirstType = 'AUTHORIZE' | 'PURCHASE';

export function accountMetadata(tenantId: Uuid, accountId: Uuid): Record<string, string> {
  return { [TENANT]: tenantId, [ACCOUNT]: accountId };
}

/** Returns the metadata of the object that a transaction creates. */
export function transactionMetadata(
  tenantId: Uuid,
  { accountId, paymentId, transactionId }: GatewayTransaction,
  type: FirstType | 'REFUND',
): Record<string, string> {
  const ofAccount = accountMetadata(tenantId, accountId);
  return { ...ofAccount, [PAYMENT]: paymentId, [TRANSACTION]: transactionId, [TYPE]: type };
}

/**
 * Returns the metadata key that marks a capture or void on its payment intent. It is within Stripe's limit of 40
 * characters.
 */
export function markOf(type: 'capture' | 'void', transactionId: Uuid): string {
  return `${type}-${transactionId.replaceAll('-', '')}`;
}

/** Returns the captures or voids that are marked on a payment intent, with their values. */
export function marksOf(
  type: 'capture' | 'void',
  metadata: StoredMetadata,
): readonly (readonly [Uuid, string])[] {
  return Object.entries(metadata ?? {}).flatMap(([key, value]) => {
    if (!key.startsWith(`${type}-`)) return [];
    const id = key.slice(type.length + 1).replace(UNHYPHENED, '$1-$2-$3-$4-$5');
    return isUuid(id) ? [[id, value] as const] : [];
  });
}

/** Returns the id stored under this metadata key, or null if the key is missing. */
export function idIn(metadata: StoredMetadata, key: string): Uuid | null {
  const id = metadata?.[key];
  return id !== undefined && isUuid(id) ? id : null;
}

const UNHYPHENED = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;
