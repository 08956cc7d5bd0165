import type { KeptDelivery, KeptEntry } from '../ports/storage/index.ts';
import { type EventPayload, ProcessingState, QueueKind, QueueName } from '../records/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { type Instant, instant } from '../values/time/index.ts';

/** An entry of the queue as operators see it. */
export interface QueueEntryView {
  readonly recordId: number;
  readonly kind: QueueKind;
  /** Type of a bus event, `<service>:<queue>` of a notification. */
  readonly topic: string;
  /** Of a push, what is sent. */
  readonly event: EventPayload;
  /** Null = the system's own. */
  readonly tenantId: Uuid | null;
  /** 0 = the system. */
  readonly tenantRecordId: number;
  /** Null = of the tenant itself. */
  readonly accountId: Uuid | null;
  readonly accountRecordId: number | null;
  /** Null: a push. */
  readonly userToken: Uuid | null;
  readonly createdDate: Instant;
  /** When it was due, by the business clock. */
  readonly dueDate: Instant;
  readonly state: ProcessingState;
  /** Whether a fix-up has freed it and nobody has taken it since. */
  readonly isCleared: boolean;
  /** Failed attempts. */
  readonly errorCount: number;
  /** What went wrong last. */
  readonly reason: string | null;
  /** The node that works on it, or did last. */
  readonly processingOwner: string | null;
  /** In system time: when its next attempt is due, or the time of the node that works on it is over; null = neither. */
  readonly availableDate: Instant | null;
}

/** Pushes have a table of their own (platform §10.2 rule 1): here their numbers begin where those of entries never come. */
const FIRST_DELIVERY_ID = 2 ** 52;

export function viewOfEntry(entry: KeptEntry): QueueEntryView & { readonly userToken: Uuid } {
  const { recordId, kind, topic, payload, tenantId, tenantRecordId, accountId, accountRecordId } = entry;
  const { userToken, createdDate, processingState, errorCount, reason } = entry;
  const { processingOwner, availableAtMs, isCleared } = entry;
  return {
    recordId,
    kind,
    topic,
    event: payload,
    tenantId,
    tenantRecordId,
    accountId,
    accountRecordId,
    userToken,
    createdDate,
    dueDate: dueDateOf(entry),
    state: processingState,
    isCleared,
    errorCount,
    reason,
    processingOwner,
    availableDate: isCleared || availableAtMs === null ? null : instant(availableAtMs),
  };
}

/** Bus events are due at once. */
export function dueDateOf({ kind, createdDate, effectiveDate }: KeptEntry): Instant {
  return kind === QueueKind.BUS ? createdDate : effectiveDate;
}

/** A push as an entry of the queue of pushes. */
export function viewOfDelivery(delivery: KeptDelivery): QueueEntryView {
  const { recordId, body, createdDate, dueOrder, state, failures, lastError } = delivery;
  const { tenantId, tenantRecordId, accountRecordId } = delivery;
  const event = JSON.parse(body) as EventPayload & { readonly accountId: Uuid | null };
  return {
    recordId: FIRST_DELIVERY_ID + recordId,
    kind: QueueKind.NOTIFICATION,
    topic: QueueName.PUSH_NOTIFICATIONS,
    event,
    tenantId,
    tenantRecordId,
    accountId: event.accountId,
    accountRecordId,
    userToken: null,
    createdDate,
    dueDate: dueOrder === 0 ? createdDate : instant(dueOrder),
    state: ProcessingState[state],
    isCleared: false,
    errorCount: failures,
    reason: lastError,
    processingOwner: null,
    availableDate: null,
  };
}

/** Which of these numbers are entries of the queue, and which are pushes, by the numbers of their own table. */
export function toldApart(recordIds: readonly number[]): {
  readonly entries: readonly number[];
  readonly deliveries: readonly number[];
} {
  return {
    entries: recordIds.filter((id) => id < FIRST_DELIVERY_ID),
    deliveries: recordIds.filter((id) => id > FIRST_DELIVERY_ID).map((id) => id - FIRST_DELIVERY_ID),
  };
}

export function oldestFirst(one: QueueEntryView, other: QueueEntryView): number {
  return one.dueDate - other.dueDate || one.recordId - other.recordId;
}
