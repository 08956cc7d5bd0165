import { isAdjustable, rowsOfItem } from '../invoicing/index.ts';
import {
  type CoverageRow,
  type Invoice,
  type InvoiceItem,
  InvoiceItemType,
  InvoiceStatus,
  itemTypes,
} from '../records/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { formatDecimal, sum } from '../values/money/index.ts';
import { formatLocalDate } from '../values/time/index.ts';
import { CheckedInvariant, type Finding } from './model.ts';

export interface ItemRemainders {
  readonly invoice: Pick<Invoice, 'status' | 'isMigration' | 'currency'>;
  readonly item: InvoiceItem;
  /** Repairs and adjustments of the item on invoices that are not VOID. */
  readonly taken: readonly InvoiceItem[];
  /** All coverage rows of the item. */
  readonly rows: readonly CoverageRow[];
}

/**
 * What is stored of a charge and differs from what repairs and adjustments leave of it; nothing may be left on a VOID
 * invoice.
 */
export function wrongRemainders(of: ItemRemainders): readonly Finding[] {
  const { invoice, item } = of;
  if (!isAdjustable(item)) return [];
  const covered = wrongRows(of);
  return invoice.status === InvoiceStatus.VOID || invoice.isMigration
    ? covered
    : [...wrongRest(of), ...covered];
}

function wrongRest({ item, taken }: ItemRemainders): readonly Finding[] {
  const left = item.amount.plus(sum(taken.map(({ amount }) => amount)));
  const wrong = item.repairable.equals(left)
    ? []
    : [finding(item.id, `has ${formatDecimal(left)} left, kept as ${formatDecimal(item.repairable)}`)];
  return left.isNegative() && !left.isZero()
    ? [...wrong, finding(item.id, `is repaired and adjusted by more than it is: ${formatDecimal(left)}`)]
    : wrong;
}

function wrongRows(of: ItemRemainders): readonly Finding[] {
  const [stored, expected] = [linesOf(of.rows), linesOf(expectedRows(of))];
  if (stored === expected) return [];
  return [finding(of.item.id, `is in force as [${stored}], its repairs leave [${expected}]`)];
}

function expectedRows({ invoice, item, taken }: ItemRemainders): readonly CoverageRow[] {
  const { coversDays } = itemTypes[item.itemType];
  if (!coversDays || invoice.isMigration || invoice.status === InvoiceStatus.VOID) return [];
  const repairs = taken.filter(({ itemType }) => itemType === InvoiceItemType.REPAIR_ADJ);
  return rowsOfItem(item, repairs, invoice.currency);
}

function linesOf(rows: readonly CoverageRow[]): string {
  return rows
    .map(({ kind, startDate, endDate, amount }) => {
      const days = `${formatLocalDate(startDate)}..${endDate === null ? '' : formatLocalDate(endDate)}`;
      // What the catalog asks for, which a plugin may have changed on the item.
      if (kind === 'FIXED') return `${kind} ${days}`;
      // A plugin may have made a charge free, which stays one.
      return amount.isZero() ? `FREE ${days}` : `${kind} ${days} ${formatDecimal(amount)}`;
    })
    .sort()
    .join(', ');
}

function finding(itemId: Uuid, what: string): Finding {
  return { invariant: CheckedInvariant.REPAIRS, message: `item ${itemId} ${what}` };
}
