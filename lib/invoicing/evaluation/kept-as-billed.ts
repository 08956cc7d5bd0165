import type { Catalog } from '../../catalog/index.ts';
import type { BillingEvent, CoverageRow, InvoicingCursor, StoredCursor } from '../../records/index.ts';
import { type LocalDate, minDate } from '../../values/time/index.ts';
import type { FixedProposal } from '../periods/fixed-proposals.ts';
import type { RecurringProposal } from '../periods/recurring-proposals.ts';
import { windowOf } from '../periods/window.ts';
import { isBehind } from './catalog-changes.ts';

/** A subscription as it was evaluated. */
export interface KeptSubscription {
  readonly events: readonly BillingEvent[];
  readonly keptUntil?: LocalDate | null;
}

/**
 * The date before which a subscription stays as it was billed, whatever the catalog says of it now: where a catalog plugin
 * has begun or ceased to serve the tenant, or has another content than it had, since what it was billed by is not known any
 * more. Nothing that was invoiced is for that reason invoiced anew (catalog §16 rule 1). Null: the catalog of then is
 * known, or nothing was settled.
 */
export function keptUntil(
  cursor: StoredCursor,
  catalog: Pick<Catalog, 'knows' | 'revision'>,
): LocalDate | null {
  const { settledThrough, dirtyFrom, catalogRevision } = cursor;
  if (settledThrough === null || catalogRevision === null || !isBehind(cursor, catalog)) return null;
  if (catalog.knows(catalogRevision)) return null;
  return dirtyFrom === null ? settledThrough : minDate(settledThrough, dirtyFrom);
}

/** True if what the next evaluation looks at, after one that has left `cursor`, begins with days that stay as they were billed. */
export function staysKept(
  { events, keptUntil: until = null }: KeptSubscription,
  cursor: InvoicingCursor,
): boolean {
  if (until === null) return false;
  const { start } = windowOf({ events, cursor, targetDate: null });
  return start === null || start < until;
}

/** What is proposed from a date on; of that date itself what was not charged for its phase, at whatever price. */
export function fixedFrom(
  proposals: readonly FixedProposal[],
  date: LocalDate | null,
  rows: readonly CoverageRow[],
): readonly FixedProposal[] {
  if (date === null) return proposals;
  const wasCharged = ({ startDate, event }: FixedProposal): boolean =>
    rows.some(
      (row) =>
        row.kind === 'FIXED' &&
        row.startDate === startDate &&
        row.planName === event.planName &&
        row.phaseName === event.phaseName,
    );
  return proposals.filter(
    (proposal) => proposal.startDate > date || (proposal.startDate === date && !wasCharged(proposal)),
  );
}

/** Without what is free before a date; of the rest, the days from that date on are looked at anyway. */
export function recurringFrom(
  proposals: readonly RecurringProposal[],
  date: LocalDate | null,
): readonly RecurringProposal[] {
  if (date === null) return proposals;
  return proposals.filter(({ startDate, amount }) => startDate >= date || !amount.isZero());
}
