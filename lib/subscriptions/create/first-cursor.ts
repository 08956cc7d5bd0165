import type { StoredCursor, Subscription } from '../../records/index.ts';
import type { LocalDate } from '../../values/time/index.ts';

/** The cursor that a new subscription is stored with: invoicing owes it everything from its first day. */
export function firstCursor(
  { id, accountRecordId }: Pick<Subscription, 'id' | 'accountRecordId'>,
  firstDay: LocalDate,
): StoredCursor {
  return {
    subscriptionId: id,
    accountRecordId,
    settledThrough: null,
    dirtyFrom: firstDay,
    nextDueDate: null,
    catalogRevision: null,
    itemsDate: null,
    itemsCount: 0,
    ongoing: null,
  };
}
