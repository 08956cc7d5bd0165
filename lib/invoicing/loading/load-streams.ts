import { type CatalogOfAccount, withOverridePlans } from '../../catalog/index.ts';
import { bundlesNotInvoiced } from '../../control-tags/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import {
  type OngoingCharge,
  ProductCategory,
  type StoredCursor,
  type Subscription,
} from '../../records/index.ts';
import {
  blockingStatesUnder,
  catalogUnder,
  cursorsUnder,
  eventsUnder,
  type Hypothesis,
  planNamesOf,
  subscriptionsUnder,
} from '../../subscriptions/index.ts';
import { usageSettings } from '../../usage/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type AccountStreams, type StreamRequest, streamsOf } from '../evaluation/billing-streams.ts';
import { ongoingChargeOf } from '../evaluation/last-evaluation.ts';
import type { InvoicingConfig } from '../proposals/invoicing-config.ts';

export interface LoadInput<R extends StreamRequest> {
  readonly requests: readonly R[];
  readonly catalogOf: CatalogOfAccount;
  readonly config: Pick<InvoicingConfig, 'alignPriceChanges' | 'inArrearMode' | 'usage'>;
  /** Selects all subscriptions. By default, only subscriptions that are due are loaded. */
  readonly choice?: 'all';
  /** True: also returns the children's items of a parent's summary. Default false. */
  readonly leavesOutUsage?: boolean;
  /** A hypothetical action on the only account of the requests. Its facts count as if they were stored. */
  readonly hypothesis?: Hypothesis | null;
}

export interface LoadedStreams<R extends StreamRequest> extends AccountStreams<R> {
  readonly cursors: readonly StoredCursor[];
  /** Record ids of the loaded subscriptions that are stored. */
  readonly recordIds: ReadonlyMap<Uuid, number>;
}

/**
 * Loads cursors and billing events of these accounts in a constant number of queries. For a subscription with an
 * ongoing charge, the cursor is sufficient.
 */
export async function loadStreams<R extends StreamRequest>(
  session: ReadSession,
  input: LoadInput<R>,
): Promise<LoadedStreams<R>> {
  const { hypothesis = null } = input;
  const accounts = input.requests.map(({ account }) => account);
  const [stored, storedStates, bundlesLeftOut] = await Promise.all([
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
  // Bundles that are not invoiced, and their billed items, are ignored.
  const isInvoiced = ({ bundleId }: Pick<Subscription, 'bundleId'>): boolean => !bundlesLeftOut.has(bundleId);
  const subscriptions = looked.filter(isInvoiced);
  const ongoing =
    bundlesLeftOut.size === 0
      ? allOngoing
      : new Map([...allOngoing].filter(([, { event }]) => isInvoiced(event)));
  const invoiced = new Set(subscriptions.map(({ id }) => id));
  const cursors = all.filter(({ subscriptionId: id }) => invoiced.has(id) || ongoing.has(id));
  const bases = await missingBases(session, subscriptions);
  const withBases = [...subscriptions, ...bases];
  const eventsOfBases = await session.subscriptions.findEvents(bases.map(({ id }) => id));
  const ofInvoiced = eventsFound.filter(({ subscriptionId }) => invoiced.has(subscriptionId));
  const storedEvents = [...ofInvoiced, ...eventsOfBases];
  const events = hypothesis === null ? storedEvents : eventsUnder(hypothesis, storedEvents);
  const storedPlansOf = await withOverridePlans(session, {
    catalogOf: input.catalogOf,
    accountIds: accounts.map(({ id }) => id),
    planNames: planNamesOf(storedEvents),
  });
  const plansOf = (accountId: Uuid) => catalogUnder(storedPlansOf(accountId), hypothesis);
  const blockingStates = hypothesis === null ? storedStates : blockingStatesUnder(hypothesis, storedStates);
  const { alignPriceChanges } = input.config;
  const loaded = { cursors, ongoing, subscriptions: withBases, events, blockingStates, plansOf };
  const recordIds = new Map(found.map(({ id, recordId }) => [id, recordId]));
  return { cursors, recordIds, ...streamsOf({ ...input, ...loaded, alignPriceChanges }) };
}

/**
 * Returns the ongoing charges by subscription. The map is empty with a hypothesis, and for a load of all
 * subscriptions, because both use the events.
 */
function ongoingCharges(cursors: readonly StoredCursor[], input: LoadInput<StreamRequest>) {
  const { requests, catalogOf, hypothesis = null } = input;
  if (areAllLoaded(input) || hypothesis !== null) return new Map();
  const accountOf = new Map(requests.map(({ account }) => [account.recordId, account]));
  return new Map(
    cursors.flatMap((cursor): [Uuid, OngoingCharge][] => {
      const account = accountOf.get(cursor.accountRecordId);
      const charge = account && ongoingChargeOf(cursor, { account, catalog: catalogOf(account.id) });
      return charge ? [[cursor.subscriptionId, charge]] : [];
    }),
  );
}

/** Loads the missing base subscriptions of add-ons. Cycles and ends of an add-on follow its base. */
async function missingBases(session: ReadSession, subscriptions: readonly Subscription[]) {
  const withBase = new Set(subscriptions.filter(isBase).map(({ bundleId }) => bundleId));
  const addOns = subscriptions.filter(({ category }) => category === ProductCategory.ADD_ON);
  const bundleIds = addOns.map(({ bundleId }) => bundleId).filter((id) => !withBase.has(id));
  if (bundleIds.length === 0) return [];
  return (await session.subscriptions.findByBundles([...new Set(bundleIds)])).filter(isBase);
}

function isBase({ category }: Subscription): boolean {
  return category === ProductCategory.BASE;
}

async function loadCursors(session: ReadSession, input: LoadInput<StreamRequest>) {
  const { requests, catalogOf, config, leavesOutUsage = false } = input;
  if (areAllLoaded(input))
    return session.invoices.cursorsOfAccounts(requests.map(({ account }) => account.id));
  return session.invoices.dueCursors(
    requests.map(({ account, targetDate }) => ({
      accountId: account.id,
      targetDate,
      catalogRevision: catalogOf(account.id).revision,
      usageSettings: leavesOutUsage ? null : usageSettings(config.usage),
    })),
  );
}

/**
 * Returns true if all subscriptions must be loaded. With greedy arrears, charges can grow on any day, regardless of
 * the due date (§7.1).
 */
function areAllLoaded({ choice, config }: LoadInput<StreamRequest>): boolean {
  return choice === 'all' || config.inArrearMode === 'GREEDY';
}
