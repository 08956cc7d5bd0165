import { type PaymentMethodDetails, PluginStatus } from '../../../lib/index.ts';
import { formatValue, type GatewayAnswer, type GatewayCaller } from './gateway-caller.ts';

/** Adds, reads, lists and searches for a payment method, using the functions that the gateway has (payments §10). */
export async function checkMethods(caller: GatewayCaller): Promise<void> {
  await add(caller);
  await checkDetail(caller);
  await checkList(caller, { isThere: true });
  await checkMethodSearch(caller);
}

/** Deletes the payment method. Runs after all payments. */
export async function checkDeletedMethod(caller: GatewayCaller): Promise<void> {
  const { gateway, accountId, paymentMethodId } = caller;
  const question = { accountId, paymentMethodId, properties: [] };
  const paymentMethods = [{ paymentMethodId, isDefault: true }];
  await caller.value('resetPaymentMethods', { accountId, paymentMethods });
  if (gateway.deletePaymentMethod === undefined) return;
  await caller.value('deletePaymentMethod', question);
  await checkList(caller, { isThere: false });
}

async function add(caller: GatewayCaller): Promise<void> {
  const { accountId, paymentMethodId, options } = caller;
  const { externalPaymentMethodId = null, properties = [] } = options.paymentMethod ?? {};
  const details = { externalPaymentMethodId, isDefaultPaymentMethod: true, properties };
  const question = { accountId, paymentMethodId, properties: [] };
  await caller.value('addPaymentMethod', { ...question, details, setDefault: true });
  await caller.value('setDefaultPaymentMethod', question);
}

async function checkDetail(caller: GatewayCaller): Promise<void> {
  const { gateway, accountId, paymentMethodId } = caller;
  if (gateway.getPaymentMethodDetail === undefined) return;
  const question = { accountId, paymentMethodId, properties: [] };
  const detail = await caller.call('getPaymentMethodDetail', question);
  if (detail.kind === 'THROW')
    caller.wrong(`getPaymentMethodDetail throws "${detail.message}" for a payment method that was added`);
  if (detail.kind !== 'VALUE') return;
  const flaw = detailFlaw(detail.value);
  if (flaw !== null) caller.wrong(`getPaymentMethodDetail ${flaw}`);
}

function detailFlaw(detail: PaymentMethodDetails | null | undefined): string | null {
  if (typeof detail !== 'object' || detail === null)
    return 'returns no detail for a payment method that was added';
  if (typeof detail.isDefaultPaymentMethod !== 'boolean')
    return 'does not specify whether the payment method is the default';
  return Array.isArray(detail.properties)
    ? null
    : 'returns no list of properties; return an empty list if there are none';
}

async function checkList(caller: GatewayCaller, { isThere }: { readonly isThere: boolean }): Promise<void> {
  const { accountId, paymentMethodId } = caller;
  const question = { accountId, refreshFromGateway: true, properties: [] };
  const listed = await caller.value('getPaymentMethods', question);
  if (listed === undefined || listed === null) return; // null = no stored methods
  if (!Array.isArray(listed)) {
    caller.wrong(`getPaymentMethods returns ${formatValue(listed)} instead of a list`);
    return;
  }
  const found = listed.some((method) => method.paymentMethodId === paymentMethodId);
  const knowsOurs = listed.some((method) => method.paymentMethodId !== undefined);
  if (isThere && !found && (knowsOurs || listed.length === 0))
    caller.wrong(
      'getPaymentMethods does not list a payment method that was added: a refresh would delete it',
    );
  if (!isThere && found)
    caller.wrong('getPaymentMethods still lists a deleted payment method: a refresh would restore it');
}

const PAGE = 10;

interface Search {
  readonly member: 'searchPayments' | 'searchPaymentMethods';
  /** Search keys, which are tried in order until one has a result. */
  readonly keys: readonly string[];
  readonly isHit: (row: {
    readonly kbPaymentId?: string;
    readonly paymentMethodId?: string | undefined;
  }) => boolean;
}

/** Searches for the added payment method (payments §10.2). */
async function checkMethodSearch(caller: GatewayCaller): Promise<void> {
  const { gateway, paymentMethodId, accountId, options } = caller;
  if (gateway.searchPaymentMethods === undefined) return;
  await checkSearch(caller, {
    member: 'searchPaymentMethods',
    keys: [options.search?.paymentMethod ?? [paymentMethodId, accountId]].flat(),
    isHit: (row) => row.paymentMethodId === paymentMethodId,
  });
}

/** Searches for a purchase by each of its ids and by each of its references. */
export async function checkPaymentSearch(caller: GatewayCaller): Promise<void> {
  const { gateway, options } = caller;
  if (gateway.searchPayments === undefined) return;
  const asked = caller.asked('PURCHASE');
  const called = await caller.run(asked);
  if (called.kind !== 'VALUE' || called.value?.status !== PluginStatus.PROCESSED) return;
  const { paymentId, transactionId } = asked.request;
  await checkSearch(caller, {
    member: 'searchPayments',
    keys: [options.search?.payment?.(transactionId) ?? namesOf(called.value)].flat(),
    isHit: (row) => row.kbPaymentId === paymentId,
  });
}

async function checkSearch(caller: GatewayCaller, { member, keys, isHit }: Search): Promise<void> {
  for (const searchKey of keys) {
    const page = await pageOf(caller, { member, searchKey, limit: PAGE });
    if (page === null) return;
    if (!page.rows.some((row) => isHit(row ?? {}))) continue;
    const counted = await pageOf(caller, { member, searchKey, limit: 0 });
    if (counted === null) return;
    if (counted.total !== page.total)
      caller.wrong(`${member} returns a total of ${counted.total} with limit 0, but ${page.total} otherwise`);
    return;
  }
  caller.wrong(
    `${member} does not find the gateway's own records by any of ${keys.map(formatValue).join(', ')}: set \`search\` to a supported search key`,
  );
}

/** Returns a page of search results. If the page is invalid, adds a finding and returns null. */
async function pageOf(
  caller: GatewayCaller,
  asked: Pick<Search, 'member'> & { readonly searchKey: string; readonly limit: number },
) {
  const { member, searchKey, limit } = asked;
  const page = await caller.value(member, { searchKey, offset: 0, limit, properties: [] });
  if (page === undefined) return null;
  const { rows, total } = page ?? {};
  if (!Array.isArray(rows)) caller.wrong(`${member} returns no rows`);
  else if (rows.length > limit)
    caller.wrong(`${member} returns ${rows.length} rows, more than the limit of ${limit}`);
  else if (!Number.isSafeInteger(total) || total < rows.length)
    caller.wrong(`${member} returns the invalid total ${formatValue(total)}`);
  else return page;
  return null;
}

function namesOf(result: GatewayAnswer): readonly string[] {
  const { kbPaymentId, kbTransactionPaymentId, firstPaymentReferenceId, secondPaymentReferenceId } = result;
  const references = [firstPaymentReferenceId, secondPaymentReferenceId].flatMap((each) => each ?? []);
  return [kbPaymentId, kbTransactionPaymentId, ...references];
}
