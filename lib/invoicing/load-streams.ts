import type { CatalogOfAccount, CatalogWithOverrides } from '../catalog/index.ts';
import { withOverridePlans } from '../catalog/index.ts';
import type { ReadSession } from '../ports/storage/index.ts';
import type {
  Account,
  AccountInvoicingState,
  BillingEvent,
  BlockingState,
  LifecycleEvent,
  OngoingCharge,
  StoredCursor,
  Subscription,
} from '../records/index.ts';
import { ProductCategory } from '../records/index.ts';
import {
  type BilledHistory,
  type BillingEventStream,
  billingEvents,
  catalogUnder,
  cursorsUnder,
  eventsUnder,
  type Hypothesis,
  planNamesOf,
  subscriptionsUnder,
} from '../subscriptions/index.ts';
import { bundlesNotInvoiced } from '../tags/control-tags.ts';
import type { Uuid } from '../values/ids/index.ts';
import type { LocalDate } from '../values/time/index.ts';
import { accountBillCycleDay } from './account-bill-cycle-day.ts';
import { catalogChanges } from './catalog-changes.ts';
import type { InvoicingConfig } from './invoicing-config.ts';
import { ongoingChargeOf } from './ongoing-charge.ts';

/** An account and the date up to which it is looked at. */
export interface StreamRequest {
  readonly account: Account;
  /** Of a run the effective target date (§8.2 step 4). */
  readonly targetDate: LocalDate;
}

/** An account that is to be invoiced. */
export interface BillingRequest extends StreamRequest {
  /** Day that the run's items count for: of a due entry its date, so that late entries do not pile up on one day. */
  readonly runDate: LocalDate;
  readonly state: AccountInvoicingState;
}

/** Which subscriptions of the accounts to load. */
export type CursorChoice = 'due' | 'all';

/** What a run loads: greedy arrears can grow on any day, whatever their next due date is (§7.1). */
export function choiceOfRun({ inArrearMode }: Pick<InvoicingConfig, 'inArrearMode'>): CursorChoice {
  return inArrearMode === 'GREEDY' ? 'all' : 'due';
}

export interface LoadInput<R extends StreamRequest> {
  readonly requests: readonly R[];
  readonly catalogOf: CatalogOfAccount;
  readonly choice: CursorChoice;
  readonly alignPriceChanges: boolean;
  /** An action that is tried on the one account of the requests; its facts count as if they were stored. */
  readonly hypothesis?: Hypothesis | null;
}

/** The billing events of one account. */
export interface AccountStream<R extends StreamRequest> {
  readonly request: R;
  readonly newBillCycleDay: number | null;
  /** In the order in which the subscriptions were created; of those with an ongoing charge none. */
  readonly bySubscription: ReadonlyMap<Uuid, readonly BillingEvent[]>;
  /** Record ids of those subscriptions that their own events alone bill: of all but add-ons. */
  readonly recordIds: ReadonlyMap<Uuid, number>;
  /** Of all accounts, by subscription: what goes on as at its last evaluation. */
  readonly ongoing: ReadonlyMap<Uuid, OngoingCharge>;
  readonly ends: BillingEventStream['ends'];
  /** Subscriptions that are left out: their events do not begin with their start (subscriptions §19.2 rule 2). */
  readonly skipped: readonly Uuid[];
  /** Of subscriptions that a later catalog bills differently, the first date on which it does. */
  readonly changes: ReadonlyMap<Uuid, LocalDate>;
}

export interface AccountStreams<R extends StreamRequest> {
  readonly streams: readonly AccountStream<R>[];
  /** Accounts whose events cannot be built. */
  readonly failures: readonly { readonly request: R; readonly error: unknown }[];
}

export interface LoadedStreams<R extends StreamRequest> extends AccountStreams<R> {
  readonly cursors: readonly StoredCursor[];
}

/**
 * Loads cursors and billing events of these accounts, in a constant number of queries for any number of them. What is billed
 * as it was at its last evaluation is read with its cursor alone.
 */
export async function loadStreams<R extends StreamRequest>(
  session: ReadSession,
  input: LoadInput<R>,
): Promise<LoadedStreams<R>> {
  const { hypothesis = null } = input;
  const accounts = input.requests.map(({ account }) => account);
  const [stored, blockingStates, bundlesLeftOut] = await Promise.all([
    loadCursors(session, input),
    session.subscriptions.findBlocksOfAccounts(accounts.map(({ id }) => id)),
    bundlesNotInvoiced(session, accounts),
  ]);
  const all = hypothesis === null ? stored : cursorsUnder(hypothesis, stored);
  const allOngoing = ongoingCharges(stored, input);
  const ids = stored.map(({ subscriptionId }) => subscriptionId).filter((id) => !allOngoing.has(id));
  const [found, eventsFound] = await Promise.all([
    session.subscriptions.findByIds(ids),
    session.subscriptions.findEvents(ids),
  ]);
  const looked = hypothesis === null ? found : subscriptionsUnder(hypothesis, found);
  // They take no part, nor does what is billed of them.
  const isInvoiced = ({ bundleId }: Pick<Subscription, 'bundleId'>): boolean => !bundlesLeftOut.has(bundleId);
  const subscriptions = looked.filter(isInvoiced);
  const ongoing =
    bundlesLeftOut.size === 0
      ? allOngoing
      : new Map([...allOngoing].filter(([, charge]) => isInvoiced(charge)));
  const invoiced = new Set(subscriptions.map(({ id }) => id));
  const cursors = all.filter(({ subscriptionId: id }) => invoiced.has(id) || ongoing.has(id));
  const bases = await missingBases(session, subscriptions);
  const withBases = [...subscriptions, ...bases];
  const eventsOfBases = await session.subscriptions.findEvents(bases.map(({ id }) => id));
  const storedEvents = [
    ...eventsFound.filter(({ subscriptionId }) => invoiced.has(subscriptionId)),
    ...eventsOfBases,
  ];
  const events = hypothesis === null ? storedEvents : eventsUnder(hypothesis, storedEvents);
  const storedPlansOf = await withOverridePlans(session, {
    catalogOf: input.catalogOf,
    accountIds: accounts.map(({ id }) => id),
    planNames: planNamesOf(storedEvents),
  });
  const plansOf = (accountId: Uuid) => catalogUnder(storedPlansOf(accountId), hypothesis);
  const loaded = { cursors, ongoing, subscriptions: withBases, events, blockingStates, plansOf };
  return { cursors, ...streamsOf({ ...input, ...loaded }) };
}

/** The charges that go on, by subscription. A hypothesis, and a look at all subscriptions, goes by the events. */
function ongoingCharges(
  cursors: readonly StoredCursor[],
  { requests, catalogOf, choice, hypothesis = null }: LoadInput<StreamRequest>,
): ReadonlyMap<Uuid, OngoingCharge> {
  if (choice === 'all' || hypothesis !== null) return new Map();
  const accountOf = new Map(requests.map(({ account }) => [account.recordId, account]));
  return new Map(
    cursors.flatMap((cursor): [Uuid, OngoingCharge][] => {
      const account = accountOf.get(cursor.accountRecordId);
      const charge = account && ongoingChargeOf(cursor, { account, catalog: catalogOf(account.id) });
      return charge ? [[cursor.subscriptionId, charge]] : [];
    }),
  );
}

/** The bases of the add-ons, as far as they are not among them: cycles and ends of add-ons follow them. */
async function missingBases(
  session: ReadSession,
  subscriptions: readonly Subscription[],
): Promise<readonly Subscription[]> {
  const withBase = new Set(subscriptions.filter(isBase).map(({ bundleId }) => bundleId));
  const bundleIds = subscriptions
    .filter(({ category, bundleId }) => category === ProductCategory.ADD_ON && !withBase.has(bundleId))
    .map(({ bundleId }) => bundleId);
  if (bundleIds.length === 0) return [];
  return (await session.subscriptions.findByBundles([...new Set(bundleIds)])).filter(isBase);
}

function isBase({ category }: Subscription): boolean {
  return category === ProductCategory.BASE;
}

async function loadCursors(
  session: ReadSession,
  { requests, catalogOf, choice }: LoadInput<StreamRequest>,
): Promise<readonly StoredCursor[]> {
  if (choice === 'all') return session.invoices.cursorsOfAccounts(requests.map(({ account }) => account.id));
  return session.invoices.dueCursors(
    requests.map(({ account, targetDate }) => ({
      accountId: account.id,
      targetDate,
      catalogRevision: catalogOf(account.id).revision,
    })),
  );
}

/** What the events of accounts are built from. */
export interface StreamsInput<R extends StreamRequest> {
  readonly requests: readonly R[];
  readonly alignPriceChanges: boolean;
  readonly cursors: readonly StoredCursor[];
  readonly ongoing: ReadonlyMap<Uuid, OngoingCharge>;
  /** Those of the other cursors, and the bases of their add-ons. */
  readonly subscriptions: readonly Subscription[];
  readonly events: readonly LifecycleEvent[];
  readonly blockingStates: readonly BlockingState[];
  readonly plansOf: (accountId: Uuid) => CatalogWithOverrides;
}

/** One account whose events cannot be built does not keep the others from being billed. */
export function streamsOf<R extends StreamRequest>(input: StreamsInput<R>): AccountStreams<R> {
  const { requests, cursors, subscriptions, events } = input;
  const statesOf = Map.groupBy(input.blockingStates, (state) => state.blockedId);
  const eventsOf = Map.groupBy(events, (event) => event.subscriptionId);
  const cursorsOf = Map.groupBy(cursors, (cursor) => cursor.accountRecordId);
  const subscriptionsOf = Map.groupBy(subscriptions, (subscription) => subscription.accountId);
  const streams: AccountStream<R>[] = [];
  const failures: { readonly request: R; readonly error: unknown }[] = [];
  for (const request of requests) {
    const histories = (subscriptionsOf.get(request.account.id) ?? []).map((subscription) => ({
      subscription,
      events: eventsOf.get(subscription.id) ?? [],
      blockingStates: [request.account.id, subscription.bundleId, subscription.id].flatMap(
        (id) => statesOf.get(id) ?? [],
      ),
    }));
    try {
      const catalog = input.plansOf(request.account.id);
      const own = cursorsOf.get(request.account.recordId) ?? [];
      streams.push(streamOf(request, { ...input, catalog, histories, cursors: own }));
    } catch (error) {
      failures.push({ request, error });
    }
  }
  return { streams, failures };
}

interface StreamInput extends Pick<StreamsInput<StreamRequest>, 'alignPriceChanges' | 'ongoing'> {
  readonly catalog: CatalogWithOverrides;
  readonly histories: readonly LoadedHistory[];
  readonly cursors: readonly StoredCursor[];
}

interface LoadedHistory extends BilledHistory {
  readonly subscription: Subscription;
}

/**
 * Billing events of one account. An account without a bill cycle day gets that of its earliest account-aligned charge,
 * and its events are built again with it (subscriptions §15.2).
 */
function streamOf<R extends StreamRequest>(request: R, input: StreamInput): AccountStream<R> {
  const { account } = request;
  const { histories, catalog, alignPriceChanges } = input;
  const first = billingEvents({ account, histories, plans: catalog, alignPriceChanges });
  const newBillCycleDay = account.billCycleDayLocal === 0 ? accountBillCycleDay(first.events) : null;
  const billed = newBillCycleDay === null ? account : { ...account, billCycleDayLocal: newBillCycleDay };
  const stream =
    newBillCycleDay === null
      ? first
      : billingEvents({ account: billed, histories, plans: catalog, alignPriceChanges });
  const bySubscription = eventsBySubscription(stream, input);
  const changes = catalogChanges({ ...input, account: billed, bySubscription });
  const { ends, skipped } = stream;
  const recordIds = new Map(
    histories.flatMap(({ subscription: { id, recordId, category } }) =>
      category === ProductCategory.ADD_ON ? [] : [[id, recordId]],
    ),
  );
  const { ongoing } = input;
  return { request, newBillCycleDay, bySubscription, recordIds, ongoing, ends, skipped, changes };
}

const NO_EVENTS: readonly BillingEvent[] = [];

/**
 * The events of the subscriptions that are asked for. One that is blocked from its start on has none, and what was billed of
 * it before is to be repaired.
 */
function eventsBySubscription(
  { events, skipped }: BillingEventStream,
  { histories, cursors, ongoing }: StreamInput,
): ReadonlyMap<Uuid, readonly BillingEvent[]> {
  const found = Map.groupBy(events, (event) => event.subscriptionId);
  const recordIds = new Map(histories.map(({ subscription: { id, recordId } }) => [id, recordId]));
  const leftOut = new Set(skipped);
  return new Map(
    cursors
      .flatMap(({ subscriptionId: id }) => {
        const charge = ongoing.get(id);
        if (charge !== undefined) return { id, recordId: charge.subscriptionRecordId, events: NO_EVENTS };
        const recordId = recordIds.get(id);
        return recordId === undefined || leftOut.has(id)
          ? []
          : { id, recordId, events: found.get(id) ?? NO_EVENTS };
      })
      .sort((a, b) => a.recordId - b.recordId)
      .map((each) => [each.id, each.events]),
  );
}
