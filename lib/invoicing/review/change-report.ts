import type {
  CatalogOfAccount,
  CatalogPreview,
  CatalogService,
  CatalogUpload,
  CatalogVersion,
} from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { Account, CallContext, StoredCursor } from '../../records/index.ts';
import { wantedSignal } from '../../runtime/index.ts';
import { BillingError } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { ACCOUNTS_PER_CATALOG_CHANGE_PAGE } from '../../values/limits.ts';
import { addDays, type Instant, type LocalDate, localDateOf, minDate } from '../../values/time/index.ts';
import type { StreamRequest } from '../evaluation/billing-streams.ts';
import {
  type ChangeReportPart,
  type ChangeReportTotals,
  priceDifferences,
} from '../evaluation/price-differences.ts';
import { type LoadedStreams, loadStreams } from '../loading/load-streams.ts';
import type { InvoicingConfigOf } from '../proposals/invoicing-config.ts';

type Catalogs = Pick<CatalogService, 'cache' | 'preview'>;

/** Operations that report the changes of a catalog before its upload. They store nothing. */
export function changeReports(
  ports: Pick<Ports, 'storage' | 'scopes'>,
  catalogs: Catalogs,
  configOf: InvoicingConfigOf,
) {
  /**
   * @param wanted Signal that is aborted when the reader disconnects. It is checked on every page, because many pages
   * may yield no part of the report.
   */
  async function* partsOf(
    context: CallContext,
    { errors, warnings, added }: CatalogPreview,
    wanted: AbortSignal | undefined,
  ): AsyncGenerator<ChangeReportPart> {
    yield { kind: 'SUMMARY', errors, warnings };
    let totals: ChangeReportTotals = { subscriptions: 0, changedSubscriptions: 0, unbillableAccounts: 0 };
    if (added.length > 0) {
      for await (const accounts of pagesOf(ports, context)) {
        wanted?.throwIfAborted();
        const page = await compareAccounts(context, accounts, added);
        yield* page.parts;
        totals = sumOf(totals, page.totals);
      }
    }
    yield { kind: 'TOTAL', ...totals };
  }

  function compareAccounts(
    context: CallContext,
    accounts: readonly Account[],
    added: readonly CatalogVersion[],
  ) {
    const { tenant, createdDate: now } = context;
    const accountIds = accounts.map((account) => account.id);
    const requests = accounts.map((account) => ({ account, targetDate: localDateOf(now, account.timeZone) }));
    return ports.storage.read(tenant, async (session) => {
      const config = await configOf(session);
      const load = (catalogOf: CatalogOfAccount) =>
        loadStreams(session, { requests, catalogOf, config, choice: 'all' });
      const before = await load(await catalogs.cache.catalogsOf(session, accountIds));
      const after = await load(await catalogs.cache.candidatesOf(session, accountIds, added));
      return pageOf(before, after, now);
    });
  }

  return {
    changeReport: async (
      context: CallContext,
      document: CatalogUpload,
    ): Promise<AsyncIterable<ChangeReportPart>> =>
      partsOf(context, await catalogs.preview(context, document), wantedSignal(ports)),
  };
}

async function* pagesOf(
  { storage }: Pick<Ports, 'storage'>,
  { tenant }: CallContext,
): AsyncGenerator<readonly Account[]> {
  const limit = ACCOUNTS_PER_CATALOG_CHANGE_PAGE;
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page: { readonly afterRecordId: number; readonly limit: number } = { afterRecordId: after, limit };
    const found: readonly Account[] = await storage.read(tenant, ({ accounts }) => accounts.findAfter(page));
    if (found.length > 0) yield found;
    after = found.length < limit ? undefined : found.at(-1)?.recordId;
  }
}

function pageOf(before: LoadedStreams<StreamRequest>, after: LoadedStreams<StreamRequest>, now: Instant) {
  const beforeOf = new Map(before.streams.map((stream) => [stream.request.account.id, stream]));
  const cursorOf = new Map(before.cursors.map((cursor) => [cursor.subscriptionId, cursor]));
  const parts: ChangeReportPart[] = [];
  const changed = new Set<Uuid>();
  let subscriptions = 0;
  for (const candidate of after.streams) {
    const { account, targetDate: today } = candidate.request;
    const current = beforeOf.get(account.id);
    const { ends } = current ?? candidate;
    for (const [subscriptionId, events] of candidate.bySubscription) {
      const end = ends.get(subscriptionId);
      if (end !== undefined && end.at <= now) continue;
      subscriptions += 1;
      const billed = findLastBilledDay(cursorOf.get(subscriptionId), today);
      const was = current?.bySubscription.get(subscriptionId) ?? [];
      for (const difference of priceDifferences(was, events, billed)) {
        changed.add(subscriptionId);
        const change = { ...difference, accountId: account.id, currency: account.currency };
        parts.push({ kind: 'PRICE_CHANGE', change });
      }
    }
  }
  const unbillable = unbillableOf(before, after);
  const totals = { subscriptions, changedSubscriptions: changed.size, unbillableAccounts: unbillable.length };
  return { parts: [...parts, ...unbillable], totals };
}

/** Returns the last day up to which fixed prices are known to be billed, or null if there is no such day. */
function findLastBilledDay(cursor: StoredCursor | undefined, today: LocalDate): LocalDate | null {
  if (cursor === undefined || cursor.settledThrough === null) return null;
  const settled = minDate(cursor.settledThrough, today);
  return cursor.dirtyFrom === null ? settled : minDate(settled, addDays(cursor.dirtyFrom, -1));
}

/** Returns the accounts that can be billed now but not after the upload. */
function unbillableOf(
  before: LoadedStreams<StreamRequest>,
  after: LoadedStreams<StreamRequest>,
): readonly Extract<ChangeReportPart, { kind: 'UNBILLABLE' }>[] {
  const failing = new Set(before.failures.map(({ request }) => request.account.id));
  return after.failures
    .filter(({ request }) => !failing.has(request.account.id))
    .map(({ request, error }) => {
      if (!(error instanceof BillingError)) throw error;
      return { kind: 'UNBILLABLE', accountId: request.account.id, message: error.message };
    });
}

function sumOf(one: ChangeReportTotals, other: ChangeReportTotals): ChangeReportTotals {
  return {
    subscriptions: one.subscriptions + other.subscriptions,
    changedSubscriptions: one.changedSubscriptions + other.changedSubscriptions,
    unbillableAccounts: one.unbillableAccounts + other.unbillableAccounts,
  };
}
