import { isPaidByParent } from '../../accounts/index.ts';
import type { CatalogOfAccount, CatalogSource, OverridePlan } from '../../catalog/index.ts';
import { type AccountEffects, TagEffect } from '../../control-tags/index.ts';
import type { Account, AccountInvoicingState } from '../../records/index.ts';
import type { Hypothesis } from '../../subscriptions/index.ts';
import { inDryRun } from '../../usage/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant, LocalDate } from '../../values/time/index.ts';
import { UNNUMBERED } from '../credit/apply-credit.ts';
import { type AccountBilling, runInput } from '../evaluation/account-billing.ts';
import type { Debts, DryRunWalkInput, IsWatched } from '../evaluation/dry-run-walk.ts';
import { runInvoiceOf } from '../evaluation/invoice-for-run.ts';
import { type Draft, draftingOf } from '../invoices/drafting.ts';
import { emptyInvoice } from '../invoices/new-invoice.ts';
import type { AwaitedRuns } from '../loading/load-awaited-runs.ts';
import type { InvoicingConfigOf } from '../loading/tenant-invoicing-config.ts';
import type { InvoicingConfig } from '../periods/invoicing-config.ts';
import { type CheckedDryRun, DryRunType } from './dry-run-request.ts';
import { type DryRunWalks, NO_WALK, walksOf } from './dry-run-walks.ts';

/** What dry runs are loaded with. */
export interface LoadingTools {
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

/** An account whose request is understood. */
export interface Begun {
  readonly account: Account;
  readonly state: AccountInvoicingState;
  readonly today: LocalDate;
  readonly targetDate: LocalDate;
  readonly hypothesis: Hypothesis | null;
  readonly choice: IsWatched | null;
  readonly wanted: CheckedDryRun;
  readonly isPassedOver: boolean;
}

/** What is loaded for all accounts at once. */
export interface Common extends LoadingTools {
  readonly tags: AccountEffects;
  readonly config: InvoicingConfig;
  readonly catalogOf: CatalogOfAccount;
  readonly states: ReadonlyMap<Uuid, AccountInvoicingState>;
}

interface LoadedParts {
  /** Undefined: there is nothing to bill. */
  readonly billing: AccountBilling | undefined;
  readonly awaited: AwaitedRuns;
  readonly drafts: ReadonlyMap<Uuid, readonly Draft[]>;
  readonly debts: Omit<Debts, 'unpaidInvoice'>;
}

/** The dry run of what was loaded. */
export function dryRunOf(
  { account, today, targetDate, hypothesis, choice, wanted, isPassedOver }: Begun,
  { billing, awaited, drafts, debts }: LoadedParts,
  { now, nextId, asksSources = false, tags, config, catalogOf }: Common,
): LoadedDryRun {
  const asked = requestedDateOf(wanted, hypothesis) ?? today;
  const loaded = {
    account,
    targetDate: choice === null ? asked : null,
    config,
    catalogOf,
    overridePlan: hypothesis?.overridePlan ?? null,
  };
  if (!billing) return { ...loaded, ...NO_WALK };
  const drafted = { account, drafting: draftingOf(tags, account.id) };
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
      ...debts,
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
