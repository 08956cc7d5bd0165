import { isPaidByParent, noSuchAccount } from '../../accounts/index.ts';
import type { CatalogOfAccount, CatalogSource } from '../../catalog/index.ts';
import { type AccountEffects, effectsOnAccounts, TagEffect } from '../../control-tags/index.ts';
import { loadUndone, planRedemptions, type RedemptionTools, requestsOf } from '../../coupons/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import { type Account, type AccountInvoicingState, QueueKind } from '../../records/index.ts';
import {
  checkBundleOwner,
  type Hypothesis,
  loadBundle,
  loadHypothesis,
  loadSubscription,
  notInBundle,
  notOfAccount,
} from '../../subscriptions/index.ts';
import { inDryRun, type SourceQuestion, type SuppliedBySubscription } from '../../usage/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_PERIODS_PER_RUN } from '../../values/limits.ts';
import { type Instant, type LocalDate, localDateOf, maxDate } from '../../values/time/index.ts';
import { UNNUMBERED } from '../credit/apply-credit.ts';
import { type AccountBilling, runInput, runInvoiceOf } from '../evaluation/evaluate-account.ts';
import { RUN_TOPICS, runTrigger } from '../evaluation/run-entries.ts';
import { lastUsageDate, questionOf, withSupply } from '../evaluation/source-usage.ts';
import { initialState } from '../invoices/invoice-amounts.ts';
import { type Draft, decideDrafting, emptyInvoice, invoicingCurrency } from '../invoices/new-invoice.ts';
import {
  loadBillingState,
  loadDrafts,
  recurringItemIds,
  withWindowItems,
} from '../loading/load-billing-state.ts';
import { loadBillingOfAccounts } from '../loading/load-streams.ts';
import type { InvoicingConfig, InvoicingConfigOf } from '../proposals/invoicing-config.ts';
import { effectiveTargetDate } from '../proposals/target-date.ts';
import { type Debts, type DebtsInput, loadDebts } from './debts.ts';
import { type CheckedDryRun, DryRunType } from './dry-run-request.ts';
import { type IsWatched, walkToUpcomingInvoice } from './upcoming.ts';
import { type DryRunWalk, type DryRunWalkInput, walkToTargetDate } from './walk.ts';

interface LoadingTools {
  readonly now: Instant;
  readonly catalogsOf: CatalogSource;
  readonly configOf: InvoicingConfigOf;
  readonly nextId: () => Uuid;
  /** If true, usage sources are called first, so that recorded usage is not read. Defaults to false. */
  readonly asksSources?: boolean;
}

export interface LoadedDryRun {
  readonly account: Account;
  /** The requested date, or null for the date of the next invoice. */
  readonly targetDate: LocalDate | null;
  readonly config: InvoicingConfig;
  readonly catalogOf: CatalogOfAccount;
  readonly hypothesis: Hypothesis | null;
  /** True if the hypothetical action starts a run immediately. */
  readonly isBilledNow: boolean;
  /** The walk to the invoice, or null if there is nothing to bill. */
  readonly walk: {
    readonly input: DryRunWalkInput;
    /**
     * Selects the subscriptions whose next invoice was requested. The value is null if the invoice of a specific date
     * was requested.
     */
    readonly choice: IsWatched | null;
  } | null;
  /** The question to usage sources, or null if the sources need not be called. */
  readonly question: SourceQuestion | null;
}

interface AccountDryRun {
  readonly accountId: Uuid;
  readonly wanted: CheckedDryRun;
}

export interface DryRunInput extends AccountDryRun, LoadingTools {}

/**
 * Loads the data for the invoice that a run would create (§11), from one snapshot without locks.
 * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), CURRENCY_INVALID (3),
 * INVOICE_TARGET_DATE_TOO_FAR_IN_THE_FUTURE (4005), the errors of a hypothetical action, and 1081, 1082, 1020 for ids
 * of another account.
 */
export async function loadDryRun(session: ReadSession, input: DryRunInput): Promise<LoadedDryRun> {
  const { loaded, failures } = await loadDryRuns(session, [input], input);
  const found = loaded.get(input.accountId);
  if (found !== undefined) return found;
  throw failures.get(input.accountId) ?? noSuchAccount(input.accountId);
}

/**
 * Loads dry runs of many accounts. Dry runs for a date take a constant number of statements. Dry runs of an action or
 * of the upcoming invoice are limited to one account. `failures` contains existing accounts whose dry run fails.
 */
export async function loadDryRuns(
  session: ReadSession,
  asked: readonly AccountDryRun[],
  tools: LoadingTools,
) {
  const { asksSources = false } = tools;
  const ids = asked.map(({ accountId }) => accountId);
  const [accounts, states, tags, config, catalogOf, ofAccounts] = await Promise.all([
    session.accounts.findByIds(ids),
    session.invoices.loadStates(ids),
    effectsOnAccounts(session, ids),
    tools.configOf(session),
    tools.catalogsOf(session, ids),
    loadBillingOfAccounts(session, ids),
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
  const drafted = begun.map(({ account }) => ({ account, drafting: decideDrafting(tags, account.id) }));
  const [awaitedBy, { billings: found, failures: unbilled }, drafts] = await Promise.all([
    loadAwaitedRuns(session, begun),
    loadBillingState(session, {
      requests: begun.map(({ today, ...each }) => ({ ...each, runDate: today })),
      earliestTargetDateOf: ({ state }) => state.maxTargetDate,
      catalogOf,
      config,
      choice: 'all',
      ofAccounts,
      supplies: asksSources ? 'OPEN' : null,
      hypothesis: begun.find(({ hypothesis }) => hypothesis !== null)?.hypothesis ?? null,
    }),
    loadDrafts(session, drafted, { areAllWanted: true }),
  ]);
  for (const { request, error } of unbilled) failures.set(request.account.id, error);
  const stored = new Map(found.map((billing) => [billing.account.id, billing]));
  const owing = new Map(begun.map((each) => [each.account.id, debtsInput(each, stored)]));
  const [complete, debtsBy] = await Promise.all([
    withWindowItems(session, found),
    loadDebts(session, [...owing.values()], config),
  ]);
  const billings = new Map(complete.map((billing) => [billing.account.id, billing]));
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
  { account, wanted }: { readonly account: Account; readonly wanted: CheckedDryRun },
  { now, nextId, catalogsOf, tags, config, states }: Common,
): Promise<Begun> {
  // The currency is checked before any price is looked up, as in a real run, because prices require a currency.
  invoicingCurrency(account);
  const state = states.get(account.id) ?? initialState(account);
  const today = localDateOf(now, account.timeZone);
  const hypothesis =
    'action' in wanted
      ? await withCoupons(
          session,
          await loadHypothesis(session, wanted.action, { account, catalogsOf, tools: { now, nextId } }),
          { account, now, nextId },
        )
      : null;
  const requested = 'targetDate' in wanted ? wanted.targetDate : null;
  const targetDate = effectiveTargetDate({
    requested,
    today,
    maxTargetDate: state.maxTargetDate,
    maxMonthsInFuture: config.maxMonthsInFuture,
  });
  const choice = await choiceOf(session, wanted, account);
  const isPassedOver =
    !config.isAutomatic || tags.has(account.id, TagEffect.PARKS, TagEffect.STOPS_INVOICING);
  // An action without a date uses the date of the run that it triggers (§11 rule 1).
  // The run takes place now, or on the date on which the action takes effect.
  const ofAction = hypothesis && (hypothesis.runDates.at(-1) ?? hypothesis.effective?.date);
  const asked = requested ?? ofAction ?? today;
  return { account, state, today, asked, targetDate, hypothesis, choice, isPassedOver };
}

/** Adds the coupon redemptions that the action would make, or marks those that it would undo (coupons §4 rule 3). */
async function withCoupons(
  session: ReadSession,
  hypothesis: Hypothesis,
  tools: RedemptionTools,
): Promise<Hypothesis> {
  const { coupons, undoneChangesOf } = hypothesis;
  if (undoneChangesOf !== null) {
    const undone = await loadUndone(session, undoneChangesOf, tools);
    return { ...hypothesis, undoneRedemptions: new Set(undone.map(({ id }) => id)) };
  }
  if (coupons === null) return hypothesis;
  const { redemptions } = await planRedemptions(session, requestsOf([coupons]), tools);
  return { ...hypothesis, redemptions };
}

function debtsInput({ account, state }: Begun, billings: ReadonlyMap<Uuid, AccountBilling>): DebtsInput {
  const itemIds = (billings.get(account.id)?.subscriptions ?? []).flatMap(({ rows, usage }) => [
    ...recurringItemIds(rows),
    ...(usage?.billed ?? []).flatMap(({ entries }) => entries.map(({ itemId }) => itemId)),
  ]);
  return { account, state, itemIds };
}

async function choiceOf(session: ReadSession, wanted: CheckedDryRun, account: Account) {
  if (wanted.type === DryRunType.UPCOMING_INVOICE) return loadWatchFilter(session, wanted, account);
  return wanted.type === 'PREVIEW' ? () => true : null;
}

/**
 * Returns the subscriptions whose dates can become the date of an upcoming invoice: all subscriptions, the
 * subscriptions of a bundle, or one subscription.
 */
async function loadWatchFilter(
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

/** Walks to the invoice of the requested date or to the next invoice. Returns null if no invoice follows. */
export function walkTo(
  { walk }: Pick<LoadedDryRun, 'walk'>,
  targetDate: LocalDate | null,
  nextId: () => Uuid,
): DryRunWalk | null {
  if (walk === null) return null;
  const { choice } = walk;
  const input = { ...walk.input, targetDate: targetDate ?? walk.input.targetDate };
  return choice === null ? walkToTargetDate(input, nextId) : walkToUpcomingInvoice(input, choice, nextId);
}

export function withSupplies(found: LoadedDryRun, usages: SuppliedBySubscription): LoadedDryRun {
  if (found.walk === null) return found;
  const { input } = found.walk;
  const subscriptions = withSupply(input.subscriptions, usages);
  return { ...found, walk: { ...found.walk, input: { ...input, subscriptions } } };
}

interface Begun {
  readonly account: Account;
  readonly state: AccountInvoicingState;
  readonly today: LocalDate;
  /** The requested date, by default today. */
  readonly asked: LocalDate;
  readonly targetDate: LocalDate;
  readonly hypothesis: Hypothesis | null;
  readonly choice: IsWatched | null;
  readonly isPassedOver: boolean;
}

interface Common extends LoadingTools {
  readonly tags: AccountEffects;
  readonly config: InvoicingConfig;
  readonly catalogOf: CatalogOfAccount;
  readonly states: ReadonlyMap<Uuid, AccountInvoicingState>;
}

interface LoadedParts {
  /** Undefined if there is nothing to bill. */
  readonly billing: AccountBilling | undefined;
  readonly awaited: AwaitedRuns;
  readonly drafts: ReadonlyMap<Uuid, readonly Draft[]>;
  readonly debts: Omit<Debts, 'unpaidInvoice'>;
}

function dryRunOf(
  { account, today, asked, targetDate, hypothesis, choice, isPassedOver }: Begun,
  { billing, awaited, drafts, debts }: LoadedParts,
  { now, nextId, asksSources = false, tags, config, catalogOf }: Common,
): LoadedDryRun {
  const loaded = {
    account,
    targetDate: choice === null ? asked : null,
    config,
    catalogOf,
    hypothesis,
    isBilledNow: hypothesis !== null && hypothesis.runDates.length > 0 && !isPassedOver,
  };
  if (!billing) return { ...loaded, walk: null, question: null };
  const drafted = { account, drafting: decideDrafting(tags, account.id) };
  const empty = emptyInvoice({ id: nextId(), account, targetDate: null, status: 'DRAFT', now });
  const newDraft = { ...empty, recordId: 0 };
  const walkInput: DryRunWalkInput = {
    ...runInput(billing, { ...config, usage: inDryRun(config.usage) }),
    invoice: runInvoiceOf(drafted, drafts),
    targetDate: asked,
    now,
    today,
    dueDates: awaited.dueDates,
    // An account that automatic runs skip is next invoiced when automatic invoicing resumes, so today's date is used.
    runDates:
      choice !== null && isPassedOver ? [today] : [...awaited.runDates, ...(hypothesis?.runDates ?? [])],
    debts: {
      ...debts,
      unpaidInvoice: isPaidAtOnce(account, tags) ? null : { ...newDraft, invoiceNumber: UNNUMBERED },
    },
    ...(drafted.drafting.reusesDraft ? { reuse: { drafts: drafts.get(account.id) ?? [], newDraft } } : {}),
  };
  const last = choice === null ? maxDate(asked, targetDate) : lastUsageDate(billing, targetDate);
  return {
    ...loaded,
    walk: { input: walkInput, choice },
    question: asksSources ? questionOf({ ...billing, targetDate: last }, walkInput.config) : null,
  };
}

/** Returns true if the account's invoices are paid automatically, by its payment method or by the parent. */
function isPaidAtOnce(account: Account, tags: AccountEffects): boolean {
  if (isPaidByParent(account)) return true;
  return account.paymentMethodId !== null && !tags.has(account.id, TagEffect.HOLDS_PAYMENTS);
}

interface AwaitedRuns {
  /** Dates of the runs that bus events request, in order. They precede the due entries. */
  readonly runDates: readonly LocalDate[];
  /** Dates of the pending due entries. */
  readonly dueDates: readonly LocalDate[];
}

/** Loads the pending automatic runs of each account, up to the number that a walk can process. */
async function loadAwaitedRuns(
  session: ReadSession,
  inputs: readonly Begun[],
): Promise<(input: Begun) => AwaitedRuns> {
  const found = await session.notifications.findLive({
    accountRecordIds: inputs.map(({ account }) => account.recordId),
    topics: RUN_TOPICS,
    limit: MAX_PERIODS_PER_RUN,
  });
  const byAccount = Map.groupBy(found, ({ accountRecordId }) => accountRecordId);
  return ({ account, today, isPassedOver }) => {
    const entries = byAccount.get(account.recordId) ?? [];
    const datesOf = (kind: QueueKind): readonly LocalDate[] =>
      entries.flatMap((entry) => {
        const trigger = runTrigger(entry);
        return entry.kind !== kind || trigger.kind === 'none' ? [] : (trigger.targetDate ?? today);
      });
    const dueDates = datesOf(QueueKind.NOTIFICATION);
    if (isPassedOver) return { runDates: [], dueDates: dueDates.filter((date) => date > today) };
    return { runDates: datesOf(QueueKind.BUS), dueDates };
  };
}
