import { type GatewayPage, type GatewayResult, PluginStatus, type Uuid } from '../../../lib/index.ts';
import { shown } from './answer-flaws.ts';
import type { GatewayCaller } from './gateway-caller.ts';

const PAGE = 10;

interface Search<T> {
  readonly member: 'searchPayments' | 'searchPaymentMethods';
  /** What is asked for in turn, until something is found. */
  readonly keys: readonly string[];
  readonly find: (searchKey: string, limit: number) => Promise<GatewayPage<T> | undefined>;
  readonly isHit: (row: T | null | undefined) => boolean;
}

/** Searches for the method that was added (payments §10.2). */
export async function checkMethodSearch(caller: GatewayCaller): Promise<void> {
  const { gateway, paymentMethodId, accountId, options } = caller;
  if (gateway.searchPaymentMethods === undefined) return;
  await checkSearch(caller, {
    member: 'searchPaymentMethods',
    keys: keysOf(options.search?.paymentMethod, [paymentMethodId, accountId]),
    find: (searchKey, limit) =>
      caller.value('searchPaymentMethods', async (context) =>
        gateway.searchPaymentMethods?.({ searchKey, offset: 0, limit, properties: [] }, context),
      ),
    isHit: (row) => row?.paymentMethodId === paymentMethodId,
  });
}

/** Searches for a purchase, in all ways in which customers may speak of one. */
export async function checkPaymentSearch(caller: GatewayCaller): Promise<void> {
  const { gateway, options } = caller;
  if (gateway.searchPayments === undefined) return;
  const asked = caller.asked('PURCHASE');
  const called = await caller.run(asked);
  if (called.kind !== 'VALUE' || called.value?.status !== PluginStatus.PROCESSED) return;
  const { paymentId, transactionId } = asked.request;
  await checkSearch<GatewayResult>(caller, {
    member: 'searchPayments',
    keys: keysOf(options.search?.payment?.(transactionId), namesOf(called.value)),
    find: (searchKey, limit) =>
      caller.value('searchPayments', async (context) =>
        gateway.searchPayments?.({ searchKey, offset: 0, limit, properties: [] }, context),
      ),
    isHit: (row) => row?.kbPaymentId === paymentId,
  });
}

async function checkSearch<T>(caller: GatewayCaller, search: Search<T>): Promise<void> {
  const { member, keys, find, isHit } = search;
  for (const key of keys) {
    const page = await find(key, PAGE);
    if (page === undefined || !checkPage(caller, { member, page, limit: PAGE })) return;
    if (!page.rows.some(isHit)) continue;
    const counted = await find(key, 0);
    if (counted === undefined || !checkPage(caller, { member, page: counted, limit: 0 })) return;
    if (counted.total !== page.total)
      caller.report.wrong(
        `${member} counts ${counted.total} hits where no rows are asked for, else ${page.total}`,
      );
    return;
  }
  caller.report.wrong(
    `${member} does not find what the gateway has, by none of ${keys.map(shown).join(', ')}: say in \`search\` what it finds it by`,
  );
}

/** Whether the page is one; otherwise it is found. */
function checkPage(
  { report }: GatewayCaller,
  {
    member,
    page,
    limit,
  }: { readonly member: string; readonly page: GatewayPage<unknown>; readonly limit: number },
): boolean {
  const { rows, total } = page ?? {};
  if (!Array.isArray(rows)) report.wrong(`${member} gives no rows`);
  else if (rows.length > limit)
    report.wrong(`${member} gives ${rows.length} hits where ${limit} were asked for`);
  else if (!Number.isSafeInteger(total) || total < rows.length)
    report.wrong(`${member} gives ${shown(total)} as the number of all hits`);
  else return true;
  return false;
}

function keysOf(given: string | undefined, usual: readonly string[]): readonly string[] {
  return given === undefined ? usual : [given];
}

function namesOf(result: GatewayResult): readonly string[] {
  const { kbPaymentId, kbTransactionPaymentId, firstPaymentReferenceId, secondPaymentReferenceId } = result;
  const names: readonly (string | Uuid | undefined)[] = [
    kbPaymentId,
    kbTransactionPaymentId,
    firstPaymentReferenceId,
    secondPaymentReferenceId,
  ];
  return names.flatMap((name) => name ?? []);
}
