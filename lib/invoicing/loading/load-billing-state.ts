import type { CatalogOfAccount } from '../../catalog/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import type {
  CoverageRow,
  DayUsage,
  InvoiceItem,
  ItemBasis,
  StoredCursor,
  StoredUsageInterval,
} from '../../records/index.ts';
import { dirtiedFrom } from '../../subscriptions/index.ts';
import { SystemKey } from '../../tenants/index.ts';
import {
  type BilledInterval,
  type FreedPoints,
  LateMode,
  NO_TERMS,
  piecesNeeded,
  readUsageTerms,
  type UsagePiece,
  type UsageTerms,
  usageSettings,
} from '../../usage/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { LocalDate, TimeZone } from '../../values/time/index.ts';
import type { AccountStream, BillingRequest } from '../evaluation/account-streams.ts';
import {
  type AccountBilling,
  type DraftingRequest,
  missingItemIdsOfAccount,
  runInput,
} from '../evaluation/evaluate-account.ts';
import type { SubscriptionBilling } from '../evaluation/evaluate-subscription.ts';
import type { DayMarks, SubscriptionUsage } from '../evaluation/evaluate-usage.ts';
import { isBehind, keptUntil } from '../evaluation/last-evaluation.ts';
import { originOf, type UsageSupplies, withSupply } from '../evaluation/source-usage.ts';
import { billedIntervals, freedPoints } from '../evaluation/stored-intervals.ts';
import type { Draft } from '../invoices/new-invoice.ts';
import type { InvoicingConfig } from '../proposals/invoicing-config.ts';
import { windowOf } from '../proposals/window.ts';
import { type LoadInput, loadStreams } from './load-streams.ts';

/** The loaded accounts, and those whose events cannot be built (a missing price, damaged events). */
interface LoadedBillingState {
  readonly billings: readonly AccountBilling[];
  readonly failures: readonly { readonly request: BillingRequest; readonly error: unknown }[];
  /** For stored subscriptions. */
  readonly recordIds: ReadonlyMap<Uuid, number>;
}

interface LoadBillingInput extends LoadInput<BillingRequest> {
  readonly config: InvoicingConfig;
  /** For walks over several target dates the first of them, null = any; default: each request's own. */
  readonly earliestTargetDateOf?: (request: BillingRequest) => LocalDate | null;
  /** Usage from sources; OPEN = they are to be called. Default: all usage is recorded. */
  readonly supplies?: UsageSupplies | 'OPEN' | null;
}

/**
 * Loads what the runs of these accounts need: the due subscriptions, their events, and the coverage of their windows,
 * in a constant number of queries for any number of accounts (§7.2 step 4).
 */
export async function loadBillingState(
  session: ReadSession,
  input: LoadBillingInput,
): Promise<LoadedBillingState> {
  const { cursors, recordIds, streams, failures } = await loadStreams(session, input);
  const changes = new Map(streams.flatMap((stream) => [...stream.changes]));
  const cursorOf = new Map(
    cursors.map((cursor) => {
      const date = changes.get(cursor.subscriptionId);
      return [cursor.subscriptionId, date === undefined ? cursor : dirtiedFrom(cursor, [date])];
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
  const billings = streams.map((stream) => billingOf(stream, { cursorOf, rows, catalogOf }));
  if (input.leavesOutUsage === true) return { billings, failures, recordIds };
  return {
    billings: await withUsage(session, billings, { config: config.usage, recordIds, supplies }),
    failures,
    recordIds,
  };
}

// Shared, since most of very many subscriptions have none.
const NO_ROWS: readonly CoverageRow[] = [];

const NO_ITEMS: SubscriptionBilling['items'] = new Map();

interface LoadedParts {
  readonly cursorOf: ReadonlyMap<Uuid, StoredCursor>;
  readonly rows: ReadonlyMap<Uuid, readonly CoverageRow[]>;
  readonly catalogOf: CatalogOfAccount;
}

function billingOf(
  stream: AccountStream<BillingRequest>,
  { cursorOf, rows, catalogOf }: LoadedParts,
): AccountBilling {
  const catalog = catalogOf(stream.request.account.id);
  const subscriptions = [...stream.bySubscription].map(([subscriptionId, events]): SubscriptionBilling => {
    const cursor = cursorOf.get(subscriptionId);
    return {
      subscriptionId,
      ongoing: stream.ongoing.get(subscriptionId) ?? null,
      events,
      cursor: cursor ?? null,
      keptUntil: cursor === undefined ? null : keptUntil(cursor, catalog),
      rows: rows.get(subscriptionId) ?? NO_ROWS,
      items: NO_ITEMS,
      itemsCreatedToday: itemsOn(stream.request.runDate, cursor),
    };
  });
  return {
    ...stream.request,
    newBillCycleDay: stream.newBillCycleDay,
    skipped: stream.skipped,
    billedAlone: stream.billedAlone,
    subscriptions,
    behind: subscriptions.flatMap(({ subscriptionId }) => {
      const cursor = cursorOf.get(subscriptionId);
      return cursor !== undefined && isBehind(cursor, catalog) ? [cursor] : [];
    }),
    catalogRevision: catalog.revision,
  };
}

/** The subscription's number of items on that day; each day counts from 0 (§8.4 rule 2). */
function itemsOn(day: LocalDate, cursor: StoredCursor | undefined): number {
  return cursor?.itemsDate === day ? cursor.itemsCount : 0;
}

/**
 * Loads the items that these runs will repair, with all of their rows (§7.2 rule 6). Accounts without changes repair
 * nothing and cost no statement.
 */
export async function withRepairedItems(
  session: ReadSession,
  billings: readonly AccountBilling[],
  config: InvoicingConfig,
): Promise<readonly AccountBilling[]> {
  const itemIds = billings.flatMap((billing) => itemIdsToRepair(billing, config));
  return itemIds.length === 0 ? billings : withItems(session, billings, itemIds);
}

async function withItems(
  session: ReadSession,
  billings: readonly AccountBilling[],
  itemIds: readonly Uuid[],
): Promise<readonly AccountBilling[]> {
  const [foundItems, foundRows] = await Promise.all([
    session.invoices.findItemsByIds(itemIds),
    session.invoices.loadCoverageOfItems(itemIds),
  ]);
  const items = Map.groupBy(foundItems, (item) => item.subscriptionId);
  const rows = Map.groupBy(foundRows, (row) => row.subscriptionId);
  return billings.map((billing) => ({
    ...billing,
    subscriptions: billing.subscriptions.map((subscription) =>
      joined(
        subscription,
        items.get(subscription.subscriptionId) ?? [],
        rows.get(subscription.subscriptionId) ?? [],
      ),
    ),
  }));
}

function joined(
  subscription: SubscriptionBilling,
  items: readonly InvoiceItem[],
  rows: readonly CoverageRow[],
): SubscriptionBilling {
  if (items.length === 0) return subscription;
  const loaded = new Set(items.map((item) => item.id));
  const others = subscription.rows.filter((row) => !loaded.has(row.itemId));
  return {
    ...subscription,
    items: new Map(items.map((item) => [item.id, item])),
    rows: [...others, ...rows],
  };
}

/** Loads the items of all RECURRING rows in the windows: a dry run goes from date to date, and any step may repair them. */
export async function withWindowItems(
  session: ReadSession,
  billings: readonly AccountBilling[],
): Promise<readonly AccountBilling[]> {
  const rows = billings.flatMap(({ subscriptions }) =>
    subscriptions.flatMap((subscription) => subscription.rows),
  );
  const itemIds = rows.filter((row) => row.kind === 'RECURRING').map((row) => row.itemId);
  return itemIds.length === 0 ? billings : withItems(session, billings, itemIds);
}

/** An account that cannot be evaluated needs none; its own evaluation then reports the error. */
function itemIdsToRepair(billing: AccountBilling, config: InvoicingConfig): readonly Uuid[] {
  try {
    return missingItemIdsOfAccount(runInput(billing, config));
  } catch {
    return [];
  }
}

/**
 * The drafts that each run may write to, by account id; two statements where drafts may be reused, none otherwise. An
 * account whose named draft cannot be used is left to `runInvoiceOf`, which says why.
 * @param areAllWanted true: all drafts of accounts that reuse them, the oldest first, for runs to come.
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

/** The oldest draft of each account and the named ones, of invoices in the order of their creation. */
function firstOfEach(
  found: readonly Draft['invoice'][],
  named: readonly Uuid[],
): readonly Draft['invoice'][] {
  const first = new Map([...found].reverse().map((invoice) => [invoice.accountId, invoice.id]));
  const byId = new Map(found.map((invoice) => [invoice.id, invoice]));
  return [...byId.values()].filter(({ id, accountId }) => named.includes(id) || first.get(accountId) === id);
}

interface UsageLoading {
  readonly config: InvoicingConfig['usage'];
  /** For stored subscriptions; others used nothing. */
  readonly recordIds: ReadonlyMap<Uuid, number>;
  readonly supplies: UsageSupplies | 'OPEN' | null;
}

interface Metered {
  readonly subscriptionId: Uuid;
  /** null = not stored, so nothing was recorded for it. */
  readonly subscriptionRecordId: number | null;
  readonly events: SubscriptionBilling['events'];
  readonly zone: TimeZone;
  readonly from: LocalDate | null;
  /** Whether its usage is recorded; else it is not read. */
  readonly isRecorded: boolean;
}

/**
 * Loads what was used and what is billed of it, in a constant number of statements for any number of accounts: intervals,
 * their items, sums of days, and the days that have to be read in pieces. Without usage it costs none.
 */
async function withUsage(
  session: ReadSession,
  billings: readonly AccountBilling[],
  loading: UsageLoading,
): Promise<readonly AccountBilling[]> {
  if (!billings.some(({ subscriptions }) => subscriptions.some(isMetered))) return billings;
  const terms = await loadUsageTerms(session);
  const metered = billings.flatMap((billing) => meteredOf(billing, loading, terms));
  const usages = await loadUsage(session, metered, loading.config.lateMode === LateMode.IGNORE);
  return billings.map((billing) => {
    const origin = originOf(loading.supplies, billing.account.id);
    const subscriptions = billing.subscriptions.map((subscription) => {
      const usage = usages.get(subscription.subscriptionId);
      return usage === undefined ? subscription : { ...subscription, usage: { ...usage, terms } };
    });
    const isTold = typeof origin === 'object';
    return { ...billing, subscriptions: isTold ? withSupply(subscriptions, origin) : subscriptions };
  });
}

function meteredOf(
  { account, subscriptions }: AccountBilling,
  { config, recordIds, supplies }: UsageLoading,
  terms: UsageTerms,
): readonly Metered[] {
  const isRecorded = originOf(supplies, account.id) === 'RECORDED';
  return subscriptions.flatMap((subscription): readonly Metered[] => {
    if (!isMetered(subscription)) return [];
    const { subscriptionId, events } = subscription;
    const subscriptionRecordId = recordIds.get(subscriptionId) ?? null;
    const from = readFrom(subscription, usageSettings(config, terms));
    return [{ subscriptionId, subscriptionRecordId, events, zone: account.timeZone, from, isRecorded }];
  });
}

/** True if it charges usage, or did when last billed: those charges are credited. */
function isMetered({ events, cursor }: SubscriptionBilling): boolean {
  return (cursor?.usage ?? null) !== null || events.some(({ usages }) => usages.length > 0);
}

/** If its events or the settings changed, everything is read again. */
function readFrom({ cursor }: SubscriptionBilling, settings: string): LocalDate | null {
  const reading = cursor?.usage ?? null;
  if (reading === null || cursor?.dirtyFrom !== null) return null;
  return reading.settings === settings ? reading.from : null;
}

async function loadUsage(
  session: ReadSession,
  metered: readonly Metered[],
  ignoresLate: boolean,
): Promise<ReadonlyMap<Uuid, SubscriptionUsage>> {
  const freedOf = ignoresLate ? await loadFreed(session, metered) : NONE_FREED;
  const stored = Map.groupBy(await session.usage.intervals(metered), ({ subscriptionId }) => subscriptionId);
  const storedOf = ({ subscriptionId }: Metered): readonly StoredUsageInterval[] =>
    stored.get(subscriptionId) ?? [];
  const recorded = metered.filter(hasRecords);
  const [billedOf, days] = await Promise.all([
    loadBilled(session, [...stored.values()].flat()),
    session.usage.days(
      recorded.map((each) => ({
        ...each,
        dates: [...storedOf(each), ...(freedOf.get(each.subscriptionId) ?? [])].flatMap(({ consumed }) =>
          consumed.map(({ localDate }) => localDate),
        ),
      })),
    ),
  ]);
  const daysOf = new Map(recorded.map(({ subscriptionId }, index) => [subscriptionId, days[index] ?? []]));
  const needed = metered.map((each) => {
    const billed = billedOf(storedOf(each));
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
  const pieces = new Map<Uuid, UsagePiece[]>();
  for (const [index, { subscriptionId }] of requests.entries()) {
    const own = pieces.get(subscriptionId) ?? [];
    own.push(...(found[index] ?? []));
    pieces.set(subscriptionId, own);
  }
  return new Map(
    needed.map(({ subscriptionId, zone, billed, freed, from, marks, whole }) => [
      subscriptionId,
      { zone, billed, freed, from, marks, pieces: [...whole, ...(pieces.get(subscriptionId) ?? [])] },
    ]),
  );
}

type FreedOf = ReadonlyMap<Uuid, readonly FreedPoints[]>;

const NONE_FREED: FreedOf = new Map();

/** Charges of now VOID invoices: billed again, whether their time is billed or not (usage §7.7 rule 6). */
async function loadFreed(session: ReadSession, metered: readonly Metered[]): Promise<FreedOf> {
  const stored = await session.usage.voidIntervals(metered);
  const bySubscription = Map.groupBy(stored, ({ subscriptionId }) => subscriptionId);
  return new Map([...bySubscription].map(([id, intervals]) => [id, freedPoints(intervals)]));
}

function hasRecords<One extends Metered>(one: One): one is One & { readonly subscriptionRecordId: number } {
  return one.isRecorded && one.subscriptionRecordId !== null;
}

/** A number that grows with each point that is recorded for a day, and each time that some are voided. */
export function marksOf(days: readonly DayUsage[]): DayMarks {
  const marks = new Map<LocalDate, number>();
  for (const { localDate, count, version } of days)
    marks.set(localDate, (marks.get(localDate) ?? 0) + count + version);
  return marks;
}

/** The billed parts of stored intervals; two statements. */
export async function loadBilled(
  session: ReadSession,
  stored: readonly StoredUsageInterval[],
): Promise<(intervals: readonly StoredUsageInterval[]) => readonly BilledInterval[]> {
  const itemIds = stored.flatMap((interval) => interval.itemIds);
  const [items, bases]: [readonly InvoiceItem[], ReadonlyMap<Uuid, ItemBasis>] = await Promise.all([
    session.invoices.findItemsByIds(itemIds),
    session.invoices.findItemBases(itemIds),
  ]);
  const itemOf = new Map(items.map((item) => [item.id, item]));
  return (intervals) => billedIntervals(intervals, { itemOf, bases });
}

/** The tenant's usage terms (usage §12); they were read when they were uploaded. One statement. */
export async function loadUsageTerms(session: ReadSession): Promise<UsageTerms> {
  const [stored] = await session.keyValues.find([SystemKey.USAGE_TERMS]);
  return stored === undefined ? NO_TERMS : readUsageTerms(stored.value, String(stored.recordId));
}
