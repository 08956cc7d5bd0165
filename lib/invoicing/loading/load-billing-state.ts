import type { CatalogOfAccount } from '../../catalog/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import type { CoverageRow, DayUsage, StoredCursor, StoredUsageInterval } from '../../records/index.ts';
import { markCursorDirty } from '../../subscriptions/index.ts';
import { SystemKey } from '../../tenants/index.ts';
import {
  type BilledInterval,
  LateMode,
  NO_TERMS,
  piecesNeeded,
  readUsageTerms,
  type UsageTerms,
  usageSettings,
} from '../../usage/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { LocalDate, TimeZone } from '../../values/time/index.ts';
import type { AccountStream, BillingRequest } from '../evaluation/billing-streams.ts';
import {
  type AccountBilling,
  type DraftingRequest,
  missingItemIdsOfAccount,
  runInput,
} from '../evaluation/evaluate-account.ts';
import type { SubscriptionBilling } from '../evaluation/evaluate-subscription.ts';
import type { DayMarks, SubscriptionUsage } from '../evaluation/evaluate-usage.ts';
import { findKnownUntilDate, isBehind } from '../evaluation/last-evaluation.ts';
import { originOf, type UsageSupplies, withSupply } from '../evaluation/source-usage.ts';
import { billedIntervals, freedPoints } from '../evaluation/stored-intervals.ts';
import type { Draft } from '../invoices/new-invoice.ts';
import type { InvoicingConfig } from '../proposals/invoicing-config.ts';
import { windowOf } from '../proposals/window.ts';
import { type LoadInput, loadStreams } from './load-streams.ts';

interface LoadBillingInput extends LoadInput<BillingRequest> {
  readonly config: InvoicingConfig;
  /**
   * Returns the first target date of a request that is evaluated for several target dates in order. Null means any
   * date. Defaults to the request's own target date.
   */
  readonly earliestTargetDateOf?: (request: BillingRequest) => LocalDate | null;
  /**
   * Usage that sources supplied. OPEN means that the sources have not been called yet. By default, recorded usage is
   * billed.
   */
  readonly supplies?: UsageSupplies | 'OPEN' | null;
}

/**
 * Loads the data for the runs of these accounts in a constant number of queries: the due subscriptions, their events,
 * and the coverage of their windows (§7.2 step 4). `failures` contains accounts whose events cannot be built because of
 * a missing price or damaged events. `recordIds` contains the record ids of the stored subscriptions.
 */
export async function loadBillingState(session: ReadSession, input: LoadBillingInput) {
  const { cursors, recordIds, streams, failures } = await loadStreams(session, input);
  const changes = new Map(streams.flatMap((stream) => [...stream.changes]));
  const cursorOf = new Map(
    cursors.map((cursor) => {
      const date = changes.get(cursor.subscriptionId);
      return [cursor.subscriptionId, date === undefined ? cursor : markCursorDirty(cursor, [date])];
    }),
  );
  const { earliestTargetDateOf = (request: BillingRequest) => request.targetDate } = input;
  const windows = streams.flatMap(({ request, bySubscription, ongoing }) => {
    const targetDate = earliestTargetDateOf(request);
    return [...bySubscription].flatMap(([subscriptionId, events]) => {
      if (ongoing.has(subscriptionId)) return [];
      const cursor = cursorOf.get(subscriptionId) ?? null;
      return { subscriptionId, from: windowOf({ events, cursor, targetDate }).start };
    });
  });
  const rows = Map.groupBy(await session.invoices.loadCoverage(windows), (row) => row.subscriptionId);
  const { catalogOf, config, supplies = null } = input;
  const billings = streams.map((stream) => buildAccountBilling(stream, catalogOf, { cursorOf, rows }));
  if (input.leavesOutUsage === true) return { billings, failures, recordIds };
  return {
    billings: await withUsage(session, billings, { config: config.usage, recordIds, supplies }),
    failures,
    recordIds,
  };
}

// All these subscriptions share one array, because most subscriptions have no rows.
const NO_ROWS: readonly CoverageRow[] = [];

const NO_ITEMS: SubscriptionBilling['items'] = new Map();

function buildAccountBilling(
  stream: AccountStream<BillingRequest>,
  catalogOf: CatalogOfAccount,
  of: {
    readonly cursorOf: ReadonlyMap<Uuid, StoredCursor>;
    readonly rows: ReadonlyMap<Uuid, readonly CoverageRow[]>;
  },
): AccountBilling {
  const { account, runDate } = stream.request;
  const catalog = catalogOf(account.id);
  const subscriptions = [...stream.bySubscription].map(([subscriptionId, events]): SubscriptionBilling => {
    const cursor = of.cursorOf.get(subscriptionId) ?? null;
    return {
      subscriptionId,
      ongoing: stream.ongoing.get(subscriptionId) ?? null,
      events,
      cursor,
      knownUntil: cursor === null ? null : findKnownUntilDate(cursor, catalog),
      rows: of.rows.get(subscriptionId) ?? NO_ROWS,
      items: NO_ITEMS,
      // The count starts at 0 on each day (§8.4 rule 2).
      itemsCreatedToday: cursor?.itemsDate === runDate ? cursor.itemsCount : 0,
    };
  });
  return {
    ...stream.request,
    newBillCycleDay: stream.newBillCycleDay,
    skipped: stream.skipped,
    billedAlone: stream.billedAlone,
    subscriptions,
    behind: subscriptions.flatMap(({ subscriptionId }) => {
      const cursor = of.cursorOf.get(subscriptionId);
      return cursor !== undefined && isBehind(cursor, catalog) ? [cursor] : [];
    }),
    catalogRevision: catalog.revision,
  };
}

/**
 * Loads the items that these runs will repair, with all rows of these items (§7.2 rule 6). Executes no statement if
 * nothing is repaired.
 */
export async function withRepairedItems(
  session: ReadSession,
  billings: readonly AccountBilling[],
  config: InvoicingConfig,
): Promise<readonly AccountBilling[]> {
  const itemIds = billings.flatMap((billing) => {
    try {
      return missingItemIdsOfAccount(runInput(billing, config));
    } catch {
      // The account's own evaluation reports the error.
      return [];
    }
  });
  return itemIds.length === 0 ? billings : withItems(session, billings, itemIds);
}

async function withItems(
  session: ReadSession,
  billings: readonly AccountBilling[],
  itemIds: readonly Uuid[],
) {
  const [foundItems, foundRows] = await Promise.all([
    session.invoices.findItemsByIds(itemIds),
    session.invoices.loadCoverageOfItems(itemIds),
  ]);
  const items = Map.groupBy(foundItems, (item) => item.subscriptionId);
  const rows = Map.groupBy(foundRows, (row) => row.subscriptionId);
  return billings.map((billing) => ({
    ...billing,
    subscriptions: billing.subscriptions.map((subscription): SubscriptionBilling => {
      const own = items.get(subscription.subscriptionId) ?? [];
      if (own.length === 0) return subscription;
      const loaded = new Map(own.map((item) => [item.id, item]));
      const others = subscription.rows.filter((row) => !loaded.has(row.itemId));
      return {
        ...subscription,
        items: loaded,
        rows: [...others, ...(rows.get(subscription.subscriptionId) ?? [])],
      };
    }),
  }));
}

/** Loads the items of all RECURRING rows in the windows, because any step of a dry run may repair them. */
export async function withWindowItems(
  session: ReadSession,
  billings: readonly AccountBilling[],
): Promise<readonly AccountBilling[]> {
  const rows = billings.flatMap(({ subscriptions }) => subscriptions.flatMap((each) => each.rows));
  const itemIds = recurringItemIds(rows);
  return itemIds.length === 0 ? billings : withItems(session, billings, itemIds);
}

/** Returns the ids of the items that a run may repair. An item with several rows appears several times. */
export function recurringItemIds(rows: readonly CoverageRow[]): readonly Uuid[] {
  return rows.filter((row) => row.kind === 'RECURRING').map((row) => row.itemId);
}

/**
 * Loads the drafts that each run may write to, by account id. Takes two statements if drafts may be reused, otherwise
 * none. `runInvoiceOf` rejects specified drafts that cannot be used.
 * @param areAllWanted If true, loads all drafts of accounts that reuse them, oldest first, for later runs.
 */
export async function loadDrafts(
  session: ReadSession,
  requests: readonly DraftingRequest[],
  { areAllWanted = false }: { readonly areAllWanted?: boolean } = {},
): Promise<ReadonlyMap<Uuid, readonly Draft[]>> {
  const oldest = requests.filter(({ drafting }) => drafting?.reusesDraft).map(({ account }) => account.id);
  const named = requests.flatMap(({ drafting }) => drafting?.draftId ?? []);
  const found = [
    ...(oldest.length === 0 ? [] : await session.invoices.findDrafts(oldest)),
    ...(named.length === 0 ? [] : await session.invoices.findByIds(named)),
  ];
  if (found.length === 0) return new Map();
  const wanted = areAllWanted ? found : firstOfEach(found, named);
  const items = await session.invoices.findItems(wanted.map(({ id }) => id));
  const itemsOf = Map.groupBy(items, ({ invoiceId }) => invoiceId);
  const drafts = wanted.map((invoice): Draft => ({ invoice, items: itemsOf.get(invoice.id) ?? [] }));
  return Map.groupBy(drafts, ({ invoice }) => invoice.accountId);
}

/**
 * Returns the oldest draft of each account, and the drafts that were requested by id. `found` must be in creation
 * order.
 */
function firstOfEach(found: readonly Draft['invoice'][], named: readonly Uuid[]) {
  const first = new Map([...found].reverse().map((invoice) => [invoice.accountId, invoice.id]));
  const byId = new Map(found.map((invoice) => [invoice.id, invoice]));
  return [...byId.values()].filter(({ id, accountId }) => named.includes(id) || first.get(accountId) === id);
}

interface Metered {
  readonly subscriptionId: Uuid;
  /**
   * The record id of the subscription, or null if the subscription is not stored and therefore has no recorded usage.
   */
  readonly subscriptionRecordId: number | null;
  readonly events: SubscriptionBilling['events'];
  readonly zone: TimeZone;
  readonly from: LocalDate | null;
  /** True if usage is recorded for the subscription. False if a source supplies its usage. */
  readonly isRecorded: boolean;
}

/**
 * Loads recorded and billed usage in a constant number of statements: intervals, their items, daily sums, and the days
 * that must be read in smaller pieces. Executes no statement if no subscription has usage.
 */
async function withUsage(
  session: ReadSession,
  billings: readonly AccountBilling[],
  loading: {
    readonly config: InvoicingConfig['usage'];
    readonly recordIds: ReadonlyMap<Uuid, number>;
    readonly supplies: UsageSupplies | 'OPEN' | null;
  },
) {
  const { config, recordIds, supplies } = loading;
  if (!billings.some(({ subscriptions }) => subscriptions.some(isMetered))) return billings;
  const terms = await loadUsageTerms(session);
  const settings = usageSettings(config, terms);
  const metered = billings.flatMap(({ account: { id, timeZone }, subscriptions }) => {
    const isRecorded = originOf(supplies, id) === 'RECORDED';
    return subscriptions.filter(isMetered).map(({ subscriptionId, events, cursor }): Metered => {
      const subscriptionRecordId = recordIds.get(subscriptionId) ?? null;
      const from = readFrom(cursor, settings);
      return { subscriptionId, subscriptionRecordId, events, zone: timeZone, from, isRecorded };
    });
  });
  const usages = await loadUsage(session, metered, config.lateMode === LateMode.IGNORE);
  return billings.map((billing) => {
    const origin = originOf(supplies, billing.account.id);
    const subscriptions = billing.subscriptions.map((subscription) => {
      const usage = usages.get(subscription.subscriptionId);
      return usage === undefined ? subscription : { ...subscription, usage: { ...usage, terms } };
    });
    return {
      ...billing,
      subscriptions: typeof origin === 'object' ? withSupply(subscriptions, origin) : subscriptions,
    };
  });
}

/**
 * Returns true if the subscription charges usage now or charged usage in its last bill. In the latter case, the
 * charges are credited.
 */
function isMetered({ events, cursor }: SubscriptionBilling): boolean {
  return (cursor?.usage ?? null) !== null || events.some(({ usages }) => usages.length > 0);
}

/**
 * Returns the first day whose usage must be read. If the events or the settings have changed, all usage is read again.
 */
function readFrom(cursor: SubscriptionBilling['cursor'], settings: string): LocalDate | null {
  const reading = cursor?.usage ?? null;
  return reading?.settings === settings && cursor?.dirtyFrom === null ? reading.from : null;
}

async function loadUsage(session: ReadSession, metered: readonly Metered[], ignoresLate: boolean) {
  // Charges of VOID invoices are billed again even if their period is already billed (usage §7.7 rule 6).
  const freedIntervals = ignoresLate ? await session.usage.voidIntervals(metered) : [];
  const freedBy = Map.groupBy(freedIntervals, ({ subscriptionId }) => subscriptionId);
  const freedOf = new Map([...freedBy].map(([id, intervals]) => [id, freedPoints(intervals)]));
  const stored = Map.groupBy(await session.usage.intervals(metered), ({ subscriptionId }) => subscriptionId);
  const findStoredIntervals = ({ subscriptionId }: Metered) => stored.get(subscriptionId) ?? [];
  const recorded = metered.filter(hasRecords);
  const [billedOf, days] = await Promise.all([
    loadBilled(session, [...stored.values()].flat()),
    session.usage.days(
      recorded.map((each) => ({
        ...each,
        dates: [...findStoredIntervals(each), ...(freedOf.get(each.subscriptionId) ?? [])].flatMap(
          ({ consumed }) => consumed.map(({ localDate }) => localDate),
        ),
      })),
    ),
  ]);
  const daysOf = new Map(recorded.map(({ subscriptionId }, index) => [subscriptionId, days[index] ?? []]));
  const needed = metered.map((each) => {
    const billed = billedOf(findStoredIntervals(each));
    const own = daysOf.get(each.subscriptionId) ?? [];
    const marks = each.isRecorded ? marksOf(own) : null;
    const freed = freedOf.get(each.subscriptionId) ?? [];
    const needed = piecesNeeded({ ...each, billed: [...billed, ...freed], days: own });
    return { ...each, billed, freed, marks, ...needed };
  });
  const requests = needed
    .filter(hasRecords)
    .flatMap(({ subscriptionId, subscriptionRecordId, split }) =>
      split.map((request) => ({ ...request, subscriptionId, subscriptionRecordId })),
    );
  const found = await session.usage.pieces(requests);
  const pieces = Map.groupBy(
    requests.map(({ subscriptionId }, index) => ({ subscriptionId, own: found[index] ?? [] })),
    ({ subscriptionId }) => subscriptionId,
  );
  return new Map(
    needed.map(({ subscriptionId, zone, billed, freed, from, marks, whole }): [Uuid, SubscriptionUsage] => {
      const split = (pieces.get(subscriptionId) ?? []).flatMap(({ own }) => own);
      return [subscriptionId, { zone, billed, freed, from, marks, pieces: [...whole, ...split] }];
    }),
  );
}

function hasRecords<One extends Metered>(one: One): one is One & { readonly subscriptionRecordId: number } {
  return one.isRecorded && one.subscriptionRecordId !== null;
}

/**
 * Returns a version number for each day. The number grows with each usage point that is recorded or voided on that day.
 */
export function marksOf(days: readonly DayUsage[]): DayMarks {
  const marks = new Map<LocalDate, number>();
  for (const { localDate, count, version } of days)
    marks.set(localDate, (marks.get(localDate) ?? 0) + count + version);
  return marks;
}

/** Loads the billed amounts of stored intervals in two statements. */
export async function loadBilled(
  session: ReadSession,
  stored: readonly StoredUsageInterval[],
): Promise<(intervals: readonly StoredUsageInterval[]) => readonly BilledInterval[]> {
  const itemIds = stored.flatMap((interval) => interval.itemIds);
  const [items, bases] = await Promise.all([
    session.invoices.findItemsByIds(itemIds),
    session.invoices.findItemBases(itemIds),
  ]);
  const itemOf = new Map(items.map((item) => [item.id, item]));
  return (intervals) => billedIntervals(intervals, { itemOf, bases });
}

/** Loads the tenant's usage terms (usage §12) in one statement. The terms were validated when they were uploaded. */
export async function loadUsageTerms(session: ReadSession): Promise<UsageTerms> {
  const [stored] = await session.keyValues.find([SystemKey.USAGE_TERMS]);
  return stored === undefined ? NO_TERMS : readUsageTerms(stored.value, String(stored.recordId));
}
