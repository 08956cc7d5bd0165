import type { Uuid } from '../values/ids/index.ts';
import type { Decimal } from '../values/money/index.ts';
import type { LocalDate } from '../values/time/index.ts';

/**
 * What is billed and in force, by days (invoicing §1.5). One record with a kind in place of three tables:
 * RECURRING = CoverageRow, FIXED = FixedRow (no end date), FREE = FreeRow (a recurring item that has come to 0 by itself,
 * not by a plugin).
 */
export interface CoverageRow {
  readonly kind: 'RECURRING' | 'FIXED' | 'FREE';
  readonly subscriptionId: Uuid;
  readonly itemId: Uuid;
  readonly startDate: LocalDate;
  readonly endDate: LocalDate | null;
  readonly planName: string;
  readonly phaseName: string;
  readonly rate: Decimal | null;
  readonly amount: Decimal;
}
