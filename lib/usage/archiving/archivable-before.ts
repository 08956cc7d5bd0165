import type { StoredCursor } from '../../records/index.ts';
import { type LocalDate, localDate, minDate, monthOf, yearOf } from '../../values/time/index.ts';

/**
 * The first day whose points have to stay, the first of a month; null = all have to stay. Days before the one from which the
 * next run looks at the subscription's usage are billed, as far as they ever will be, and older than its look-back (§7.1).
 */
export function archivableBefore(
  { dirtyFrom, usage }: Pick<StoredCursor, 'dirtyFrom' | 'usage'>,
  { before, settings }: { readonly before: LocalDate; readonly settings: string },
): LocalDate | null {
  if (dirtyFrom !== null || usage === null || usage.from === null || usage.settings !== settings) return null;
  return minDate(before, localDate(yearOf(usage.from), monthOf(usage.from), 1));
}
