import type { Catalog } from '../../catalog/index.ts';
import type { BillingEvent, InvoicingCursor, StoredCursor } from '../../records/index.ts';
import { type LocalDate, minDate } from '../../values/time/index.ts';
import type { FixedProposal } from '../periods/fixed-proposals.ts';
import { windowOf } from '../periods/window.ts';
import { isBehind } from './catalog-changes.ts';

/** A subscription as it was evaluated. */
export interface KeptSubscription {
  readonly events: readonly BillingEvent[];
  readonly keptUntil?: LocalDate | null;
}

/**
 * The date before which a subscription stays as it was billed, whatever the catalog now says of it. There is one where a
 * catalog plugin has begun or ceased to serve the tenant, or has changed its content: what was billed then was billed by
 * a catalog that is not known any more, and nothing is invoiced anew for that reason (catalog §16 rule 1). Null: the
 * catalog of then is known, or nothing was settled.
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

/** True if the next evaluation, after the one that left `cursor`, still looks at days that stay as they were billed. */
export function staysKept(
  { events, keptUntil: until = null }: KeptSubscription,
  cursor: InvoicingCursor,
): boolean {
  if (until === null) return false;
  const { start } = windowOf({ events, cursor, targetDate: null });
  return start === null || start < until;
}

/** The proposals from a date on: those of earlier days stay as they were billed. */
export function fixedFrom(
  proposals: readonly FixedProposal[],
  date: LocalDate | null,
): readonly FixedProposal[] {
  return date === null ? proposals : proposals.filter(({ startDate }) => startDate >= date);
}
