import { assertInvariant, BillingError, ErrorCode, InvariantError } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';
import type { InvoicingConfig } from '../periods/invoicing-config.ts';
import type { BilledItem } from '../reconciliation/recurring-row.ts';

export interface ItemBoundsInput {
  /** New items of one subscription in output order, without those of usage, which overlap where there was late usage. */
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

/** The settings for a run that goes past the bounds. */
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
 * Whether an item counts for the daily bound (rule 2). Repairs carry no subscription id; of usage every period that is not
 * billed yet comes at once, however many there are (usage §7.9 rule 6).
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
  return new BillingError({
    code: ErrorCode.INVOICE_BOUND_EXCEEDED,
    message: `${excess}: that is past the safety bound ${setting}; an explicit run with acceptBounds=true goes past it once, the setting ${bound === 'sanitySafetyBoundEnabled' ? 'turns it off' : 'raises it'}`,
    facts: { bound: setting, ...facts },
  });
}

/** Rule 3: items come in date order, so each one has to start where the last of its group ended, or later. */
function assertNoOverlap(
  items: readonly NewInvoiceItem[],
  itemType: 'RECURRING' | 'REPAIR_ADJ',
  groupOf: (item: NewInvoiceItem) => Uuid | null,
): void {
  // Most subscriptions get one item, which overlaps with none.
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
