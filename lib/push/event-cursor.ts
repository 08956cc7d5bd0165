import { invalidParameter } from '../values/errors/index.ts';

/** In place of a cursor: before all events that are kept, and after all that have happened. */
export const OLDEST = 'oldest';
export const LATEST = 'latest';

/** A place in the order of events, as callers keep it: they need not know that it is a number. */
export function cursorOf(recordId: number): string {
  return String(recordId);
}

/** @throws BillingError INVALID_PARAMETER (60002). */
export function readCursor(cursor: string): number {
  if (cursor === OLDEST) return 0;
  const recordId = /^\d{1,15}$/.test(cursor) ? Number(cursor) : Number.NaN;
  if (Number.isNaN(recordId))
    throw invalidParameter('after is no cursor of events: give what an earlier answer or event had', {
      after: cursor.slice(0, 100),
    });
  return recordId;
}
