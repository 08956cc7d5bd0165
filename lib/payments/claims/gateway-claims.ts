import type {
  GatewayDispute,
  GatewayPage,
  GatewayPaymentMethod,
  GatewayResult,
  HostedForm,
  NotificationAnswer,
  PaymentMethodDetails,
  PluginStatus,
} from '../../ports/index.ts';
import type { PluginProperty, TransactionType } from '../../records/index.ts';
import type { HostInput } from '../../values/host-values/index.ts';
import { isUuid, type Uuid } from '../../values/ids/index.ts';
import {
  MAX_EXTERNAL_KEY_CHARACTERS,
  MAX_FRACTION_DIGITS,
  MAX_INTEGER_DIGITS,
  MAX_NUMBER_CHARACTERS,
} from '../../values/limits.ts';
import {
  type Currency,
  type Decimal,
  isCurrency,
  parseWireDecimal,
  roundToCurrency,
  roundToScale,
} from '../../values/money/index.ts';
import { isStorable, madeStorable } from '../../values/text/index.ts';

/** Maximum number of stored characters of a gateway's message or reference. */
const MAX_GATEWAY_TEXT_CHARACTERS = 4_096;

export interface ClaimedMethod {
  /** The id of the payment method in the engine, or null if the gateway does not store this id. */
  readonly paymentMethodId: Uuid | null;
  /**
   * The id that the gateway assigned to the method. It need not be a valid key. The value is null if the gateway
   * assigned no id.
   */
  readonly gatewayId: string | null;
  readonly isDefault: boolean;
}

/**
 * Returns text from a plugin, truncated to the maximum stored length. Invalid characters become U+FFFD. Returns null if
 * the text cannot be read.
 */
export function gatewayText(text: unknown): string | null {
  const claimed = claimedText(text);
  return claimed === null ? null : madeStorable(claimed.slice(0, MAX_GATEWAY_TEXT_CHARACTERS));
}

/** Returns any value as text. Throws if the conversion of an object throws. */
function claimedText(value: unknown) {
  if (value === undefined || value === null) return null;
  try {
    return String(value);
  } catch {
    return null;
  }
}

/** Returns a gateway's properties. Omits properties without a key. */
export function gatewayProperties(
  properties: readonly PluginProperty[] | null | undefined,
): readonly PluginProperty[] {
  if (!Array.isArray(properties)) return [];
  return properties.flatMap((property: PluginProperty | null | undefined) => {
    const key = gatewayText(property?.key);
    if (key === null) return [];
    return [{ key, value: gatewayText(property?.value), isUpdatable: property?.isUpdatable === true }];
  });
}

/** Reads the details of a payment method from a gateway. Returns null if they are invalid. */
export function claimedDetail(detail: PaymentMethodDetails | null | undefined): PaymentMethodDetails | null {
  if (typeof detail !== 'object' || detail === null) return null;
  return {
    externalPaymentMethodId: gatewayText(detail.externalPaymentMethodId),
    isDefaultPaymentMethod: detail.isDefaultPaymentMethod === true,
    properties: gatewayProperties(detail.properties),
  };
}

/**
 * A gateway's result whose fields are not validated yet. It omits the gateway's dates, which the engine does not use.
 */
export interface ClaimedResult extends Omit<GatewayResult, 'createdDate' | 'effectiveDate'> {
  readonly kbPaymentId: Uuid;
  readonly kbTransactionPaymentId: Uuid;
  readonly transactionType: TransactionType;
  readonly status?: PluginStatus;
  readonly currency?: Currency;
}

/**
 * Reads a gateway's result for one transaction. Reads each field only once. Converts objects, such as decimals of any
 * library, to text. Returns null if the result cannot be read.
 */
export function claimedResult(result: unknown): ClaimedResult | null {
  if (typeof result !== 'object' || result === null) return null;
  try {
    const claimed: Partial<ClaimedResult> = result;
    const members = resultMembers.flatMap((name) => {
      const value = claimed[name];
      return value === undefined ? [] : [[name, isObject(value) ? String(value) : value] as const];
    });
    const read: Claims = Object.fromEntries(members);
    read.properties = gatewayProperties(claimed.properties);
    return read as ClaimedResult;
  } catch {
    return null;
  }
}

function isObject(value: unknown) {
  return typeof value === 'object' && value !== null;
}

type Claims = Partial<Record<keyof ClaimedResult, unknown>>;

const resultMembers = [
  'kbPaymentId',
  'kbTransactionPaymentId',
  'transactionType',
  'status',
  'amount',
  'currency',
  'gatewayError',
  'gatewayErrorCode',
  'firstPaymentReferenceId',
  'secondPaymentReferenceId',
  'paymentResponse',
] as const satisfies readonly (keyof ClaimedResult)[];

/** The transactions that a gateway lists for a payment. A transaction that cannot be read is null. */
export type ClaimedResults = readonly (ClaimedResult | null)[];

/** Reads the transactions that a gateway lists for a payment. Returns null if the value is not a list. */
export function claimedResults(results: unknown): ClaimedResults | null {
  return Array.isArray(results) ? Array.from(results, claimedResult) : null;
}

export function lastClaimOf(results: ClaimedResults, transactionId: Uuid): ClaimedResult | undefined {
  return results.findLast((each) => each?.kbTransactionPaymentId === transactionId) ?? undefined;
}

/** Reads a gateway's list of an account's payment methods. Returns null if the list cannot be read. */
export function claimedMethods(
  methods: readonly HostInput<GatewayPaymentMethod>[] | null | undefined,
): readonly ClaimedMethod[] | null {
  if (!Array.isArray(methods)) return null;
  const claimed = methods.map((method: HostInput<GatewayPaymentMethod> | null | undefined) =>
    claimedMethod(method),
  );
  return claimed.every((method) => method !== null) ? claimed : null;
}

function claimedMethod(method: HostInput<GatewayPaymentMethod> | null | undefined): ClaimedMethod | null {
  if (typeof method !== 'object' || method === null) return null;
  const id = String(method.paymentMethodId ?? '').toLowerCase();
  if (id !== '' && !isUuid(id)) return null;
  return {
    paymentMethodId: id === '' ? null : id,
    gatewayId: claimedId(method.externalPaymentMethodId),
    isDefault: method.isDefault === true,
  };
}

/** Returns the id that the gateway assigned to a payment method, or null if it is not a valid key. */
export function claimedKey(id: unknown): string | null {
  const text = claimedId(id);
  if (text === null || text.length > MAX_EXTERNAL_KEY_CHARACTERS) return null;
  return isStorable(text) ? text : null;
}

/** Returns the id that the gateway assigned to a payment method, unchanged, if it is a string or number. */
function claimedId(id: unknown) {
  if (typeof id !== 'string' && typeof id !== 'number') return null;
  return String(id).slice(0, MAX_GATEWAY_TEXT_CHARACTERS) || null;
}

/**
 * Reads a page of a gateway's search results: ids of the engine, and the total number of hits. Returns null if the page
 * cannot be read.
 */
export function claimedHits(
  page: GatewayPage<HostInput<GatewayPaymentMethod>> | null | undefined,
): { readonly ids: readonly Uuid[]; readonly total: number } | null {
  if (typeof page !== 'object' || page === null || !Array.isArray(page.rows)) return null;
  const ids = page.rows.flatMap((row: HostInput<GatewayPaymentMethod> | null | undefined) => {
    const id = String(row?.paymentMethodId ?? '').toLowerCase();
    return isUuid(id) ? [id] : [];
  });
  const total = Number(page.total);
  return { ids, total: Number.isSafeInteger(total) && total >= 0 ? total : page.rows.length };
}

const limits = { integerDigits: MAX_INTEGER_DIGITS, fractionDigits: MAX_NUMBER_CHARACTERS };

/** Reads an amount from a plugin, which may use any decimal type. Returns undefined for an invalid amount. */
export function claimedAmount(given: unknown): Decimal | undefined {
  return parseWireDecimal(String(given), limits);
}

/**
 * Returns the amount in whole minor units (§2.2). If the amount equals `asked`, returns it unchanged, because amounts
 * in older data may have more digits.
 */
export function roundClaimedAmount(
  amount: Decimal,
  { currency, asked }: { readonly currency: Currency | null; readonly asked: Decimal | null },
): Decimal {
  if (asked?.equals(amount)) return asked;
  return currency === null ? roundToScale(amount, MAX_FRACTION_DIGITS) : roundToCurrency(amount, currency);
}

/** A dispute that a gateway reported, after validation. */
export interface ClaimedDispute extends GatewayDispute {
  readonly amount: Decimal;
  readonly currency: Currency;
}

/**
 * Reads a dispute from a gateway (§11.2 rule 3). Returns null if there is no dispute, and undefined if it cannot be
 * read.
 */
export function claimedDispute(claimed: unknown): ClaimedDispute | null | undefined {
  if (claimed === null) return null;
  if (typeof claimed !== 'object' || claimed === undefined) return undefined;
  const { reference: id, amount: given, currency, stands }: Partial<GatewayDispute> = claimed;
  const reference = claimedKey(id);
  const stated = claimedAmount(given);
  if (typeof currency !== 'string' || !isCurrency(currency) || typeof stands !== 'boolean') return undefined;
  const amount = stated && roundClaimedAmount(stated, { currency, asked: null });
  if (reference === null || amount === undefined || !amount.isPositive() || amount.isZero()) return undefined;
  return { reference, amount, currency, stands };
}

/** A call that returned no value, so that its effect is unknown. */
export type GatewayFailure =
  | { readonly kind: 'TIMEOUT'; readonly timeoutMs: number }
  | { readonly kind: 'GATEWAY_ERROR'; readonly message: string; readonly cause?: unknown }
  | { readonly kind: 'FAULT'; readonly message: string; readonly cause?: unknown };

/** The reply to one gateway call (§2.2). */
export type GatewayReply<T> = { readonly kind: 'VALUE'; readonly value: T } | GatewayFailure;

/** The outcome of a query about one transaction. Only RESULT and NEVER_RECEIVED are certain. */
export type CallOutcome =
  | { readonly kind: 'RESULT'; readonly result: ClaimedResult }
  /**
   * The transaction did not happen. Either no call was made, or a gateway that lists all transactions does not list it.
   */
  | { readonly kind: 'NEVER_RECEIVED'; readonly message: string }
  | { readonly kind: 'NO_RESULT' }
  | GatewayFailure;

export function operationOutcome(reply: GatewayReply<ClaimedResult | null>): CallOutcome {
  if (reply.kind !== 'VALUE') return reply;
  return reply.value == null ? { kind: 'NO_RESULT' } : { kind: 'RESULT', result: reply.value };
}

/** Returns the reason why a call returned no readable result. Returns undefined for an unregistered gateway. */
export function failureOf(reply: GatewayReply<unknown> | undefined): string {
  switch (reply?.kind) {
    case undefined:
      return 'it is not registered';
    case 'VALUE':
      return 'its answer cannot be read';
    case 'TIMEOUT':
      return `no answer within ${reply.timeoutMs} ms`;
    case 'GATEWAY_ERROR':
    case 'FAULT':
      return reply.message;
  }
}

/** Maximum number of characters in a gateway's response to a notification. */
const MAX_NOTIFICATION_ANSWER_CHARACTERS = 1_048_576;
const MAX_NOTIFICATION_HEADERS = 32;
const MAX_NOTIFICATION_HEADER_CHARACTERS = 2_048;

/** Maximum number of characters in a hosted form's fields as JSON. */
const MAX_HOSTED_FORM_CHARACTERS = 256 * 1_024;

/** The HTTP response to a gateway's notification (§11.2). */
export interface NotificationAnswerView {
  readonly paymentId: Uuid | null;
  /** HTTP status, from 200 to 599. */
  readonly status: number;
  readonly entity: string | null;
  /** Headers by name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

const DEFAULT_STATUS = 200;
const LOWEST_STATUS = 200;
const HIGHEST_STATUS = 599;

/**
 * Matches header names. According to RFC 9110 §5.1 and §5.5, a name is a token, and a value is visible text without
 * line breaks.
 */
const headerName = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
const headerValue = /^[\x20-\x7e\t]*$/;

/**
 * Headers that a gateway cannot set. They control the connection and the framing, or would let a browser store or share
 * server data.
 */
const ownHeaders: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'content-length',
  'content-encoding',
  'content-range',
  'date',
  'server',
  'set-cookie',
  'set-cookie2',
  'clear-site-data',
  'strict-transport-security',
  'alt-svc',
  'x-request-id',
]);
const ownPrefixes = ['access-control-', 'proxy-', 'x-service-', 'x-killbill-'];

export interface ClaimedNotification {
  readonly answer: NotificationAnswerView;
  readonly leftOut: readonly string[];
  readonly dispute: ClaimedDispute | null;
}

/** Reads the HTTP response that a gateway returned. Returns null if it is invalid. */
export function claimedAnswer(
  answer: HostInput<NotificationAnswer> | null | undefined,
): ClaimedNotification | null {
  if (typeof answer !== 'object' || answer === null) return null;
  const status = answer.status ?? DEFAULT_STATUS;
  if (!Number.isInteger(status) || status < LOWEST_STATUS || status > HIGHEST_STATUS) return null;
  const entity = answer.entity ?? null;
  if (entity !== null && typeof entity !== 'string') return null;
  if (entity !== null && entity.length > MAX_NOTIFICATION_ANSWER_CHARACTERS) return null;
  const dispute = answer.dispute === undefined ? null : claimedDispute(answer.dispute);
  if (dispute === undefined) return null;
  const { kbPaymentId } = answer;
  const paymentId = typeof kbPaymentId === 'string' && isUuid(kbPaymentId) ? kbPaymentId : null;
  const { headers, leftOut } = claimedHeaders(answer.headers);
  return { answer: { paymentId, status, entity, headers }, leftOut, dispute };
}

function claimedHeaders(claimed: unknown) {
  const headers: Record<string, string> = Object.create(null);
  const leftOut: string[] = [];
  const entries = typeof claimed === 'object' && claimed !== null ? Object.entries(claimed) : [];
  let taken = 0;
  for (const [given, value] of entries.slice(0, MAX_NOTIFICATION_HEADERS * 2)) {
    const name = given.toLowerCase();
    if (taken < MAX_NOTIFICATION_HEADERS && isTheirs(name) && isHeaderValue(value)) {
      headers[name] = value;
      taken += 1;
    } else leftOut.push(name.slice(0, MAX_NOTIFICATION_HEADER_CHARACTERS));
  }
  return { headers, leftOut };
}

function isTheirs(name: string) {
  if (!headerName.test(name) || ownHeaders.has(name)) return false;
  return !ownPrefixes.some((prefix) => name.startsWith(prefix));
}

function isHeaderValue(value: unknown): value is string {
  return (
    typeof value === 'string' && value.length <= MAX_NOTIFICATION_HEADER_CHARACTERS && headerValue.test(value)
  );
}

/** The data of a gateway's hosted page, on which the customer pays or adds a method (§11). */
export interface HostedFormView {
  readonly kbAccountId: Uuid;
  readonly formMethod: string | null;
  readonly formUrl: string | null;
  readonly formFields: Readonly<Record<string, unknown>> | null;
  readonly properties: Readonly<Record<string, unknown>> | null;
}

/**
 * Reads the form that a gateway returned, with a limited amount of JSON. Returns null if it is invalid. The account is
 * always the requested account, regardless of the gateway's response.
 */
export function claimedForm(
  form: HostInput<HostedForm> | null | undefined,
  kbAccountId: Uuid,
): HostedFormView | null {
  if (typeof form !== 'object' || form === null) return null;
  const formFields = jsonObject(form.formFields);
  const properties = jsonObject(form.properties);
  if (formFields === undefined || properties === undefined) return null;
  const { formMethod, formUrl } = form;
  return {
    kbAccountId,
    formMethod: gatewayText(formMethod),
    formUrl: gatewayText(formUrl),
    formFields,
    properties,
  };
}

/** Returns a JSON copy of the value, or undefined if the value is invalid or too large. */
function jsonObject(value: unknown) {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'object' || Array.isArray(value)) return undefined;
  const text = jsonOf(value);
  return text === null || text.length > MAX_HOSTED_FORM_CHARACTERS ? undefined : JSON.parse(text);
}

function jsonOf(value: object) {
  try {
    return JSON.stringify(value) ?? null;
  } catch {
    return null; // The value contains itself, or a value that JSON does not support.
  }
}
