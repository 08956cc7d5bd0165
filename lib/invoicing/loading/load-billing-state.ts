import type { CatalogOfAccount } from '../../catalog/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import type { CoverageRow, InvoiceItem, StoredCursor } from '../../records/index.ts';
import { dirtiedFrom } from '../../subscriptions/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { LocalDate } from '../../values/time/index.ts';
import type { AccountStream, BillingRequest } from '../evaluation/account-streams.ts';
import {
  type AccountBilling,
  type DraftingRequest,
  missingItemIdsOfAccount,
  runInput,
} from '../evaluation/evaluate-account.ts';
import type { SubscriptionBilling } from '../evaluation/evaluate-subscription.ts';
import { isBehind, keptUntil } from '../evaluation/last-evaluation.ts';
import { originOf, type UsageSupplies } from '../evaluation/source-usage.ts';
import type { Draft } from '../invoices/new-invoice.ts';
import type { InvoicingConfig } from '../proposals/invoicing-config.ts';
import { windowOf } from '../proposals/window.ts';
import { type LoadInput, loadStreams } from './load-streams.ts';
import { withUsage } from './load-usage.ts';

/** What was loaded, and the accounts whose events cannot be built (a missing price, damaged events). */
export interface LoadedBillingState {
  readonly billings: readonly AccountBilling[];
  readonly failures: readonly { readonly request: BillingRequest; readonly error: unknown }[];
  /** Of the subscriptions that are stored. */
  readonly recordIds: ReadonlyMap<Uuid, number>;
}

export interface LoadBillingInput extends LoadInput<BillingRequest> {
  readonly config: InvoicingConfig;
  /** For walks over several target dates the first of them, null = any; default: each request's own. */
  readonly earliestTargetDateOf?: (request: BillingRequest) => LocalDate | null;
  /** What usage sources have supplied; OPEN = they are to be asked. Default: all usage is recorded. */
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
  const loading = { config: config.usage, recordIds, originOf: (id: Uuid) => originOf(supplies, id) };
  return { billings: await withUsage(session, billings, loading), failures, recordIds };
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

/** How many items the subscription has got on that day; each day counts anew (§8.4 rule 2). */
export function itemsOn(day: LocalDate, cursor: StoredCursor | undefined): number {
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

/** An account that cannot be evaluated names none; its own evaluation then fails and says why. */
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
