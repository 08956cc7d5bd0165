import type { ClaimedEntry } from '../ports/storage/index.ts';
import { BusEventType, QueueName } from '../queue/model.ts';
import { type LocalDate, parseLocalDate } from '../time/index.ts';

/** Topics that can start an automatic run (invoicing.md §8.1). */
export const RUN_TOPICS: readonly string[] = [
  BusEventType.SUBSCRIPTION_CREATION,
  BusEventType.SUBSCRIPTION_PHASE,
  BusEventType.SUBSCRIPTION_BCD_CHANGE,
  BusEventType.SUBSCRIPTION_QUANTITY,
  QueueName.NEXT_BILLING_DATE,
];

/** What an entry asks of invoicing: a run up to a local date, or nothing. */
export type RunTrigger = { readonly kind: 'run'; readonly targetDate: LocalDate } | { readonly kind: 'none' };

const NOTHING: RunTrigger = Object.freeze({ kind: 'none' });

/**
 * A due entry asks for a run at its date; a subscription event does when it has become effective and is the last of its
 * operation (invoicing.md §8.1). EXPIRED asks for nothing.
 */
export function runTrigger(entry: ClaimedEntry): RunTrigger {
  const { targetDate, actionType, isLastOfOperation } = entry.payload;
  if (typeof targetDate !== 'string') return NOTHING;
  if (entry.topic === QueueName.NEXT_BILLING_DATE)
    return { kind: 'run', targetDate: parseLocalDate(targetDate) };
  if (actionType !== 'EFFECTIVE' || isLastOfOperation !== true) return NOTHING;
  return { kind: 'run', targetDate: parseLocalDate(targetDate) };
}
