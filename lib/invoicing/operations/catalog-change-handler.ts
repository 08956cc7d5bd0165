import {
  type CatalogService,
  type CatalogSource,
  type ChangedPlans,
  catalogRevisionOf,
  isCatalogChange,
} from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ClaimedEntry, ReadSession, WriteSession } from '../../ports/storage/index.ts';
import { type Account, ActingComponent, BusEventType, type TenantRef } from '../../records/index.ts';
import { batchAuthorship, type HandlerBatch, type QueueHandler } from '../../runtime/index.ts';
import { markCursorDirty } from '../../subscriptions/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { ACCOUNTS_PER_CATALOG_CHANGE_PAGE, MAX_CACHED_CATALOGS } from '../../values/limits.ts';
import { type LocalDate, localDateOf, minDate } from '../../values/time/index.ts';
import type { AccountStream, StreamRequest } from '../evaluation/billing-streams.ts';
import { dueEntry, type NoticeTerms, noticeEntries } from '../evaluation/run-entries.ts';
import { loadStreams } from '../loading/load-streams.ts';
import type { InvoicingConfigOf } from '../proposals/invoicing-config.ts';

/** Number of affected accounts per page. */
const ACCOUNTS_PER_CATALOG_CHANGE_LIST = 10_000;

type Catalogs = Pick<CatalogService, 'open' | 'cache'>;

/**
 * Creates due entries after a catalog change (§7.1). Each account that is billed differently gets an entry for the
 * first affected date. This date may be in the past or before all other due dates. Accounts with subscriptions on
 * changed plans are checked page by page, without locks. The run determines the differences.
 */
export class CatalogChangeHandler implements QueueHandler {
  readonly name = 'invoice-service:catalog-change';
  readonly topics = [BusEventType.TENANT_CONFIG_CHANGE];
  readonly #ports: Pick<Ports, 'storage' | 'clock'>;
  readonly #catalogs: Catalogs;
  readonly #configOf: InvoicingConfigOf;
  /**
   * Catalog changes that have been handled. An event needs no further work if it was redelivered or if an earlier event
   * already covered its change.
   */
  readonly #handledChanges = new RevisionSpans(MAX_CACHED_CATALOGS);

  constructor(ports: Pick<Ports, 'storage' | 'clock'>, catalogs: Catalogs, configOf: InvoicingConfigOf) {
    this.#ports = ports;
    this.#catalogs = catalogs;
    this.#configOf = configOf;
  }

  async handle(batch: HandlerBatch): Promise<void> {
    const entries = batch.entries.filter((entry) => isCatalogChange(entry.payload));
    if (entries.length === 0) return;
    const span = spanOf(entries);
    if (span !== null && this.#handledChanges.has(batch.tenant.recordId, span)) return;
    const now = this.#ports.clock.now();
    const authorship = batchAuthorship(entries, ActingComponent.NEXT_BILLING_DATE, now);
    const { plans, last } = await this.#loadChangedPlans(batch.tenant, span);
    for await (const accounts of this.#accountsOn(plans, batch.tenant)) {
      const request = { tenant: batch.tenant, now, accounts: accounts.map((account) => account.id) };
      const catalogsOf = await this.#catalogs.open(request);
      await this.#ports.storage.write(batch.tenant, authorship, (session) =>
        this.#schedule(session, accounts, catalogsOf),
      );
    }
    if (span !== null) this.#handledChanges.add(batch.tenant.recordId, { first: span.first, last });
  }

  /** Returns the changes from the first revision of the span up to the newest stored revision. */
  #loadChangedPlans(tenant: TenantRef, span: RevisionSpan | null) {
    return this.#ports.storage.read(tenant, async (session) => ({
      plans: span && (await this.#catalogs.cache.changedSince(session, span.first - 1)),
      last: await session.catalogs.revision(),
    }));
  }

  async *#accountsOn(plans: ChangedPlans, tenant: TenantRef): AsyncGenerator<readonly Account[]> {
    const limit = ACCOUNTS_PER_CATALOG_CHANGE_LIST;
    for (let afterRecordId: number | undefined = 0; afterRecordId !== undefined; ) {
      const page = { afterRecordId, limit };
      const recordIds: readonly number[] = await this.#ports.storage.read(tenant, (session) =>
        listAccounts(session, plans, page),
      );
      for (let first = 0; first < recordIds.length; first += ACCOUNTS_PER_CATALOG_CHANGE_PAGE) {
        const some = recordIds.slice(first, first + ACCOUNTS_PER_CATALOG_CHANGE_PAGE);
        yield await this.#ports.storage.read(tenant, ({ accounts }) => accounts.findByRecordIds(some));
      }
      afterRecordId = recordIds.length < limit ? undefined : recordIds.at(-1);
    }
  }

  async #schedule(
    session: WriteSession,
    accounts: readonly Account[],
    catalogsOf: CatalogSource,
  ): Promise<void> {
    const now = session.authorship.createdDate;
    const requests = accounts.map((account) => {
      return { account, targetDate: localDateOf(now, account.timeZone) };
    });
    const ids = accounts.map(({ id }) => id);
    const catalogOf = await catalogsOf(session, ids);
    const config = await this.#configOf(session);
    const { noticeLeadMs: leadMs } = config;
    // If the events of an account cannot be built, the account's next run reports the error.
    const { streams } = await loadStreams(session, { requests, catalogOf, config, choice: 'all' });
    const due = streams.flatMap((stream) => dueEntriesOf(stream, { leadMs, now }));
    if (due.length > 0) session.schedule(due);
  }
}

/**
 * Returns the span of catalog revisions in these bus events. Returns null if an event has no revision, because such an
 * event may represent any change.
 */
function spanOf(entries: readonly ClaimedEntry[]) {
  const revisions = entries.map((entry) => catalogRevisionOf(entry.payload));
  const known = revisions.filter((revision) => revision !== null);
  if (known.length < revisions.length) return null;
  return { first: Math.min(...known), last: Math.max(...known) };
}

/**
 * Returns the accounts on these plans. If `plans` is null, returns accounts with subscriptions that were last evaluated
 * with an earlier catalog.
 */
async function listAccounts(
  session: ReadSession,
  plans: ChangedPlans,
  page: { readonly afterRecordId: number; readonly limit: number },
) {
  if (plans !== null) return session.invoices.accountsOnPlans({ ...page, planNames: [...plans] });
  const catalogRevision = await session.catalogs.revision();
  return session.invoices.accountsBehind({ ...page, catalogRevision });
}

function dueEntriesOf({ request: { account }, changes }: AccountStream<StreamRequest>, terms: NoticeTerms) {
  const dates: readonly LocalDate[] = [...changes.values()];
  if (dates.length === 0) return [];
  const targetDate = dates.reduce((first, date) => minDate(first, date));
  const entry = dueEntry(account, targetDate);
  return [entry, ...noticeEntries(account, { targetDate, comesAt: entry.effectiveDate }, terms)];
}

/** A span of consecutive revisions. Both ends are included. */
interface RevisionSpan {
  readonly first: number;
  readonly last: number;
}

/** Stores one span of revisions per tenant, for the most recently used tenants. */
export class RevisionSpans {
  readonly #spans = new Map<number, RevisionSpan>();
  readonly #maxTenants: number;

  constructor(maxTenants: number) {
    this.#maxTenants = maxTenants;
  }

  has(tenantRecordId: number, { first, last }: RevisionSpan): boolean {
    const known = this.#spans.get(tenantRecordId);
    return known !== undefined && known.first <= first && known.last >= last;
  }

  /** Merges the span into the tenant's span. If there is a gap between them, replaces the tenant's span. */
  add(tenantRecordId: number, span: RevisionSpan): void {
    const known = this.#spans.get(tenantRecordId);
    const joins = known !== undefined && known.first <= span.last + 1 && span.first <= known.last + 1;
    this.#spans.delete(tenantRecordId);
    this.#spans.set(
      tenantRecordId,
      joins ? { first: Math.min(known.first, span.first), last: Math.max(known.last, span.last) } : span,
    );
    const oldest = this.#spans.keys().next();
    if (this.#spans.size > this.#maxTenants && !oldest.done) this.#spans.delete(oldest.value);
  }
}

/**
 * Rebills the account's subscriptions from their start after its bill cycle day has changed (§7.1), and schedules an
 * automatic run for today (§8.1). The caller holds the account's lock.
 */
export async function billAfterMovedDay(session: WriteSession, account: Account): Promise<void> {
  const cursors = await session.invoices.cursorsOfAccounts([account.id]);
  if (cursors.length === 0) return;
  const ids = cursors.map(({ subscriptionId }) => subscriptionId);
  const subscriptions = await session.subscriptions.findByIds(ids);
  // For a transferred subscription, `alignStart` precedes the start of its billing. Rebilling from `alignStart` has the
  // same effect as rebilling from that start.
  const starts = new Map<Uuid, LocalDate>(subscriptions.map(({ id, alignStart }) => [id, alignStart.date]));
  await session.invoices.saveCursors(
    cursors.map((cursor) => {
      const from = starts.get(cursor.subscriptionId) ?? cursor.settledThrough;
      return from === null ? cursor : markCursorDirty(cursor, [from]);
    }),
  );
  if (account.currency === null) return;
  const now = session.authorship.createdDate;
  session.schedule([{ ...dueEntry(account, localDateOf(now, account.timeZone)), effectiveDate: now }]);
}
