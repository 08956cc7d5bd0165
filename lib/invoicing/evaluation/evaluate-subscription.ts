import type {
  BillingEvent,
  CoverageRow,
  InvoicingCursor,
  OngoingCharge,
  StoredCursor,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Currency, Decimal } from '../../values/money/index.ts';
import { type LocalDate, maxDate, minDate } from '../../values/time/index.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';
import { billedAhead, type DaysOfKind } from '../periods/billed-ahead.ts';
import { fixedProposals } from '../periods/fixed-proposals.ts';
import type { InvoicingConfig } from '../periods/invoicing-config.ts';
import { standingAfter } from '../periods/next-due-date.ts';
import { type RecurringProposal, recurringProposals } from '../periods/recurring-proposals.ts';
import { type BillingWindow, windowOf } from '../periods/window.ts';
import { applyToCoverage, type CoverageChanges, coverageAfter } from '../reconciliation/apply-to-coverage.ts';
import { newItems } from '../reconciliation/new-items.ts';
import { type PeriodOfPhase, reconcile, repairedParts } from '../reconciliation/reconcile.ts';
import { type BilledItem, recurringRows } from '../reconciliation/recurring-row.ts';
import { evaluateUsage } from './evaluate-usage.ts';
import { fixedFrom } from './kept-as-billed.ts';
import { assertItemBounds } from './safety-bounds.ts';
import type { SubscriptionUsage, UsageEvaluation } from './usage-run.ts';

/** Everything that the evaluation of one subscription reads. */
export interface SubscriptionBilling {
  readonly subscriptionId: Uuid;
  /**
   * What bills it on as it was (see ongoing-charge.ts): whole periods from the settled date on, after which there are no
   * rows. Its event then replaces `events`. Default null.
   */
  readonly ongoing?: OngoingCharge | null;
  /** Billing events in order; from the anchor of the window on is enough (§7.2 step 4), but for usage. */
  readonly events: readonly BillingEvent[];
  /** null = never evaluated. */
  readonly cursor: (InvoicingCursor & Pick<StoredCursor, 'recordId'>) | null;
  /** Days before it stay as they were billed (see `keptUntil` of kept-as-billed.ts); default: none do. */
  readonly keptUntil?: LocalDate | null;
  /** RECURRING, FIXED and FREE rows of the window, and all rows of the items named by `missingItemIds`. */
  readonly rows: readonly CoverageRow[];
  /** RECURRING items that are repaired, by id (see `missingItemIds`); further ones do no harm. */
  readonly items: ReadonlyMap<Uuid, BilledItem>;
  /** Items with this subscription's id that earlier runs created on the current local day. */
  readonly itemsCreatedToday: number;
  /** null = none of its events charges usage, or nothing is to be billed of it. Default null. */
  readonly usage?: SubscriptionUsage | null;
}

export interface EvaluationSettings {
  /** Effective target date (see `effectiveTargetDate`). */
  readonly targetDate: LocalDate;
  readonly currency: Currency;
  readonly config: InvoicingConfig;
  /**
   * Consulted under fixed-days proration only, for repairs of a plan that no loaded event names any more (a change that
   * was undone). Without it the share is taken of the row itself, which may differ by a rounding.
   */
  readonly periodOfPhase?: PeriodOfPhase;
}

/** What a run has to write for one subscription; without items only the cursor changes. */
export interface SubscriptionEvaluation {
  readonly subscriptionId: Uuid;
  /** FIXED, RECURRING and REPAIR_ADJ items in output order, then those of usage. */
  readonly items: readonly NewInvoiceItem[];
  readonly coverage: CoverageChanges;
  /** End of the RECURRING days in force after it; null where there are none, or it charges no recurring or fixed price. */
  readonly inForceThrough: LocalDate | null;
  /** New `repairable` of existing items. */
  readonly repairable: readonly { readonly id: Uuid; readonly repairable: Decimal }[];
  readonly cursor: InvoicingCursor;
  /** The next due date on which there can be items, as far as is known now: others come to nothing. */
  readonly foreseenDate: LocalDate | null;
  /** null = no usage was evaluated. */
  readonly usage: UsageEvaluation | null;
}

interface Proposals {
  readonly window: BillingWindow;
  /** Days before it are not looked at; null = all days are. */
  readonly lookedAtFrom: LocalDate | null;
  readonly recurring: readonly RecurringProposal[];
  readonly ahead: DaysOfKind | null;
}

/**
 * Evaluates one subscription up to the target date inside the window of its cursor (§5–§7). Pure but for `nextItemId`,
 * which is called once per item in output order: a run passes the id port, a dry run and the tests a counter.
 * @throws InvariantError if an item that is repaired is not loaded, a safety bound of §8.4 is broken, or usage cannot be
 * billed (see `evaluateUsage`).
 */
export function evaluateSubscription(
  subscription: SubscriptionBilling,
  settings: EvaluationSettings,
  nextItemId: () => Uuid,
): SubscriptionEvaluation {
  const { subscriptionId, rows, items: billedItems, keptUntil = null } = subscription;
  const events = billingEventsOf(subscription);
  const { targetDate, currency, config, periodOfPhase } = settings;
  const { window, lookedAtFrom, recurring, ahead } = propose(subscription, settings);
  const { start: windowStart, anchorIndex } = window;
  const reconciliation = reconcile({
    fixed: fixedFrom(fixedProposals({ events, anchorIndex, windowStart, targetDate, currency }), keptUntil),
    recurring,
    ahead,
    rows,
    items: billedItems,
    events,
    windowStart: lookedAtFrom,
    targetDate,
    currency,
    prorationFixedDays: config.prorationFixedDays,
    ...(periodOfPhase === undefined ? {} : { periodOfPhase }),
  });

  const items = newItems(reconciliation, nextItemId);
  const usage = usageOf(subscription, settings, nextItemId);
  assertItemBounds({ items, subscription, config });
  const standing = standingAfter({ events, targetDate, config });
  const usageRepairs = usage?.repairable ?? [];
  const coverage = applyToCoverage({ subscriptionId, items, rows, billedItems, currency });
  return {
    subscriptionId,
    items: usage === null ? items : [...items, ...usage.items],
    coverage,
    inForceThrough:
      coverage.inserted.length === 0
        ? null
        : (recurringRows(coverageAfter(rows, coverage)).at(-1)?.endDate ?? null),
    repairable: [
      ...[...reconciliation.repairable].map(([id, left]) => ({ id, repairable: left })),
      ...usageRepairs,
    ],
    cursor: {
      subscriptionId,
      dirtyFrom: null,
      settledThrough: settledThrough(subscription.cursor, standing.settledThrough),
      nextDueDate: earlier(standing.nextDueDate, usage?.nextDate ?? null),
      usage: usage?.reading ?? null,
    },
    foreseenDate: earlier(standing.nextDueDate, usage?.foreseenDate ?? null),
    usage,
  };
}

/** Late usage may be looked at on an earlier date than the last one: what was settled then stays so. */
function settledThrough(before: SubscriptionBilling['cursor'], after: LocalDate | null): LocalDate | null {
  const settled = before === null || before.dirtyFrom !== null ? null : before.settledThrough;
  return settled === null || after === null ? (settled ?? after) : maxDate(settled, after);
}

function usageOf(
  { subscriptionId, events, usage = null }: SubscriptionBilling,
  { targetDate, currency, config }: EvaluationSettings,
  nextItemId: () => Uuid,
): UsageEvaluation | null {
  if (usage === null) return null;
  return evaluateUsage(
    { subscriptionId, events, usage, targetDate, currency, config: config.usage },
    nextItemId,
  );
}

function earlier(one: LocalDate | null, other: LocalDate | null): LocalDate | null {
  return one === null || other === null ? (one ?? other) : minDate(one, other);
}

/**
 * Ids of items that the evaluation will repair and that `items` does not hold. Load each of them together with **all** of
 * its rows, inside the window or not (§7.2 rule 6), then evaluate; a subscription without changes needs none.
 */
export function missingItemIds(
  subscription: SubscriptionBilling,
  settings: EvaluationSettings,
): readonly Uuid[] {
  const rows = recurringRows(subscription.rows);
  if (rows.length === 0) return [];
  const { lookedAtFrom, ...proposals } = propose(subscription, settings);
  const parts = repairedParts(rows, proposals, lookedAtFrom);
  const ids = new Set(parts.map(({ of: row }) => row.itemId));
  return [...ids].filter((id) => !subscription.items.has(id));
}

function billingEventsOf({ events, ongoing = null }: SubscriptionBilling): readonly BillingEvent[] {
  return ongoing === null ? events : [ongoing.event];
}

function propose(subscription: SubscriptionBilling, settings: EvaluationSettings): Proposals {
  const { cursor, keptUntil = null, ongoing = null } = subscription;
  const events = billingEventsOf(subscription);
  const window =
    ongoing !== null && cursor !== null
      ? { start: cursor.settledThrough, anchorIndex: 0 }
      : windowOf({ events, cursor, targetDate: settings.targetDate });
  const { start: windowStart, anchorIndex } = window;
  return {
    window,
    lookedAtFrom: keptUntil ?? windowStart,
    recurring: recurringProposals({ events, anchorIndex, windowStart, ...settings }),
    ahead: billedAhead({ events, ...settings }),
  };
}
