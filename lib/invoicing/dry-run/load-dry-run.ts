import { noSuchAccount } from '../../accounts/index.ts';
import { effectsOnAccounts, TagEffect } from '../../control-tags/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import type { Account } from '../../records/index.ts';
import {
  checkBundleOwner,
  loadBundle,
  loadHypothesis,
  loadSubscription,
  notInBundle,
  notOfAccount,
} from '../../subscriptions/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { localDateOf } from '../../values/time/index.ts';
import type { AccountBilling } from '../evaluation/account-billing.ts';
import type { IsWatched } from '../evaluation/dry-run-walk.ts';
import { draftingOf } from '../invoices/drafting.ts';
import { initialState } from '../invoices/invoice-amounts.ts';
import { invoicingCurrency } from '../invoices/new-invoice.ts';
import { loadAwaitedRuns } from '../loading/load-awaited-runs.ts';
import { loadBillingState } from '../loading/load-billing-state.ts';
import { type DebtsInput, loadDebts } from '../loading/load-debts.ts';
import { loadDrafts } from '../loading/load-drafts.ts';
import { withWindowItems } from '../loading/load-repaired-items.ts';
import { effectiveTargetDate } from '../periods/target-date.ts';
import { type CheckedDryRun, DryRunType } from './dry-run-request.ts';
import { type Begun, type Common, dryRunOf, type LoadedDryRun, type LoadingTools } from './loaded-dry-run.ts';

/** Which dry run of an account is asked for. */
export interface AskedOfAccount {
  readonly accountId: Uuid;
  readonly wanted: CheckedDryRun;
}

export interface DryRunInput extends AskedOfAccount, LoadingTools {}

/** Dry runs by account; those that cannot be are among the failures, unless there is no such account. */
export interface LoadedDryRuns {
  readonly loaded: ReadonlyMap<Uuid, LoadedDryRun>;
  readonly failures: ReadonlyMap<Uuid, unknown>;
}

/**
 * Loads what leads to the invoice that a run would make (§11). Reads one snapshot, takes no lock and writes nothing.
 * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), CURRENCY_INVALID (3),
 * INVOICE_TARGET_DATE_TOO_FAR_IN_THE_FUTURE (4005), those of a hypothetical action, and 1081, 1082, 1020 for ids that are not
 * the account's.
 */
export async function loadDryRun(session: ReadSession, input: DryRunInput): Promise<LoadedDryRun> {
  const { loaded, failures } = await loadDryRuns(session, [input], input);
  const found = loaded.get(input.accountId);
  if (found !== undefined) return found;
  throw failures.get(input.accountId) ?? noSuchAccount(input.accountId);
}

/**
 * The same for many accounts, in a constant number of statements where dates are asked for. An action, or the next invoice,
 * is asked for of one account alone.
 */
export async function loadDryRuns(
  session: ReadSession,
  asked: readonly AskedOfAccount[],
  tools: LoadingTools,
): Promise<LoadedDryRuns> {
  const { asksSources = false } = tools;
  const ids = asked.map(({ accountId }) => accountId);
  const [accounts, states, tags, config, catalogOf] = await Promise.all([
    session.accounts.findByIds(ids),
    session.invoices.loadStates(ids),
    effectsOnAccounts(session, ids),
    tools.configOf(session),
    tools.catalogsOf(session, ids),
  ]);
  const common = { tags, config, catalogOf, states: new Map(states.map((each) => [each.accountId, each])) };
  const wantedOf = new Map(asked.map(({ accountId, wanted }) => [accountId, wanted]));
  const failures = new Map<Uuid, unknown>();
  const begun: Begun[] = [];
  for (const account of accounts) {
    const wanted = wantedOf.get(account.id);
    if (wanted === undefined) continue;
    try {
      begun.push(await begin(session, { account, wanted }, { ...tools, ...common }));
    } catch (error) {
      failures.set(account.id, error);
    }
  }
  const awaitedBy = await loadAwaitedRuns(session, begun);
  const { billings: found, failures: unbilled } = await loadBillingState(session, {
    requests: begun.map(({ account, targetDate, today, state }) => ({
      account,
      targetDate,
      runDate: today,
      state,
    })),
    earliestTargetDateOf: ({ state }) => state.maxTargetDate,
    catalogOf,
    choice: 'all',
    alignPriceChanges: config.alignPriceChanges,
    usageConfig: config.usage,
    usageOriginOf: () => (asksSources ? 'OPEN' : 'RECORDED'),
    hypothesis: begun.find(({ hypothesis }) => hypothesis !== null)?.hypothesis ?? null,
  });
  for (const { request, error } of unbilled) failures.set(request.account.id, error);
  const billings = new Map(
    (await withWindowItems(session, found)).map((billing) => [billing.account.id, billing]),
  );
  const drafted = begun.map(({ account }) => ({ account, drafting: draftingOf(tags, account.id) }));
  const drafts = await loadDrafts(session, drafted, { areAllWanted: true });
  const owing = new Map(begun.map((each) => [each.account.id, debtsInput(each, billings)]));
  const debtsBy = await loadDebts(session, [...owing.values()], config);
  const loaded = begun
    .filter(({ account }) => !failures.has(account.id))
    .map((each) => {
      const { account } = each;
      const debts = debtsBy(owing.get(account.id) ?? debtsInput(each, billings));
      const parts = { billing: billings.get(account.id), awaited: awaitedBy(each), drafts, debts };
      return [account.id, dryRunOf(each, parts, { ...tools, ...common })] as const;
    });
  return { loaded: new Map(loaded), failures };
}

async function begin(
  session: ReadSession,
  { account, wanted }: Pick<Begun, 'account' | 'wanted'>,
  { now, nextId, catalogsOf, tags, config, states }: Common,
): Promise<Begun> {
  // Before any price is looked up, as a real run does: without a currency there is none.
  invoicingCurrency(account);
  const state = states.get(account.id) ?? initialState(account);
  const today = localDateOf(now, account.timeZone);
  const hypothesis =
    wanted.type === DryRunType.SUBSCRIPTION_ACTION
      ? await loadHypothesis(session, wanted.action, { account, catalogsOf, tools: { now, nextId } })
      : null;
  const targetDate = effectiveTargetDate({
    requested: wanted.type === DryRunType.UPCOMING_INVOICE ? null : wanted.targetDate,
    today,
    maxTargetDate: state.maxTargetDate,
    maxMonthsInFuture: config.maxMonthsInFuture,
  });
  const choice = wanted.type === DryRunType.UPCOMING_INVOICE ? await watched(session, wanted, account) : null;
  const isPassedOver =
    !config.isAutomatic || tags.has(account.id, TagEffect.PARKS, TagEffect.STOPS_INVOICING);
  return { account, state, today, targetDate, hypothesis, choice, wanted, isPassedOver };
}

function debtsInput({ account, state }: Begun, billings: ReadonlyMap<Uuid, AccountBilling>): DebtsInput {
  const itemIds = (billings.get(account.id)?.subscriptions ?? []).flatMap(({ items, usage }) => [
    ...items.keys(),
    ...(usage?.billed ?? []).flatMap(({ entries }) => entries.map(({ itemId }) => itemId)),
  ]);
  return { account, state, itemIds };
}

/** The subscriptions whose dates an upcoming invoice may be for: all, those of a bundle, or one. */
async function watched(
  session: ReadSession,
  { subscriptionId, bundleId }: Extract<CheckedDryRun, { readonly type: 'UPCOMING_INVOICE' }>,
  account: Account,
): Promise<IsWatched> {
  if (bundleId !== null) checkBundleOwner(await loadBundle(session, bundleId), account.id);
  if (subscriptionId !== null) {
    const subscription = await loadSubscription(session, subscriptionId);
    if (bundleId !== null && subscription.bundleId !== bundleId) throw notInBundle(subscriptionId, bundleId);
    if (subscription.accountId !== account.id) throw notOfAccount(subscriptionId, account.id);
    return (each) => each.subscriptionId === subscriptionId;
  }
  return ({ events }) => bundleId === null || events.some((event) => event.bundleId === bundleId);
}
