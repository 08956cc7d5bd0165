import { type CatalogOfAccount, withOverridePlans } from '../../catalog/index.ts';
import { bundlesNotInvoiced } from '../../control-tags/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import {
  type BlockingState,
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
  redemptionsUnder,
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
  /** If true, also loads bundles with the tag AUTO_INVOICING_OFF. Defaults to false. */
  readonly includesNotInvoiced?: boolean;
  /** If true, usage is not loaded. Defaults to false. */
  readonly leavesOutUsage?: boolean;
  /** A hypothetical action on the account. Requires a single account. Its facts are treated as if they were stored. */
  readonly hypothesis?: Hypothesis | null;
  /** The result of `loadBillingOfAccounts` with choice `all`. If it is omitted, `loadStreams` loads the data. */
  readonly ofAccounts?: BillingOfAccounts;
}

interface BillingOfAccounts {
  readonly cursors: readonly StoredCursor[];
  readonly blockingStates: readonly BlockingState[];
}

/** Loads the account data that the streams of all subscriptions need, in the same round trip as the accounts. */
export async function loadBillingOfAccounts(
  session: ReadSession,
  accountIds: readonly Uuid[],
): Promise<BillingOfAccounts> {
  const [cursors, blockingStates] = await Promise.all([
    session.invoices.cursorsOfAccounts(accountIds),
    session.subscriptions.findBlocksOfAccounts(accountIds),
  ]);
  return { cursors, blockingStates };
}

export interface LoadedStreams<R extends StreamRequest> extends AccountStreams<R> {
  readonly cursors: readonly StoredCursor[];
  /** Record ids of the loaded subscriptions that are stored. */
  readonly recordIds: ReadonlyMap<Uuid, number>;
}

const NO_BUNDLES: ReadonlySet<Uuid> = new Set();

/**
 * Loads the cursors and billing events of these accounts in a constant number of queries. If a subscription has an
 * ongoing charge, only its cursor is loaded.
 */
export async function loadStreams<R extends StreamRequest>(
  session: ReadSession,
  input: LoadInput<R>,
): Promise<LoadedStreams<R>> {
  const { hypothesis = null } = input;
  const accounts = input.requests.map(({ account }) => account);
  const { cursors: stored, blockingStates: storedStates } =
    input.ofAccounts ?? (await loadDue(session, input));
  const all = hypothesis === null ? stored : cursorsUnder(hypothesis, stored);
  const allOngoing = ongoingCharges(stored, input);
  const ids = stored.map(({ subscriptionId }) => subscriptionId).filter((id) => !allOngoing.has(id));
  const [found, eventsFound, bundlesLeftOut, redeemed] = await Promise.all([
    session.subscriptions.findByIds(ids),
    session.subscriptions.findEvents(ids),
    input.includesNotInvoiced === true ? NO_BUNDLES : bundlesNotInvoiced(session, accounts),
    session.coupons.redemptionsOf(accounts.map(({ recordId }) => recordId)),
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
  const redemptions = hypothesis === null ? redeemed : redemptionsUnder(hypothesis, redeemed);
  const { alignPriceChanges } = input.config;
  const loaded = {
    cursors,
    ongoing,
    subscriptions: withBases,
    events,
    blockingStates,
    redemptions,
    plansOf,
  };
  const recordIds = new Map(found.map(({ id, recordId }) => [id, recordId]));
  return { cursors, recordIds, ...streamsOf({ ...input, ...loaded, alignPriceChanges }) };
}

/**
 * Returns the ongoing charges by subscription. The map is empty if there is a hypothesis or if all subscriptions are
 * loaded, because the evaluation uses the events in these cases.
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

/** Loads the missing base subscriptions of add-ons. The cycles and the end of an add-on depend on its base. */
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

/** Loads the cursors of the selected subscriptions, and the blocks of their accounts. */
async function loadDue(session: ReadSession, input: LoadInput<StreamRequest>): Promise<BillingOfAccounts> {
  const { requests, catalogOf, config, leavesOutUsage = false } = input;
  const accountIds = requests.map(({ account }) => account.id);
  if (areAllLoaded(input)) return loadBillingOfAccounts(session, accountIds);
  const due = requests.map(({ account, targetDate }) => ({
    accountId: account.id,
    targetDate,
    catalogRevision: catalogOf(account.id).revision,
    usageSettings: leavesOutUsage ? null : usageSettings(config.usage),
  }));
  const [cursors, blockingStates] = await Promise.all([
    session.invoices.dueCursors(due),
    session.subscriptions.findBlocksOfAccounts(accountIds),
  ]);
  return { cursors, blockingStates };
}

/**
 * Returns true if all subscriptions must be loaded. If `inArrear.mode` is GREEDY, charges can grow on any day,
 * regardless of the due date (§7.1).
 */
function areAllLoaded({ choice, config }: LoadInput<StreamRequest>): boolean {
  return choice === 'all' || config.inArrearMode === 'GREEDY';
}
