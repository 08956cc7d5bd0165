import { isPaidByParent, noSuchAccount } from '../../accounts/index.ts';
import type { CatalogOfAccount, CatalogSource, OverridePlan } from '../../catalog/index.ts';
import { type AccountEffects, effectsOnAccounts, TagEffect } from '../../control-tags/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import type { Account } from '../../records/index.ts';
import type { Hypothesis } from '../../subscriptions/index.ts';
import {
  checkBundleOwner,
  loadBundle,
  loadHypothesis,
  loadSubscription,
  notInBundle,
  notOfAccount,
} from '../../subscriptions/index.ts';
import { inDryRun } from '../../usage/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Instant, type LocalDate, localDateOf } from '../../values/time/index.ts';
import { UNNUMBERED } from '../credit/apply-credit.ts';
import { runInput } from '../evaluation/account-billing.ts';
import type { DryRunWalkInput, IsWatched } from '../evaluation/dry-run-walk.ts';
import { runInvoiceOf } from '../evaluation/invoice-for-run.ts';
import { draftingOf } from '../invoices/drafting.ts';
import { initialState } from '../invoices/invoice-amounts.ts';
import { emptyInvoice, invoicingCurrency } from '../invoices/new-invoice.ts';
import { type AwaitedRuns, loadAwaitedRuns } from '../loading/load-awaited-runs.ts';
import { loadBillingState } from '../loading/load-billing-state.ts';
import { loadDebts } from '../loading/load-debts.ts';
import { loadDrafts } from '../loading/load-drafts.ts';
import { withWindowItems } from '../loading/load-repaired-items.ts';
import type { InvoicingConfigOf } from '../loading/tenant-invoicing-config.ts';
import type { InvoicingConfig } from '../periods/invoicing-config.ts';
import { effectiveTargetDate } from '../periods/target-date.ts';
import { type CheckedDryRun, DryRunType } from './dry-run-request.ts';
import { type DryRunWalks, NO_WALK, walksOf } from './dry-run-walks.ts';

export interface DryRunInput {
  readonly accountId: Uuid;
  readonly wanted: CheckedDryRun;
  readonly now: Instant;
  readonly catalogsOf: CatalogSource;
  readonly configOf: InvoicingConfigOf;
  readonly nextId: () => Uuid;
  /** Whether usage sources are to be asked first, so that nothing that is recorded is read; default false. */
  readonly asksSources?: boolean;
}

/** All that a dry run needs from the storage. */
export interface LoadedDryRun extends DryRunWalks {
  readonly account: Account;
  /** The date that is asked for; null = that of the next invoice. */
  readonly targetDate: LocalDate | null;
  readonly config: InvoicingConfig;
  readonly catalogOf: CatalogOfAccount;
  /** The plan that the prices of a hypothetical action would make. */
  readonly overridePlan: OverridePlan | null;
}

/**
 * Loads what leads to the invoice that a run would make (§11). Reads one snapshot, takes no lock and writes nothing.
 * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), CURRENCY_INVALID (3),
 * INVOICE_TARGET_DATE_TOO_FAR_IN_THE_FUTURE (4005), those of a hypothetical action, and 1081, 1082, 1020 for ids that are not
 * the account's.
 */
export async function loadDryRun(session: ReadSession, input: DryRunInput): Promise<LoadedDryRun> {
  const { accountId, wanted, now, catalogsOf, nextId, asksSources = false } = input;
  const [[account], [stored], tags, config, catalogOf] = await Promise.all([
    session.accounts.findByIds([accountId]),
    session.invoices.loadStates([accountId]),
    effectsOnAccounts(session, [accountId]),
    input.configOf(session),
    catalogsOf(session, [accountId]),
  ]);
  if (account === undefined) throw noSuchAccount(accountId);
  // Before any price is looked up, as a real run does: without a currency there is none.
  invoicingCurrency(account);
  const state = stored ?? initialState(account);
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
  const isPassedOver = !config.isAutomatic || tags.has(accountId, TagEffect.PARKS, TagEffect.STOPS_INVOICING);
  const awaited = await loadAwaitedRuns(session, { account, today, isPassedOver });
  const { billings, failures } = await loadBillingState(session, {
    requests: [{ account, targetDate, runDate: today, state }],
    earliestTargetDate: state.maxTargetDate,
    catalogOf,
    choice: 'all',
    alignPriceChanges: config.alignPriceChanges,
    usageConfig: config.usage,
    usageOriginOf: () => (asksSources ? 'OPEN' : 'RECORDED'),
    hypothesis,
  });
  for (const { error } of failures) throw error;
  const [billing] = await withWindowItems(session, billings);
  const overridePlan = hypothesis?.overridePlan ?? null;
  const asked = requestedDateOf(wanted, hypothesis) ?? today;
  const loaded = {
    account,
    targetDate: choice === null ? asked : null,
    config,
    catalogOf,
    overridePlan,
  };
  if (!billing) return { ...loaded, ...NO_WALK };
  const itemIds = billing.subscriptions.flatMap(({ items, usage }) => [
    ...items.keys(),
    ...(usage?.billed ?? []).flatMap(({ entries }) => entries.map(({ itemId }) => itemId)),
  ]);
  const drafted = { account, drafting: draftingOf(tags, accountId) };
  const drafts = await loadDrafts(session, [drafted], { areAllWanted: true });
  const empty = emptyInvoice({ id: nextId(), account, targetDate: null, status: 'DRAFT', now });
  const newDraft = { ...empty, recordId: 0 };
  const walkInput: DryRunWalkInput = {
    ...runInput(billing, { ...config, usage: inDryRun(config.usage) }),
    invoice: runInvoiceOf(drafted, drafts),
    targetDate: asked,
    now,
    today,
    dueDates: awaited.dueDates,
    runDates: runDatesOf({ awaited, hypothesis, isUpcoming: choice !== null, isPassedOver, today }),
    debts: {
      ...(await loadDebts(session, { account, state, config, itemIds })),
      unpaidInvoice: isPaidAtOnce(account, tags) ? null : { ...newDraft, invoiceNumber: UNNUMBERED },
    },
    ...(drafted.drafting.reusesDraft ? { reuse: { drafts: drafts.get(account.id) ?? [], newDraft } } : {}),
  };
  return { ...loaded, ...walksOf(walkInput, { billing, choice, nextId, targetDate, asksSources }) };
}

/** Whether somebody pays the account's invoices without being asked: its payment method, or the parent. */
function isPaidAtOnce(account: Account, tags: AccountEffects): boolean {
  if (isPaidByParent(account)) return true;
  return account.paymentMethodId !== null && !tags.has(account.id, TagEffect.HOLDS_PAYMENTS);
}

/**
 * The date that a dry run looks at (§11 rule 1); null = today. An action without a date is looked at on the date of the
 * run that it triggers: now, or when it takes effect.
 */
function requestedDateOf(wanted: CheckedDryRun, hypothesis: Hypothesis | null): LocalDate | null {
  if (wanted.type === DryRunType.UPCOMING_INVOICE) return null;
  if (wanted.targetDate !== null || hypothesis === null) return wanted.targetDate;
  return hypothesis.runDates.at(-1) ?? hypothesis.effectiveDate;
}

/**
 * The runs that come before any that is due: those that the queue has bus events for, then that of the action itself. An
 * account that automatic runs pass over is next invoiced once they do so no more, hence now.
 */
function runDatesOf({
  awaited,
  hypothesis,
  isUpcoming,
  isPassedOver,
  today,
}: {
  readonly awaited: AwaitedRuns;
  readonly hypothesis: Hypothesis | null;
  readonly isUpcoming: boolean;
  readonly isPassedOver: boolean;
  readonly today: LocalDate;
}): readonly LocalDate[] {
  if (isUpcoming && isPassedOver) return [today];
  return [...awaited.runDates, ...(hypothesis?.runDates ?? [])];
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
