import { type AccountInvoicingState, type InvoiceAmounts, itemTypes } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type LocalDate, maxDate } from '../../values/time/index.ts';
import { chargedThroughDates } from '../invoices/charged-through-date.ts';
import { accountBalancesAfter, invoiceAmounts } from '../invoices/invoice-amounts.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';
import { isDue } from '../periods/window.ts';
import type { DueDates } from './due-entries.ts';
import {
  type EvaluationSettings,
  evaluateSubscription,
  missingItemIds,
  type SubscriptionBilling,
  type SubscriptionEvaluation,
} from './evaluate-subscription.ts';
import { accountedInvoice, NEW_COMMITTED, type RunInvoice } from './invoice-for-run.ts';

/** What one run of an account reads. */
export interface AccountRunInput extends EvaluationSettings {
  readonly state: AccountInvoicingState;
  /**
   * In output order. Those that are neither due nor charge usage are passed over. Bundles tagged AUTO_INVOICING_OFF are left out by the
   * caller.
   */
  readonly subscriptions: readonly SubscriptionBilling[];
  /** Default a new COMMITTED invoice. */
  readonly invoice?: RunInvoice;
}

/** What one run of an account writes: to one invoice if there are items, and in any case cursors and due dates. */
export interface AccountRun extends DueDates {
  /** One per due subscription, in the order of the input. */
  readonly evaluations: readonly SubscriptionEvaluation[];
  /** Items of all subscriptions, in the order in which they are created; empty = nothing to invoice. */
  readonly items: readonly NewInvoiceItem[];
  /** The invoice that the items go to. */
  readonly invoice: RunInvoice;
  /** Amounts of the whole invoice while it is unpaid. */
  readonly amounts: InvoiceAmounts;
  /**
   * New charged-through dates by subscription (§8.5), also where zero items of usage are dropped; none if the invoice is a
   * DRAFT. They are where the charges of the invoice end.
   */
  readonly chargedThrough: ReadonlyMap<Uuid, LocalDate>;
  /** The subscriptions among them whose dates other invoices tell, too: see `resetChargedThrough`. */
  readonly chargedBefore: ReadonlySet<Uuid>;
  /** The state with the invoice counted in; `version` is left to the storage. */
  readonly state: AccountInvoicingState;
}

/**
 * Evaluates an account at the effective target date: every due subscription, the invoice's amounts and what follows for
 * the account (§8.2 steps 7–9, §8.4, §8.5). Runs, dry runs and tests all go through it. Pure but for
 * `nextItemId` (see `evaluateSubscription`).
 * @throws InvariantError on an illegal state; nothing may be written then.
 */
export function evaluateAccount(input: AccountRunInput, nextItemId: () => Uuid): AccountRun {
  const evaluations = dueSubscriptions(input).map((subscription) =>
    evaluateSubscription(subscription, input, nextItemId),
  );
  const items = evaluations.flatMap((evaluation) => evaluation.items);
  const { invoice = NEW_COMMITTED } = input;
  const all = [...(invoice.draft?.items ?? []), ...items];
  const amounts = invoiceAmounts(all);
  // Where there is nothing to add, a draft stays one.
  const committed = items.length === 0 ? [] : all;
  const chargedThrough =
    invoice.status === 'COMMITTED' ? chargedThroughBy(committed, evaluations) : new Map<Uuid, LocalDate>();
  return {
    evaluations,
    items,
    invoice,
    amounts,
    chargedThrough,
    chargedBefore: new Set(
      committed.length > items.length
        ? chargedThrough.keys()
        : billedInFrontOfOthers(evaluations, chargedThrough),
    ),
    ...dueDatesAfter(evaluations, input),
    state: items.length === 0 ? input.state : stateAfter(input, items, amounts),
  };
}

/** Late usage makes no run, but whatever run comes next bills it (usage §7.7 rule 1). */
function mayHaveLateUsage(usage: SubscriptionBilling['usage']): boolean {
  return usage != null;
}

/** `missingItemIds` of all due subscriptions: one list, so that one query can load them. */
export function missingItemIdsOfAccount(input: AccountRunInput): readonly Uuid[] {
  return dueSubscriptions(input).flatMap((subscription) => missingItemIds(subscription, input));
}

function dueSubscriptions({ subscriptions, targetDate, config }: AccountRunInput) {
  return subscriptions.filter(
    ({ events, cursor, usage }) => mayHaveLateUsage(usage) || isDue({ events, cursor, targetDate, config }),
  );
}

/** Zero items of usage count also where the tenant drops them (usage §7.5 rule 4). */
function chargedThroughBy(
  items: readonly NewInvoiceItem[],
  evaluations: readonly SubscriptionEvaluation[],
): ReadonlyMap<Uuid, LocalDate> {
  const dates = new Map(chargedThroughDates(items));
  for (const { subscriptionId, usage } of evaluations) {
    const date = usage?.chargedThrough ?? null;
    if (date !== null) dates.set(subscriptionId, maxDate(date, dates.get(subscriptionId) ?? date));
  }
  return dates;
}

/** Subscriptions with charges that end before days which stay billed. */
function billedInFrontOfOthers(
  evaluations: readonly SubscriptionEvaluation[],
  dates: ReadonlyMap<Uuid, LocalDate>,
): readonly Uuid[] {
  return evaluations.flatMap(({ subscriptionId, inForceThrough }) => {
    const date = dates.get(subscriptionId);
    return date !== undefined && inForceThrough !== null && date < inForceThrough ? [subscriptionId] : [];
  });
}

/** Those after the target date. */
function dueDatesAfter(
  evaluations: readonly SubscriptionEvaluation[],
  { targetDate, config }: AccountRunInput,
): DueDates {
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
): AccountInvoicingState {
  // What a reused draft held before was not counted anywhere.
  const after = accountedInvoice(invoice, amounts);
  const balanced = accountBalancesAfter(state, { before: null, after });
  // Only recurring charges keep later runs from falling behind its target date (§1.5).
  if (!items.some(({ itemType }) => itemTypes[itemType].recurs)) return balanced;
  const maxTargetDate = state.maxTargetDate === null ? targetDate : maxDate(state.maxTargetDate, targetDate);
  return { ...balanced, maxTargetDate };
}
