import type { CatalogOfAccount } from '../../catalog/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import type { CoverageRow, StoredCursor } from '../../records/index.ts';
import { dirtiedFrom } from '../../subscriptions/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { LocalDate } from '../../values/time/index.ts';
import type { AccountBilling } from '../evaluation/account-billing.ts';
import type { AccountStream, BillingRequest } from '../evaluation/account-streams.ts';
import { isBehind } from '../evaluation/catalog-changes.ts';
import type { SubscriptionBilling } from '../evaluation/evaluate-subscription.ts';
import { keptUntil } from '../evaluation/kept-as-billed.ts';
import type { UsageOrigin } from '../evaluation/usage-supply.ts';
import type { InvoicingConfig } from '../periods/invoicing-config.ts';
import { windowOf } from '../periods/window.ts';
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
  /** null = usage is left out. */
  readonly usageConfig: InvoicingConfig['usage'] | null;
  /** For walks over several target dates the first of them, null = any; default: each request's own. */
  readonly earliestTargetDateOf?: (request: BillingRequest) => LocalDate | null;
  /** Default: all usage is what is recorded. */
  readonly usageOriginOf?: (accountId: Uuid) => UsageOrigin;
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
  const { catalogOf, usageConfig: config, usageOriginOf: originOf = () => 'RECORDED' } = input;
  const billings = streams.map((stream) => billingOf(stream, { cursorOf, rows, catalogOf }));
  if (config === null) return { billings, failures, recordIds };
  return {
    billings: await withUsage(session, billings, { config, recordIds, originOf }),
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

/** How many items the subscription has got on that day; each day counts anew (§8.4 rule 2). */
export function itemsOn(day: LocalDate, cursor: StoredCursor | undefined): number {
  return cursor?.itemsDate === day ? cursor.itemsCount : 0;
}
