import type { BillingEvent } from '../../records/index.ts';
import { type BasisEvent, RepairRule, type Share } from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Currency, Decimal } from '../../values/money/index.ts';
import { type BillingPeriod, type LocalDate, minDate } from '../../values/time/index.ts';
import { proratedShare } from '../periods/proration.ts';
import type { Repair } from './new-items.ts';
import { basisEvent } from './new-items.ts';
import type { BilledItem, RecurringRow } from './recurring-row.ts';
import { shareOfRow } from './share-of-row.ts';
import type { UncoveredPart } from './uncovered-parts.ts';

export interface RepairsInput {
  /** Stretches of rows that nothing proposes any more, in date order. */
  readonly parts: readonly UncoveredPart<RecurringRow>[];
  /** All rows of the items that `parts` touch, inside the window or not (§7.2 rule 6). */
  readonly rows: readonly RecurringRow[];
  readonly items: ReadonlyMap<Uuid, BilledItem>;
  /** Billing events in order, as they are now. */
  readonly events: readonly BillingEvent[];
  readonly targetDate: LocalDate;
  readonly currency: Currency;
  readonly prorationFixedDays: number;
  /** Period in which a row's plan and phase recur, null when no event names them any more. */
  readonly periodOf: (row: RecurringRow) => BillingPeriod | null;
}

export interface Repairs {
  readonly repairs: readonly Repair[];
  /** What is left to repair of each repaired item. */
  readonly repairable: ReadonlyMap<Uuid, Decimal>;
}

const NO_REPAIRS: Repairs = Object.freeze({ repairs: [], repairable: new Map() });

/**
 * One repair per part, in date order: its share of the row, but never more than what is left of the item after
 * adjustments and earlier repairs. The repair that takes the item's last day takes all that is left (§6 rules 3–5, 7).
 */
export function repairItems(input: RepairsInput): Repairs {
  if (input.parts.length === 0) return NO_REPAIRS;
  const repairable = new Map<Uuid, Decimal>();
  const repairs: Repair[] = [];
  const daysLeft = daysInForce(input.rows);
  for (const part of input.parts) {
    const { of: row, startDate, endDate } = part;
    const { itemId } = row;
    const item = input.items.get(itemId);
    assertInvariant(item !== undefined, `Item ${itemId} must be loaded to repair it`, { itemId });

    const left = (daysLeft.get(itemId) ?? 0) - (endDate - startDate);
    daysLeft.set(itemId, left);
    const limit = repairable.get(itemId) ?? item.repairable;
    const share = shareOfRow(part, { ...input, item });
    const prorated = share === null ? row.amount : proratedShare(share, input.currency);
    const isAll = left === 0 && !prorated.equals(limit);
    const amount = left === 0 || limit.lessThan(prorated) ? limit : prorated;
    repairable.set(itemId, limit.minus(amount));
    repairs.push({
      itemId,
      startDate,
      endDate,
      amount,
      basis: {
        kind: 'REPAIR',
        event: eventBehind(input, part),
        rule: isAll ? RepairRule.REMAINDER : ruleOf(share, limit.lessThan(prorated)),
        startDate: row.startDate,
        endDate: row.endDate,
        amount: row.amount,
        share,
        repairable: limit,
      },
    });
  }
  return { repairs, repairable };
}

function ruleOf(share: Share | null, isLimited: boolean): RepairRule {
  if (isLimited) return RepairRule.LIMIT;
  return share === null ? RepairRule.WHOLE : RepairRule.PART;
}

/**
 * The event since which the days of a part are no longer due: the one in force on these days or, if they lie after the
 * target date, on the target date, as later events change nothing yet.
 */
function eventBehind(
  { events, targetDate }: Pick<RepairsInput, 'events' | 'targetDate'>,
  { startDate }: UncoveredPart<RecurringRow>,
): BasisEvent | null {
  const until = minDate(startDate, targetDate);
  const inForce = events.findLast(({ localDate }) => localDate <= until);
  return inForce === undefined ? null : basisEvent(inForce);
}

function daysInForce(rows: readonly RecurringRow[]): Map<Uuid, number> {
  const days = new Map<Uuid, number>();
  for (const { itemId, startDate, endDate } of rows) {
    days.set(itemId, (days.get(itemId) ?? 0) + (endDate - startDate));
  }
  return days;
}
