import type { Account } from '../accounts/model.ts';
import type { CatalogOfAccount } from '../catalog/catalog-source.ts';
import type { CatalogWithOverrides } from '../catalog/index.ts';
import { withOverridePlans } from '../catalog/override-plans.ts';
import type { Uuid } from '../ids/index.ts';
import { ZERO } from '../money/index.ts';
import type { ReadSession } from '../ports/storage/index.ts';
import { billingEvents } from '../subscriptions/billing-events.ts';
import { planNamesOf } from '../subscriptions/lifecycle-order.ts';
import type { LifecycleEvent, Subscription } from '../subscriptions/model.ts';
import type { LocalDate } from '../time/index.ts';
import { accountBillCycleDay } from './account-bill-cycle-day.ts';
import type { BillingEvent } from './billing-event.ts';
import type { SubscriptionBilling } from './evaluate-subscription.ts';
import type { AccountInvoicingState, CoverageRow, StoredCursor } from './model.ts';
import { windowOf } from './window.ts';

/** An account that is to be invoiced up to a date. */
export interface BillingRequest {
  readonly account: Account;
  /** Effective target date (invoicing.md §8.2 step 4). */
  readonly targetDate: LocalDate;
  /** Day that the run's items count for: of a due entry its date, so that late entries do not pile up on one day. */
  readonly runDate: LocalDate;
  readonly state: AccountInvoicingState;
}

/** Everything that the evaluation of one account reads. */
export interface AccountBilling extends BillingRequest {
  /** The subscriptions that are due. */
  readonly subscriptions: readonly SubscriptionBilling[];
  /** Bill cycle day that this run gives the account, or null when it has one or needs none (invoicing.md §4 rule 4). */
  readonly newBillCycleDay: number | null;
}

/** Which subscriptions of the accounts to load. */
export type CursorChoice = 'due' | 'all';

export interface LoadInput {
  readonly requests: readonly BillingRequest[];
  readonly catalogOf: CatalogOfAccount;
  readonly choice: CursorChoice;
}

/** What was loaded, and the accounts whose events cannot be built (a missing price, damaged events). */
export interface LoadedBillingState {
  readonly billings: readonly AccountBilling[];
  readonly failures: readonly { readonly request: BillingRequest; readonly error: unknown }[];
}

/**
 * Loads what the runs of these accounts need: the due subscriptions, their events, and the coverage of their windows,
 * in a constant number of queries for any number of accounts (invoicing.md §7.2 step 4).
 */
export async function loadBillingState(
  session: ReadSession,
  { requests, catalogOf, choice }: LoadInput,
): Promise<LoadedBillingState> {
  const cursors = await loadCursors(session, requests, choice);
  const subscriptionIds = cursors.map((cursor) => cursor.subscriptionId);
  const subscriptions = await session.subscriptions.findByIds(subscriptionIds);
  const events = await session.subscriptions.findEvents(subscriptionIds);
  const plansOf = await withOverridePlans(session, {
    catalogOf,
    accountIds: requests.map(({ account }) => account.id),
    planNames: planNamesOf(events),
  });
  const { streams, failures } = streamsOf({ requests, subscriptions, events, plansOf });
  const cursorOf = new Map(cursors.map((cursor) => [cursor.subscriptionId, cursor]));
  const windows = streams.flatMap(({ bySubscription }) =>
    [...bySubscription].map(([subscriptionId, own]) => {
      const cursor = cursorOf.get(subscriptionId) ?? null;
      return { subscriptionId, from: windowOf({ events: own, cursor }).start };
    }),
  );
  const rows = Map.groupBy(await session.invoices.loadCoverage(windows), (row) => row.subscriptionId);
  return { billings: streams.map((stream) => billingOf(stream, cursorOf, rows)), failures };
}

/** State of an account before its first invoice. */
export function initialState(account: Account): AccountInvoicingState {
  return {
    accountId: account.id,
    accountRecordId: account.recordId,
    maxTargetDate: null,
    accountCBA: ZERO,
    accountBalance: ZERO,
    parked: false,
    version: 0,
  };
}

interface AccountStream {
  readonly request: BillingRequest;
  readonly newBillCycleDay: number | null;
  readonly bySubscription: ReadonlyMap<Uuid, readonly BillingEvent[]>;
}

async function loadCursors(
  session: ReadSession,
  requests: readonly BillingRequest[],
  choice: CursorChoice,
): Promise<readonly StoredCursor[]> {
  if (choice === 'all') return session.invoices.cursorsOfAccounts(requests.map(({ account }) => account.id));
  return session.invoices.dueCursors(
    requests.map(({ account, targetDate }) => ({ accountId: account.id, targetDate })),
  );
}

interface StreamsInput {
  readonly requests: readonly BillingRequest[];
  readonly subscriptions: readonly Subscription[];
  readonly events: readonly LifecycleEvent[];
  readonly plansOf: (accountId: Uuid) => CatalogWithOverrides;
}

interface Streams {
  readonly streams: readonly AccountStream[];
  readonly failures: LoadedBillingState['failures'];
}

/** One account whose events cannot be built does not keep the others from being billed. */
function streamsOf({ requests, subscriptions, events, plansOf }: StreamsInput): Streams {
  const eventsOf = Map.groupBy(events, (event) => event.subscriptionId);
  const subscriptionsOf = Map.groupBy(subscriptions, (subscription) => subscription.accountId);
  const streams: AccountStream[] = [];
  const failures: { readonly request: BillingRequest; readonly error: unknown }[] = [];
  for (const request of requests) {
    const histories = (subscriptionsOf.get(request.account.id) ?? []).map((subscription) => ({
      subscription,
      events: eventsOf.get(subscription.id) ?? [],
    }));
    try {
      streams.push(streamOf(request, histories, plansOf(request.account.id)));
    } catch (error) {
      failures.push({ request, error });
    }
  }
  return { streams, failures };
}

/**
 * Billing events of one account. An account without a bill cycle day gets that of its earliest account-aligned charge,
 * and its events are built again with it (subscriptions.md §15.2).
 */
function streamOf(
  request: BillingRequest,
  histories: Parameters<typeof billingEvents>[0]['histories'],
  plans: CatalogWithOverrides,
): AccountStream {
  const { account } = request;
  const first = billingEvents({ account, histories, plans });
  const newBillCycleDay = account.billCycleDayLocal === 0 ? accountBillCycleDay(first.events) : null;
  const { events } =
    newBillCycleDay === null
      ? first
      : billingEvents({
          account: { ...account, billCycleDayLocal: newBillCycleDay },
          histories,
          plans,
        });
  return { request, newBillCycleDay, bySubscription: Map.groupBy(events, (event) => event.subscriptionId) };
}

function billingOf(
  stream: AccountStream,
  cursorOf: ReadonlyMap<Uuid, StoredCursor>,
  rows: ReadonlyMap<Uuid, readonly CoverageRow[]>,
): AccountBilling {
  const subscriptions = [...stream.bySubscription].map(
    ([subscriptionId, events]): SubscriptionBilling => ({
      subscriptionId,
      events,
      cursor: cursorOf.get(subscriptionId) ?? null,
      rows: rows.get(subscriptionId) ?? [],
      items: new Map(),
      itemsCreatedToday: itemsOn(stream.request.runDate, cursorOf.get(subscriptionId)),
    }),
  );
  return { ...stream.request, newBillCycleDay: stream.newBillCycleDay, subscriptions };
}

/** Items that the subscription has got on that day; each day counts anew (invoicing.md §8.4 rule 2). */
export function itemsOn(day: LocalDate, cursor: StoredCursor | undefined): number {
  return cursor?.itemsDate === day ? cursor.itemsCount : 0;
}
