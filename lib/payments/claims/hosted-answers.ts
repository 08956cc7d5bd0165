import type { GatewayDispute, HostedForm, NotificationAnswer } from '../../ports/index.ts';
import { isUuid, type Uuid } from '../../values/ids/index.ts';
import { claimedDispute, gatewayText } from './gateway-claims.ts';

/** What a gateway may answer to a notification: characters of the answer, headers, and characters of each. */
const MAX_NOTIFICATION_ANSWER_CHARACTERS = 1_048_576;
const MAX_NOTIFICATION_HEADERS = 32;
const MAX_NOTIFICATION_HEADER_CHARACTERS = 2_048;

/** Characters of the fields of a gateway's own page, as JSON. */
const MAX_HOSTED_FORM_CHARACTERS = 256 * 1_024;

/** What is answered to a gateway's notification (§11.2). */
export interface NotificationAnswerView {
  /** The payment that the gateway says it is about. */
  readonly paymentId: Uuid | null;
  /** 200–599. */
  readonly status: number;
  readonly entity: string | null;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

const DEFAULT_STATUS = 200;
const LOWEST_STATUS = 200;
const HIGHEST_STATUS = 599;

/** RFC 9110 §5.1 and §5.5: a name is a token, a value is visible text without ends of lines. */
const headerName = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
const headerValue = /^[\x20-\x7e\t]*$/;

/**
 * Headers that are not a gateway's to set: those of the connection and of the framing of the answer, and those with which
 * a browser would keep or share something of this server.
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

/** What a gateway claims of a notification. */
export interface ClaimedNotification {
  readonly answer: NotificationAnswerView;
  /** Names of headers that are left out. */
  readonly leftOut: readonly string[];
  /** Null = none is told of. */
  readonly dispute: GatewayDispute | null;
}

/** What a gateway claims as its answer; null if it cannot be read. */
export function claimedAnswer(answer: NotificationAnswer | null | undefined): ClaimedNotification | null {
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

function isTheirs(name: string): boolean {
  if (!headerName.test(name) || ownHeaders.has(name)) return false;
  return !ownPrefixes.some((prefix) => name.startsWith(prefix));
}

function isHeaderValue(value: unknown): value is string {
  return (
    typeof value === 'string' && value.length <= MAX_NOTIFICATION_HEADER_CHARACTERS && headerValue.test(value)
  );
}

/** What a page of the gateway's own needs, on which the customer pays or adds a method (§11). */
export interface HostedFormView {
  readonly kbAccountId: Uuid;
  readonly formMethod: string | null;
  readonly formUrl: string | null;
  readonly formFields: Readonly<Record<string, unknown>> | null;
  readonly properties: Readonly<Record<string, unknown>> | null;
}

/**
 * What a gateway claims about its form; null if it cannot be read. The account is the one that was asked for, whatever the
 * gateway says; members are taken as JSON, a bounded amount of it.
 */
export function claimedForm(form: HostedForm | null | undefined, kbAccountId: Uuid): HostedFormView | null {
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

/** The object as JSON has it; undefined = it is none, or too large. */
function jsonObject(value: unknown): Readonly<Record<string, unknown>> | null | undefined {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'object' || Array.isArray(value)) return undefined;
  const text = jsonOf(value);
  return text === null || text.length > MAX_HOSTED_FORM_CHARACTERS ? undefined : JSON.parse(text);
}

function jsonOf(value: object): string | null {
  try {
    return JSON.stringify(value) ?? null;
  } catch {
    return null; // it contains itself, or what JSON does not have
  }
}
