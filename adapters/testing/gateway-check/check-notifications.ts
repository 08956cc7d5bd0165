import {
  type GatewayDispute,
  isCurrency,
  isUuid,
  type NotificationAnswer,
  parseWireDecimal,
} from '../../../lib/index.ts';
import { type Called, formatValue, type GatewayCaller, type SignedNotification } from './gateway-caller.ts';

interface Signed {
  readonly rawBody: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: string;
}

/** Checks hosted pages and signed notifications (payments §11). */
export async function checkNotifications(caller: GatewayCaller): Promise<void> {
  await checkForm(caller);
  const genuine = caller.options.notification;
  if (caller.gateway.verifyNotification !== undefined) await checkSignatures(caller, genuine);
  if (caller.gateway.processNotification !== undefined && genuine !== undefined)
    await checkProcessing(caller, normalizeNotification(genuine));
}

async function checkForm(caller: GatewayCaller): Promise<void> {
  const { gateway, accountId } = caller;
  if (gateway.buildFormDescriptor === undefined) return;
  const request = { accountId, customFields: [], properties: [] };
  const form = await caller.value('buildFormDescriptor', request);
  if (form === undefined) return;
  if (form?.kbAccountId !== accountId)
    caller.wrong(
      `buildFormDescriptor returns the form of account ${formatValue(form?.kbAccountId)} instead of the requested account`,
    );
  const url = form?.formUrl;
  if (typeof url === 'string' && !URL.canParse(url))
    caller.wrong(`buildFormDescriptor returns the invalid URL ${formatValue(url)}`);
}

async function checkSignatures(caller: GatewayCaller, genuine?: SignedNotification): Promise<void> {
  const bare = { rawBody: new TextEncoder().encode('{}'), headers: {}, query: '' };
  await expectRefused(caller, bare, 'a notification without any signature');
  if (genuine === undefined) {
    caller.note(
      'verifyNotification was not tested with a genuine notification: set the option `notification`',
    );
    return;
  }
  const signed = normalizeNotification(genuine);
  const called = await caller.call('verifyNotification', signed);
  if (called.kind !== 'VALUE' || called.value !== true) {
    caller.wrong(`verifyNotification rejects a genuine notification (${descriptionOf(called)})`);
    return;
  }
  const changedBody = Uint8Array.from([...signed.rawBody, 0x20]);
  await expectRefused(caller, { ...signed, rawBody: changedBody }, 'a wrong signature: the body was changed');
  await expectRefused(caller, { ...signed, headers: {}, query: '' }, 'a body without its signature');
  const forgeries = Object.entries(signed.headers).map(([name, value]) => [name, changeLastCharacter(value)]);
  const headers = Object.fromEntries(forgeries);
  const query = signed.query === '' ? '' : changeLastCharacter(signed.query);
  await expectRefused(caller, { ...signed, headers, query }, 'a wrong signature');
}

async function expectRefused(caller: GatewayCaller, signed: Signed, what: string): Promise<void> {
  const called = await caller.call('verifyNotification', signed);
  if (called.kind !== 'VALUE' || called.value === false) return;
  caller.wrong(
    called.value === true
      ? `verifyNotification takes ${what}`
      : `verifyNotification returns ${formatValue(called.value)} for ${what} instead of false`,
  );
}

/** Processes a notification twice. The second time must change nothing, because processors repeat notifications. */
async function checkProcessing(caller: GatewayCaller, { rawBody }: Signed): Promise<void> {
  const request = { body: new TextDecoder().decode(rawBody), properties: [] };
  const first = await caller.value('processNotification', request);
  if (first === undefined) return;
  for (const flaw of notificationFlaws(first)) caller.wrong(`processNotification ${flaw}`);
  const second = await caller.value('processNotification', request);
  if (second !== undefined && (second.status ?? 200) !== (first.status ?? 200)) {
    caller.wrong(
      `processNotification returns ${second.status ?? 200} for a repeated notification, but returned ${first.status ?? 200} before`,
    );
  }
}

function notificationFlaws(answer: NotificationAnswer): readonly string[] {
  const { status, kbPaymentId, entity, dispute } = answer;
  const flaws: string[] = [];
  if (dispute !== undefined && dispute !== null) {
    if (kbPaymentId === undefined) flaws.push('reports a dispute without its payment');
    if (!isDispute(dispute)) flaws.push(`returns the invalid dispute ${formatValue(dispute)}`);
  }
  if (status !== undefined && !(Number.isInteger(status) && status >= 200 && status <= 599))
    flaws.push(`returns the status ${formatValue(status)}, which is not between 200 and 599`);
  if (kbPaymentId !== undefined && !isUuid(kbPaymentId))
    flaws.push(`returns the invalid payment id ${formatValue(kbPaymentId)}`);
  if (entity !== undefined && entity !== null && typeof entity !== 'string')
    flaws.push('returns an entity that is not text');
  return flaws;
}

function isDispute({ reference, amount, currency, stands }: GatewayDispute): boolean {
  if (typeof reference !== 'string' || reference === '' || typeof stands !== 'boolean') return false;
  const parsed = parseWireDecimal(String(amount));
  return parsed?.isPositive() === true && !parsed.isZero() && isCurrency(currency);
}

function normalizeNotification({ rawBody, headers, query = '' }: SignedNotification): Signed {
  const bytes = typeof rawBody === 'string' ? new TextEncoder().encode(rawBody) : rawBody;
  return { rawBody: bytes, headers, query };
}

/** Returns the text with its last character changed. */
function changeLastCharacter(text: string): string {
  return `${text.slice(0, -1)}${text.endsWith('0') ? '1' : '0'}`;
}

function descriptionOf(called: Called<unknown>): string {
  if (called.kind === 'THROW') return `it throws "${called.message}"`;
  return called.kind === 'TIMEOUT' ? 'it returns nothing' : `it returns ${formatValue(called.value)}`;
}
