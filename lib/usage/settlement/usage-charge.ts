import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';

/** An item of an interval; dates, names and currency are those of interval and run (§7.4). */
export type UsageCharge = UsageItem | UsageCredit;

export interface UsageItem {
  readonly kind: 'USAGE';
  readonly amount: Decimal;
  /** Tier price of a DETAIL item, else null. */
  readonly rate: Decimal | null;
  /** Blocks of a DETAIL item, else null. */
  readonly quantity: Decimal | null;
  readonly details: string;
}

/** A REPAIR_ADJ that gives back some of a USAGE item (§7.7 rule 2). */
export interface UsageCredit {
  readonly kind: 'CREDIT';
  readonly linkedItemId: Uuid;
  /** Below 0. */
  readonly amount: Decimal;
  readonly details: string;
}

/** True for an item that only documents its period: it has no amount, and says nothing of blocks that were free (§7.5). */
export function isZeroItem(charge: UsageCharge): boolean {
  if (charge.kind === 'CREDIT' || !charge.amount.isZero()) return false;
  return charge.quantity === null || charge.quantity.lessThanOrEqualTo(0);
}
