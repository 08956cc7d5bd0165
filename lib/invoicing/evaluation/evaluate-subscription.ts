import type {
  BillingEvent,
  CoverageRow,
  InvoicingCursor,
  OngoingCharge,
  StoredCursor,
} from '../../records/index.ts';
import {
  assertInvariant,
  BillingError,
  billingError,
  ErrorCode,
  InvariantError,
} from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Currency } from '../../values/money/index.ts';
import { earlierDate, type LocalDate, maxDate } from '../../values/time/index.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';
import { type FixedProposal, fixedProposals, isFreeTrial } from '../proposals/fixed-proposals.ts';
import type { InvoicingConfig } from '../proposals/invoicing-config.ts';
import { recurringProposals } from '../proposals/recurring-proposals.ts';
import { billedAhead, computeStanding, windowOf } from '../proposals/window.ts';
import {
  applyToCoverage,
  type BilledItem,
  type CoverageChanges,
  coverageAfter,
  recurringRows,
} from '../reconciliation/coverage.ts';
import { newItems } from '../reconciliation/new-items.ts';
import { type PeriodOfPhase, reconcile, repairedParts } from '../reconciliation/reconcile.ts';
import { evaluateUsage, type SubscriptionUsage, type UsageEvaluation } from './evaluate-usage.ts';
import { selectProposalsFrom } from './last-evaluation.ts';

export interface SubscriptionBilling {
  readonly subscriptionId: Uuid;
  /**
   * The ongoing charge (see last-evaluation.ts). If this field is set, the event of the charge replaces `events`.
   * Defaults to null.
   */
  readonly ongoing?: OngoingCharge | null;
  /**
   * Billing events in order: for usage, all events; otherwise at least the events from the window's anchor on (§7.2
   * step 4).
   */
  readonly events: readonly BillingEvent[];
  /** The subscription's cursor, or null if the subscription was never evaluated. */
  readonly cursor: (InvoicingCursor & Pick<StoredCursor, 'recordId'>) | null;
  /**
   * Date before which all days keep their current billing (see `knownUntil` of last-evaluation.ts). Null (the default)
   * if all days may change.
   */
  readonly knownUntil?: LocalDate | null;
  /** RECURRING, FIXED and FREE rows of the window, and all rows of the items in `missingItemIds`. */
  readonly rows: readonly CoverageRow[];
  /** Repaired RECURRING items by id (see `missingItemIds`). Other items are ignored. */
  readonly items: ReadonlyMap<Uuid, BilledItem>;
  /** Number of items with this subscription's id that earlier runs created on the current local day. */
  readonly itemsCreatedToday: number;
  /** The usage of the subscription, or null if no event charges usage, or usage is not billed. Defaults to null. */
  readonly usage?: SubscriptionUsage | null;
}

export interface EvaluationSettings {
  readonly targetDate: LocalDate;
  readonly currency: Currency;
  readonly config: InvoicingConfig;
  /**
   * Returns the period of a phase. Used only under fixed-days proration, to repair charges of a plan that is no
   * longer in any loaded event (after an undone change). Without this function, the share is computed from the row
   * itself and may differ due to rounding.
   */
  readonly periodOfPhase?: PeriodOfPhase;
}

/** The changes of one subscription. If there are no items, only the cursor changes. */
export interface SubscriptionEvaluation {
  readonly subscriptionId: Uuid;
  /** FIXED, RECURRING and REPAIR_ADJ items in output order, then usage items. */
  readonly items: readonly NewInvoiceItem[];
  readonly coverage: CoverageChanges;
  /**
   * The end of the RECURRING days in force after the evaluation, or null if there are no such days, or if the
   * subscription charges neither a recurring nor a fixed price.
   */
  readonly inForceThrough: LocalDate | null;
  /**
   * End of the running trial if the tenant's settings drop the trial's item (§5.1 rule 4), or null if there is no such
   * trial, or if days after the trial are billed.
   */
  readonly freeThrough: LocalDate | null;
  /** The changed remainders (`repairable`) of existing items. */
  readonly repairable: readonly Pick<NewInvoiceItem, 'id' | 'repairable'>[];
  readonly cursor: InvoicingCursor;
  /** The next known due date on which items are possible. */
  readonly foreseenDate: LocalDate | null;
  /** The evaluation of usage, or null if usage was not evaluated. */
  readonly usage: UsageEvaluation | null;
}

/**
 * Evaluates one subscription up to the target date inside the window of its cursor (§5–§7). Calls `nextItemId` once
 * per item, in output order.
 * @throws InvariantError if a repaired item is not loaded, a safety bound of §8.4 is exceeded, or usage cannot be
 * billed (see `evaluateUsage`).
 */
export function evaluateSubscription(
  subscription: SubscriptionBilling,
  settings: EvaluationSettings,
  nextItemId: () => Uuid,
): SubscriptionEvaluation {
  const { subscriptionId, events: allEvents, rows, items: billedItems, knownUntil = null } = subscription;
  const { targetDate, currency, config, periodOfPhase } = settings;
  const { events, window, evaluatedFrom, recurring, ahead } = propose(subscription, settings);
  const { start: windowStart, anchorIndex } = window;
  const proposed = fixedProposals({ events, anchorIndex, windowStart, targetDate, currency });
  const { fixed = [], dropped = [] } = Object.groupBy(
    selectProposalsFrom(proposed, knownUntil),
    (proposal) => (config.dropsFreeTrials && isFreeTrial(proposal) ? 'dropped' : 'fixed'),
  );
  const reconciliation = reconcile({
    fixed,
    recurring,
    ahead,
    rows,
    items: billedItems,
    events,
    windowStart: evaluatedFrom,
    targetDate,
    currency,
    prorationFixedDays: config.prorationFixedDays,
    ...(periodOfPhase === undefined ? {} : { periodOfPhase }),
  });

  const items = newItems(reconciliation, currency, nextItemId);
  const used = { subscriptionId, events: allEvents, targetDate, currency, config: config.usage };
  const usage = subscription.usage ? evaluateUsage({ ...used, usage: subscription.usage }, nextItemId) : null;
  assertItemBounds({ items, subscription, config });
  const standing = computeStanding({ events, targetDate, config });
  const coverage = applyToCoverage({ subscriptionId, items, rows, billedItems, currency });
  const billed = coverageAfter(rows, coverage);
  return {
    subscriptionId,
    items: usage === null ? items : [...items, ...usage.items],
    coverage,
    inForceThrough: coverage.inserted.length === 0 ? null : (recurringRows(billed).at(-1)?.endDate ?? null),
    freeThrough: freeThrough(dropped, billed, targetDate),
    repairable: [
      ...[...reconciliation.repairable].map(([id, left]) => ({ id, repairable: left })),
      ...(usage?.repairable ?? []),
    ],
    cursor: {
      subscriptionId,
      dirtyFrom: null,
      settledThrough: computeSettledThrough(subscription.cursor, standing.settledThrough),
      nextDueDate: earlierDate(standing.nextDueDate, usage?.nextDate ?? null),
      usage: usage?.reading ?? null,
    },
    foreseenDate: earlierDate(standing.nextDueDate, usage?.foreseenDate ?? null),
    usage,
  };
}

/**
 * Returns the end of a free trial. A trial that is over or that is followed by charges has no effect, because the
 * charged-through date must not move back.
 */
function freeThrough(
  dropped: readonly FixedProposal[],
  billed: readonly CoverageRow[],
  targetDate: LocalDate,
): LocalDate | null {
  const end = dropped.at(-1)?.endDate ?? null;
  if (end === null || end <= targetDate) return null;
  return billed.some(({ startDate, endDate }) => (endDate ?? startDate) >= end) ? null : end;
}

/**
 * Returns the date up to which usage is settled. An evaluation of late usage may have an earlier date than the last
 * run, but settled usage stays settled.
 */
function computeSettledThrough(
  before: SubscriptionBilling['cursor'],
  after: LocalDate | null,
): LocalDate | null {
  const settled = before === null || before.dirtyFrom !== null ? null : before.settledThrough;
  return settled === null || after === null ? (settled ?? after) : maxDate(settled, after);
}

/**
 * Returns the ids of items that the evaluation will repair and that are missing in `items`. Load each of these items
 * with all of its rows, both inside and outside the window (§7.2 rule 6).
 */
export function missingItemIds(
  subscription: SubscriptionBilling,
  settings: EvaluationSettings,
): readonly Uuid[] {
  const rows = recurringRows(subscription.rows);
  if (rows.length === 0) return [];
  const { evaluatedFrom, ...proposals } = propose(subscription, settings);
  const parts = repairedParts(rows, proposals, evaluatedFrom);
  const ids = new Set(parts.map(({ of: row }) => row.itemId));
  return [...ids].filter((id) => !subscription.items.has(id));
}

function propose(subscription: SubscriptionBilling, settings: EvaluationSettings) {
  const { cursor, knownUntil = null, ongoing = null } = subscription;
  const events = ongoing === null ? subscription.events : [ongoing.event];
  const window =
    ongoing !== null && cursor !== null
      ? { start: cursor.settledThrough, anchorIndex: 0 }
      : windowOf({ events, cursor, targetDate: settings.targetDate });
  const { start: windowStart, anchorIndex } = window;
  return {
    events,
    window,
    /** The date before which days are not compared, or null if all days are compared. */
    evaluatedFrom: knownUntil ?? windowStart,
    recurring: recurringProposals({ events, anchorIndex, windowStart, ...settings }),
    ahead: billedAhead({ events, ...settings }),
  };
}

interface ItemBoundsInput {
  /** New items of one subscription in output order, without usage items, because items of late usage overlap. */
  readonly items: readonly NewInvoiceItem[];
  readonly subscription: {
    readonly subscriptionId: Uuid;
    readonly itemsCreatedToday: number;
    readonly items: ReadonlyMap<Uuid, BilledItem>;
  };
  readonly config: Pick<InvoicingConfig, 'sanitySafetyBoundEnabled' | 'maxDailyItems'>;
}

/**
 * Checks the safety bounds (§8.4). Items beyond the bounds are the result of a defect or damaged data.
 * @throws BillingError INVOICE_BOUND_EXCEEDED (4040), or InvariantError. The caller must then write nothing and park
 * the account.
 */
export function assertItemBounds({ items, subscription, config }: ItemBoundsInput): void {
  if (items.length === 0) return;
  const { subscriptionId } = subscription;
  if (config.sanitySafetyBoundEnabled) refuseDoubleFixed(items, subscriptionId);
  if (config.maxDailyItems >= 0) refuseDailyNumber({ items, subscription, config });
  assertNoOverlap(items, 'RECURRING', () => subscriptionId);
  assertNoOverlap(items, 'REPAIR_ADJ', (item) => item.linkedItemId);
  assertRepairs(items, subscription.items);
}

export function withoutBounds(config: InvoicingConfig): InvoicingConfig {
  return { ...config, sanitySafetyBoundEnabled: false, maxDailyItems: -1 };
}

export function isBoundExceeded(error: unknown): boolean {
  return error instanceof BillingError && error.code === ErrorCode.INVOICE_BOUND_EXCEEDED;
}

/** Checks that no date gets two FIXED items (§8.4 rule 1). Rule 3 covers RECURRING items. */
function refuseDoubleFixed(items: readonly NewInvoiceItem[], subscriptionId: Uuid): void {
  const starts = items.filter(({ itemType }) => itemType === 'FIXED').map(({ startDate }) => startDate);
  if (starts.length < 2 || new Set(starts).size === starts.length) return;
  throw boundExceeded('sanitySafetyBoundEnabled', {
    excess: `Subscription ${subscriptionId} would get two FIXED items on one date`,
    facts: { subscriptionId },
  });
}

/**
 * Returns true if an item counts toward the daily bound (rule 2). Repairs do not count. USAGE items do not count
 * either, because all unbilled usage periods are billed together (usage §7.9 rule 6).
 */
export function countsDaily(item: Pick<NewInvoiceItem, 'itemType' | 'subscriptionId'>): boolean {
  return item.subscriptionId !== null && item.itemType !== 'USAGE';
}

/** Checks the number of items per day (§8.4 rule 2). */
function refuseDailyNumber({ items, subscription, config: { maxDailyItems } }: ItemBoundsInput): void {
  const { subscriptionId, itemsCreatedToday } = subscription;
  const created = items.filter(countsDaily).length;
  if (created === 0 || itemsCreatedToday + created <= maxDailyItems) return;
  throw boundExceeded('maxDailyNumberOfItemsSafetyBound', {
    excess: `Subscription ${subscriptionId} would get ${itemsCreatedToday + created} items in one day, more than ${maxDailyItems}`,
    facts: { subscriptionId, itemsCreatedToday, created, maxDailyItems },
  });
}

/**
 * Returns the error for an exceeded bound. The message names the setting of the bound and both ways to allow more
 * items.
 */
function boundExceeded(
  bound: 'sanitySafetyBoundEnabled' | 'maxDailyNumberOfItemsSafetyBound',
  { excess, facts }: { readonly excess: string; readonly facts: Readonly<Record<string, unknown>> },
): BillingError {
  const setting = `org.service.invoice.${bound}`;
  return billingError(
    ErrorCode.INVOICE_BOUND_EXCEEDED,
    `${excess}, which exceeds the safety bound ${setting}. Start a run with acceptBounds=true to exceed it once, or use the setting to ${bound === 'sanitySafetyBoundEnabled' ? 'turn it off' : 'raise it'}.`,
    { bound: setting, ...facts },
  );
}

/**
 * Checks that items of the same group do not overlap (rule 3). Items are in date order, so each item must start at or
 * after the end of the previous item of its group.
 */
function assertNoOverlap(
  items: readonly NewInvoiceItem[],
  itemType: 'RECURRING' | 'REPAIR_ADJ',
  groupOf: (item: NewInvoiceItem) => Uuid | null,
): void {
  // Most subscriptions get one item, which cannot overlap.
  const endOf = items.length === 1 ? null : new Map<Uuid | null, number>();
  for (const item of items) {
    if (item.itemType !== itemType || item.startDate === null || item.endDate === null) continue;
    const group = groupOf(item);
    const { startDate, endDate } = item;
    if (startDate < (endOf?.get(group) ?? startDate) || startDate >= endDate) {
      const facts = { group, startDate, endDate };
      throw new InvariantError(`${itemType} items of ${group} overlap or are empty`, facts);
    }
    endOf?.set(group, endDate);
  }
}

/**
 * Checks that each repair is within the period of the repaired item, and that repairs never exceed its remainder (rule
 * 4, §1.6 rules 4 and 5).
 */
function assertRepairs(items: readonly NewInvoiceItem[], billed: ReadonlyMap<Uuid, BilledItem>): void {
  if (!items.some(({ itemType }) => itemType === 'REPAIR_ADJ')) return;
  const left = new Map([...billed].map(([id, { repairable }]) => [id, repairable]));
  for (const { itemType, linkedItemId, startDate, endDate, amount } of items) {
    if (itemType !== 'REPAIR_ADJ' || linkedItemId === null) continue;
    const item = billed.get(linkedItemId);
    const remaining = left.get(linkedItemId)?.plus(amount);
    assertInvariant(
      item !== undefined && remaining !== undefined && !amount.greaterThan(0) && !remaining.lessThan(0),
      `Item ${linkedItemId} would be repaired beyond its amount`,
      { itemId: linkedItemId, amount: amount.toFixed() },
    );
    assertInvariant(
      startDate !== null &&
        endDate !== null &&
        startDate >= (item.startDate ?? startDate) &&
        endDate <= (item.endDate ?? endDate),
      `A repair lies outside its item ${linkedItemId}`,
      { itemId: linkedItemId, startDate, endDate },
    );
    left.set(linkedItemId, remaining);
  }
}
