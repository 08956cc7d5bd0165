import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { BlockLine, PeakLine } from '../rating/rated-usage.ts';

/** An item of an interval; dates, names and currency are those of interval and run (§7.4). */
export type UsageCharge = UsageItem | UsageCredit;

/** What an amount is the difference of: what the lines come to, less what is billed of them. */
export interface ChargeFacts {
  /** All of the interval or, of a DETAIL item, its own one; as they are rated now, whatever is billed of them. */
  readonly lines: readonly (BlockLine | PeakLine)[];
  /** What they come to, rounded to the currency; of CAPACITY the price of the section. */
  readonly due: Decimal;
  /** B of §7.3, or its part of the line. */
  readonly billed: Decimal;
}

export interface UsageItem extends ChargeFacts {
  readonly kind: 'USAGE';
  readonly amount: Decimal;
  /** Tier price of a DETAIL item, else null. */
  readonly rate: Decimal | null;
  /** Blocks of a DETAIL item, else null. */
  readonly quantity: Decimal | null;
  readonly details: string;
}

/** A REPAIR_ADJ that gives back some of a USAGE item (§7.7 rule 2). */
export interface UsageCredit extends ChargeFacts {
  readonly kind: 'CREDIT';
  readonly linkedItemId: Uuid;
  /** Below 0. */
  readonly amount: Decimal;
  /** How much was still to be given back, and how much of that could be given back of this item; above 0. */
  readonly open: Decimal;
  readonly left: Decimal;
  readonly details: string;
}

/** True for an item that only documents its period: it has no amount, and says nothing of blocks that were free (§7.5). */
export function isZeroItem(charge: UsageCharge): boolean {
  if (charge.kind === 'CREDIT' || !charge.amount.isZero()) return false;
  return charge.quantity === null || charge.quantity.lessThanOrEqualTo(0);
}
