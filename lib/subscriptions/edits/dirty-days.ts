import type { LifecycleEvent, New, StoredCursor } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type LocalDate, minDate } from '../../values/time/index.ts';
import { firstDayAtEnd } from '../blocking/blocked-intervals.ts';
import { isEnd, isMarker } from '../timeline/lifecycle-order.ts';
import { eventsOfEdit, type SubscriptionEdit } from './subscription-edit.ts';

/** A day from which a subscription may be billed differently than before. */
export interface TouchedDate {
  readonly subscriptionId: Uuid;
  readonly date: LocalDate;
}

/** The cursor of a subscription once these days are marked to be looked at again. */
export function dirtiedFrom(cursor: StoredCursor, dates: readonly LocalDate[]): StoredCursor {
  const all = cursor.dirtyFrom === null ? dates : [cursor.dirtyFrom, ...dates];
  return all.length === 0 ? cursor : { ...cursor, dirtyFrom: all.reduce((a, b) => minDate(a, b)) };
}

/** The day of an event, as one that billing has to look at again. */
export function touchedBy(event: New<LifecycleEvent>): TouchedDate {
  return { subscriptionId: event.subscriptionId, date: event.effective.date };
}

/** The days that billing has to look at again after an operation. */
export function touchedDates(edit: SubscriptionEdit): readonly TouchedDate[] {
  const subscriptionId = edit.subject.subscription.id;
  const besides = (edit.touched ?? []).map((date) => ({ subscriptionId, date }));
  const own = eventsOfEdit(edit).filter((event) => !isMarker(event));
  return [...own.map((event) => touchedOf(event, edit)), ...besides];
}

function touchedOf(event: New<LifecycleEvent>, { subject }: SubscriptionEdit): TouchedDate {
  const touched = touchedBy(event);
  return isEnd(event)
    ? { ...touched, date: firstDayAtEnd(subject.blockingStates, event.effective) }
    : touched;
}
