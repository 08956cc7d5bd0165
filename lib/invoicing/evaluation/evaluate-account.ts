import { isPaidByParent } from '../../accounts/index.ts';
import {
  type Account,
  type AccountInvoicingState,
  type CursorToSave,
  type InvoiceAmounts,
  InvoiceStatus,
  type InvoicingCursor,
  itemTypes,
  type StoredCursor,
} from '../../records/index.ts';
import { billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { ZERO } from '../../values/money/index.ts';
import { type LocalDate, maxDate } from '../../values/time/index.ts';
import { findChargedThroughDates } from '../invoices/charged-through-date.ts';
import { type AccountedInvoice, accountBalancesAfter, invoiceAmounts } from '../invoices/invoice-amounts.ts';
import {
  COMMITTING,
  type Draft,
  type Drafting,
  draftOf,
  invoicingCurrency,
} from '../invoices/new-invoice.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';
import type { InvoicingConfig } from '../proposals/invoicing-config.ts';
import { isDue } from '../proposals/window.ts';
import type { AccountStream, BillingRequest } from './billing-streams.ts';
import {
  countsDaily,
  type EvaluationSettings,
  evaluateSubscription,
  missingItemIds,
  type SubscriptionBilling,
  type SubscriptionEvaluation,
} from './evaluate-subscription.ts';
import { coversSettledDays, ongoingChargeAfter } from './last-evaluation.ts';
import type { DueDates } from './run-entries.ts';

export interface RunInvoice {
  readonly status: typeof InvoiceStatus.DRAFT | typeof InvoiceStatus.COMMITTED;
  /** Null means a new invoice. */
  readonly draft: Draft | null;
  /** True if the parent pays the invoice. */
  readonly isPaidByParent: boolean;
}

export interface AccountBilling
  extends BillingRequest,
    Pick<AccountStream<BillingRequest>, 'skipped' | 'billedAlone'> {
  readonly subscriptions: readonly SubscriptionBilling[];
  /**
   * The bill cycle day that this run assigns to the account, or null if the account already has one or does not need
   * one (§4 rule 4).
   */
  readonly newBillCycleDay: number | null;
  /** Cursors of due subscriptions whose last evaluation used an earlier catalog. */
  readonly behind: readonly StoredCursor[];
  /** Revision of the events' catalog. */
  readonly catalogRevision: number;
}

export function runInput(billing: AccountBilling, config: InvoicingConfig): AccountRunInput {
  const { account, subscriptions, state, targetDate } = billing;
  return { subscriptions, state, targetDate, currency: invoicingCurrency(account), config };
}

export interface AccountRunInput extends EvaluationSettings {
  readonly state: AccountInvoicingState;
  /**
   * The streams in output order. Excludes bundles tagged AUTO_INVOICING_OFF, and streams that are not due and do not
   * charge usage.
   */
  readonly subscriptions: readonly SubscriptionBilling[];
  /** The invoice. Defaults to a new COMMITTED invoice. */
  readonly invoice?: RunInvoice;
}

/**
 * The changes of one run. They contain an invoice only if the run has items, but always contain cursors and due dates.
 */
export interface AccountRun extends DueDates {
  /** One evaluation per due subscription, in the order of the input. */
  readonly evaluations: readonly SubscriptionEvaluation[];
  /** Items of all subscriptions in creation order. The list is empty if there is nothing to invoice. */
  readonly items: readonly NewInvoiceItem[];
  readonly invoice: RunInvoice;
  /** Amounts of the whole unpaid invoice. */
  readonly amounts: InvoiceAmounts;
  /** The note set by plugins. The field is absent if plugins do not change the note. */
  readonly note?: string | null;
  /**
   * New charged-through dates by subscription (§8.5). Each date is the end of the subscription's charges, including
   * usage items that were dropped because their amount is 0. The map is empty for a DRAFT.
   */
  readonly chargedThrough: ReadonlyMap<Uuid, LocalDate>;
  /** Subscriptions whose charged-through dates also depend on other invoices (see `resetChargedThrough`). */
  readonly chargedBefore: ReadonlySet<Uuid>;
  /** The account's state, with the invoice included. The storage sets `version`. */
  readonly state: AccountInvoicingState;
}

/**
 * Evaluates an account at the effective target date: every due subscription, the invoice's amounts and the
 * account's new state (§8.2 steps 7–9, §8.4, §8.5). Calls `nextItemId` once per item (see
 * `evaluateSubscription`).
 * @throws InvariantError for an illegal state. In this case, the caller must not write anything.
 */
export function evaluateAccount(input: AccountRunInput, nextItemId: () => Uuid): AccountRun {
  const evaluations = dueSubscriptions(input).map((subscription) =>
    evaluateSubscription(subscription, input, nextItemId),
  );
  const items = evaluations.flatMap((evaluation) => evaluation.items);
  const { invoice = NEW_COMMITTED } = input;
  const all = [...(invoice.draft?.items ?? []), ...items];
  const amounts = invoiceAmounts(all);
  // If there are no new items, a draft stays a draft.
  const committed = items.length === 0 ? [] : all;
  const chargedThrough =
    invoice.status === 'COMMITTED'
      ? collectChargedThroughDates(committed, evaluations)
      : new Map<Uuid, LocalDate>();
  return {
    evaluations,
    items,
    invoice,
    amounts,
    chargedThrough,
    chargedBefore: new Set(
      committed.length > items.length
        ? chargedThrough.keys()
        : subscriptionsBilledAhead(evaluations, chargedThrough),
    ),
    ...dueDatesAfter(evaluations, input),
    state: items.length === 0 ? input.state : stateAfter(input, items, amounts),
  };
}

/** Returns `missingItemIds` of all due subscriptions, so that one query loads them. */
export function missingItemIdsOfAccount(input: AccountRunInput): readonly Uuid[] {
  return dueSubscriptions(input).flatMap((subscription) => missingItemIds(subscription, input));
}

/**
 * Returns the due subscriptions. Late usage does not make a subscription due, but the next run bills it (usage §7.7
 * rule 1).
 */
function dueSubscriptions({ subscriptions, targetDate, config }: AccountRunInput) {
  return subscriptions.filter(
    ({ events, cursor, usage }) => usage != null || isDue({ events, cursor, targetDate, config }),
  );
}

/**
 * Returns the charged-through dates. Usage and trial items of amount 0 count even if the tenant's settings drop them
 * (usage §7.5 rule 4, §5.1 rule 4).
 */
function collectChargedThroughDates(
  items: readonly NewInvoiceItem[],
  evaluations: readonly SubscriptionEvaluation[],
) {
  const dates = new Map(findChargedThroughDates(items));
  for (const { subscriptionId, usage, freeThrough } of evaluations) {
    for (const date of [usage?.chargedThrough ?? null, freeThrough])
      if (date !== null) dates.set(subscriptionId, maxDate(date, dates.get(subscriptionId) ?? date));
  }
  return dates;
}

/**
 * Returns the subscriptions whose new charged-through date is before the end of days that are already billed and stay
 * billed.
 */
function subscriptionsBilledAhead(
  evaluations: readonly SubscriptionEvaluation[],
  dates: ReadonlyMap<Uuid, LocalDate>,
): readonly Uuid[] {
  return evaluations.flatMap(({ subscriptionId, inForceThrough }) => {
    const date = dates.get(subscriptionId);
    return date !== undefined && inForceThrough !== null && date < inForceThrough ? [subscriptionId] : [];
  });
}

/** Returns the due dates after the target date. */
function dueDatesAfter(evaluations: readonly SubscriptionEvaluation[], input: AccountRunInput): DueDates {
  const { targetDate, config } = input;
  const dates = new Set<LocalDate>();
  const usageDates = new Set<LocalDate>();
  for (const { cursor, usage } of evaluations) {
    if (cursor.nextDueDate !== null && cursor.nextDueDate > targetDate) dates.add(cursor.nextDueDate);
    const usageDate = usage?.nextDate ?? null;
    if (usageDate !== null) usageDates.add(usageDate);
  }
  return {
    dueDates: [...dates].sort((a, b) => a - b),
    usageDates,
    collectionInterval: config.collectionInterval,
    noticeLeadMs: config.noticeLeadMs,
  };
}

function stateAfter(
  { state, targetDate, invoice = NEW_COMMITTED }: AccountRunInput,
  items: readonly NewInvoiceItem[],
  amounts: InvoiceAmounts,
) {
  // The existing items of a reused draft have not been counted yet.
  const after = accountedInvoice(invoice, amounts);
  const balanced = accountBalancesAfter(state, { before: null, after });
  // Only RECURRING and USAGE items keep later runs from using an earlier target date (§1.5).
  if (!items.some(({ itemType }) => itemTypes[itemType].recurs)) return balanced;
  const maxTargetDate = state.maxTargetDate === null ? targetDate : maxDate(state.maxTargetDate, targetDate);
  return { ...balanced, maxTargetDate };
}

export function accountedInvoice(
  { status, draft, isPaidByParent }: RunInvoice,
  { rawBalance, creditAdj }: Pick<InvoiceAmounts, 'rawBalance' | 'creditAdj'>,
): AccountedInvoice {
  const isWrittenOff = draft?.invoice.isWrittenOff ?? false;
  const contributedAmount = isPaidByParent && status === 'COMMITTED' ? ZERO : null;
  return { status, isMigration: false, isWrittenOff, rawBalance, creditAdj, contributedAmount };
}

const NEW_COMMITTED: RunInvoice = {
  status: InvoiceStatus.COMMITTED,
  draft: null,
  isPaidByParent: false,
};

export interface DraftingRequest {
  readonly account: Pick<Account, 'id' | 'parentAccountId' | 'isPaymentDelegatedToParent'>;
  readonly drafting?: Drafting;
}

/**
 * Returns the loaded draft that the run adds to, or a new invoice.
 * @throws the errors of `draftOf` for a specified draft, INVOICE_INVALID_STATUS (4023) for a summary of children.
 */
export function runInvoiceOf(
  { account, drafting = COMMITTING }: DraftingRequest,
  drafts: ReadonlyMap<Uuid, readonly Draft[]>,
): RunInvoice {
  const status = drafting.isDraft ? InvoiceStatus.DRAFT : InvoiceStatus.COMMITTED;
  const own = drafts.get(account.id) ?? [];
  if (drafting.draftId === null) {
    const [oldest = null] = drafting.reusesDraft ? own : [];
    return { status, draft: oldest, isPaidByParent: isPaidByParent(account) };
  }
  const draft = own.find(({ invoice }) => invoice.id === drafting.draftId);
  const invoice = draftOf(draft?.invoice, { id: drafting.draftId, accountId: account.id });
  if (invoice.isParentInvoice) {
    const message = `Invoice ${invoice.id} summarizes the invoices of child accounts; a run cannot add items to it`;
    throw billingError(ErrorCode.INVOICE_INVALID_STATUS, message, { invoiceId: invoice.id });
  }
  return { status, draft: { invoice, items: draft?.items ?? [] }, isPaidByParent: isPaidByParent(account) };
}

type Evaluated = Pick<AccountRun, 'evaluations'>;

/**
 * Returns the cursors to store after a run: the cursors of evaluated subscriptions, and the cursors whose catalog
 * revision changes.
 */
export function cursorsAfter(billing: AccountBilling, run: Evaluated): readonly CursorToSave[] {
  return [...evaluatedCursors(billing, run), ...untouchedCursors(billing, run)];
}

/**
 * Returns the new cursors of evaluated subscriptions. They contain the number of items of the day, which the next run
 * needs for its safety bound.
 */
function evaluatedCursors(billing: AccountBilling, run: Evaluated) {
  const { account, subscriptions, runDate } = billing;
  const before = new Map(subscriptions.map((each) => [each.subscriptionId, each]));
  const revisionOf = revisionsNoted(billing);
  return run.evaluations.map(({ subscriptionId, cursor, items }) => {
    const subscription = before.get(subscriptionId);
    const { itemsCreatedToday = 0, cursor: read = null } = subscription ?? {};
    return {
      ...(read?.recordId === undefined ? {} : { recordId: read.recordId }),
      ...cursor,
      accountRecordId: account.recordId,
      catalogRevision: revisionOf(cursor),
      itemsDate: runDate,
      itemsCount: itemsCreatedToday + items.filter(countsDaily).length,
      ongoing: subscription === undefined ? null : computeOngoingCharge(billing, subscription, cursor),
      usage: cursor.usage ?? null,
      keepsOngoing: subscription?.ongoing != null,
    };
  });
}

/**
 * Returns the ongoing charges after the run. If a charge is unchanged, its stored form is kept. Other charges are
 * stored once the account has a bill cycle day.
 */
function computeOngoingCharge(
  { account, newBillCycleDay, billedAlone }: AccountBilling,
  { subscriptionId, events, ongoing = null }: SubscriptionBilling,
  cursor: InvoicingCursor,
) {
  if (ongoing !== null) return ongoing;
  const hasDay = newBillCycleDay !== null || account.billCycleDayLocal !== 0;
  return hasDay && billedAlone.has(subscriptionId) ? ongoingChargeAfter(events, cursor) : null;
}

/**
 * Returns the cursors in which only the catalog revision changes, because a later catalog does not affect their
 * subscriptions. The next run can then skip the comparison with that catalog.
 */
function untouchedCursors(billing: AccountBilling, run: Evaluated) {
  const { behind } = billing;
  if (behind.length === 0) return behind;
  const evaluated = new Set(run.evaluations.map(({ subscriptionId }) => subscriptionId));
  const revisionOf = revisionsNoted(billing);
  return (
    behind
      .filter(({ subscriptionId }) => !evaluated.has(subscriptionId))
      // The later catalog may change parts of the event that are never billed, such as names.
      .map((cursor) => ({ ...cursor, catalogRevision: revisionOf(cursor), ongoing: null }))
  );
}

/**
 * Returns the revision of the current catalog. If the next evaluation still covers days that were billed under an
 * earlier revision, returns that revision.
 */
function revisionsNoted({
  behind,
  subscriptions,
  catalogRevision,
}: AccountBilling): (cursor: InvoicingCursor) => number | null {
  const earlier = new Map(behind.map((cursor) => [cursor.subscriptionId, cursor.catalogRevision]));
  const evaluated = new Map(subscriptions.map((each) => [each.subscriptionId, each]));
  return (cursor) => {
    const subscription = evaluated.get(cursor.subscriptionId);
    const isKept = subscription !== undefined && coversSettledDays(subscription, cursor);
    return isKept ? (earlier.get(cursor.subscriptionId) ?? null) : catalogRevision;
  };
}
