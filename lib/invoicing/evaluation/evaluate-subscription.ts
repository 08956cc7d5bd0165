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
import type { Currency, Decimal } from '../../values/money/index.ts';
import { type LocalDate, maxDate } from '../../values/time/index.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';
import { fixedProposals } from '../proposals/fixed-proposals.ts';
import type { InvoicingConfig } from '../proposals/invoicing-config.ts';
import { type RecurringProposal, recurringProposals } from '../proposals/recurring-proposals.ts';
import {
  type BillingWindow,
  billedAhead,
  type DaysOfKind,
  earlier,
  standingAfter,
  windowOf,
} from '../proposals/window.ts';
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
import { fixedFrom } from './last-evaluation.ts';

export interface SubscriptionBilling {
  readonly subscriptionId: Uuid;
  /**
   * What bills it on as it was (see last-evaluation.ts): whole periods from the settled date on, after which there are no
   * rows. Its event then replaces `events`. Default null.
   */
  readonly ongoing?: OngoingCharge | null;
  /** Billing events in order; from the anchor of the window on is enough (§7.2 step 4), but for usage. */
  readonly events: readonly BillingEvent[];
  /** null = never evaluated. */
  readonly cursor: (InvoicingCursor & Pick<StoredCursor, 'recordId'>) | null;
  /** Days before it stay as they were billed (see `keptUntil` of last-evaluation.ts); default: none do. */
  readonly keptUntil?: LocalDate | null;
  /** RECURRING, FIXED and FREE rows of the window, and all rows of the items named by `missingItemIds`. */
  readonly rows: readonly CoverageRow[];
  /** RECURRING items that are repaired, by id (see `missingItemIds`); further ones do no harm. */
  readonly items: ReadonlyMap<Uuid, BilledItem>;
  /** Items with this subscription's id that earlier runs created on the current local day. */
  readonly itemsCreatedToday: number;
  /** null = no event charges usage, or none is to be billed. Default null. */
  readonly usage?: SubscriptionUsage | null;
}

export interface EvaluationSettings {
  readonly targetDate: LocalDate;
  readonly currency: Currency;
  readonly config: InvoicingConfig;
  /**
   * Consulted under fixed-days proration only, for repairs of a plan that no loaded event names any more (a change that
   * was undone). Without it the share is taken of the row itself, which may differ by a rounding.
   */
  readonly periodOfPhase?: PeriodOfPhase;
}

/** The changes of one subscription; without items only the cursor changes. */
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
  /** The next known due date that can have items; others bill nothing. */
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

/** Late usage may be evaluated at an earlier date than the last one; settled usage stays settled. */
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

interface ItemBoundsInput {
  /** New items of one subscription in output order, without usage, which overlaps if late. */
  readonly items: readonly NewInvoiceItem[];
  readonly subscription: {
    readonly subscriptionId: Uuid;
    readonly itemsCreatedToday: number;
    readonly items: ReadonlyMap<Uuid, BilledItem>;
  };
  readonly config: Pick<InvoicingConfig, 'sanitySafetyBoundEnabled' | 'maxDailyItems'>;
}

/**
 * Refuses output that asks too much, or that only a defect or damaged data can bring about (§8.4).
 * @throws BillingError INVOICE_BOUND_EXCEEDED (4040), or InvariantError. Nothing may be written then, and the account is
 * parked.
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

/** Rule 1; for RECURRING items it follows from rule 3. */
function refuseDoubleFixed(items: readonly NewInvoiceItem[], subscriptionId: Uuid): void {
  const starts = items.filter(({ itemType }) => itemType === 'FIXED').map(({ startDate }) => startDate);
  if (starts.length < 2 || new Set(starts).size === starts.length) return;
  throw boundExceeded('sanitySafetyBoundEnabled', {
    excess: `Subscription ${subscriptionId} would get two FIXED items on one date`,
    facts: { subscriptionId },
  });
}

/**
 * Whether an item counts for the daily bound (rule 2). Repairs have no subscription id; all unbilled usage periods come
 * at once, however many (usage §7.9 rule 6).
 */
export function countsDaily({
  itemType,
  subscriptionId,
}: Pick<NewInvoiceItem, 'itemType' | 'subscriptionId'>): boolean {
  return subscriptionId !== null && itemType !== 'USAGE';
}

/** Rule 2. */
function refuseDailyNumber({ items, subscription, config: { maxDailyItems } }: ItemBoundsInput): void {
  const { subscriptionId, itemsCreatedToday } = subscription;
  const created = items.filter(countsDaily).length;
  if (created === 0 || itemsCreatedToday + created <= maxDailyItems) return;
  throw boundExceeded('maxDailyNumberOfItemsSafetyBound', {
    excess: `Subscription ${subscriptionId} would get ${itemsCreatedToday + created} items in one day, more than ${maxDailyItems}`,
    facts: { subscriptionId, itemsCreatedToday, created, maxDailyItems },
  });
}

/** The error names the bound by its setting, and both ways past it. */
function boundExceeded(
  bound: 'sanitySafetyBoundEnabled' | 'maxDailyNumberOfItemsSafetyBound',
  { excess, facts }: { readonly excess: string; readonly facts: Readonly<Record<string, unknown>> },
): BillingError {
  const setting = `org.service.invoice.${bound}`;
  return billingError(
    ErrorCode.INVOICE_BOUND_EXCEEDED,
    `${excess}: that is past the safety bound ${setting}; an explicit run with acceptBounds=true goes past it once, the setting ${bound === 'sanitySafetyBoundEnabled' ? 'turns it off' : 'raises it'}`,
    { bound: setting, ...facts },
  );
}

/** Rule 3: items come in date order, so each must start at or after the end of its group's last one. */
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
      const message = `${itemType} items of ${group} overlap or are empty`;
      throw new InvariantError(message, { group, startDate, endDate });
    }
    endOf?.set(group, endDate);
  }
}

/** Rule 4 with §1.6 rules 4 and 5: repairs lie inside their item and never exceed what is left of it. */
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
