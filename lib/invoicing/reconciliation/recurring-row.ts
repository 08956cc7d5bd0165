import type { CoverageRow, InvoiceItem } from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { LocalDate } from '../../values/time/index.ts';

/** A coverage row of a RECURRING item: days that are billed and not repaired. */
export interface RecurringRow extends CoverageRow {
  readonly kind: 'RECURRING';
  readonly endDate: LocalDate;
  readonly rate: Decimal;
}

/** What a repair reads of the RECURRING item that it repairs (BilledItemState of §1.5). */
export type BilledItem = Pick<InvoiceItem, 'id' | 'startDate' | 'endDate' | 'amount' | 'repairable'>;

/** The RECURRING rows among `rows`, by start date. @throws InvariantError on a row without end or rate, or an overlap. */
export function recurringRows(rows: readonly CoverageRow[]): readonly RecurringRow[] {
  const recurring = rows.filter(isRecurring);
  if (recurring.length > 1) recurring.sort((a, b) => a.startDate - b.startDate);
  recurring.forEach((row, index) => {
    const next = recurring[index + 1];
    assertInvariant(
      row.startDate < row.endDate && (next === undefined || row.endDate <= next.startDate),
      'Coverage rows of one subscription overlap or are empty',
      { itemId: row.itemId, startDate: row.startDate, endDate: row.endDate },
    );
  });
  return recurring;
}

function isRecurring(row: CoverageRow): row is RecurringRow {
  if (row.kind !== 'RECURRING') return false;
  assertInvariant(
    row.endDate !== null && row.rate !== null,
    'A RECURRING coverage row has no end date or no rate',
    { itemId: row.itemId, startDate: row.startDate },
  );
  return true;
}
