import type { KeptDelivery, KeptEntry } from '../ports/storage/index.ts';
import { type EventPayload, ProcessingState, QueueKind, QueueName } from '../records/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { type Instant, instant } from '../values/time/index.ts';

/** A queue entry as those see it who look after the queue (platform §12.1). What a fix-up has cleared is null. */
export interface MonitoredEntry {
  readonly recordId: number;
  readonly kind: QueueKind;
  /** Event type of a bus entry or push, queue name of any other notification. */
  readonly className: string;
  /** Null for bus entries. */
  readonly queueName: string | null;
  readonly payload: EventPayload;
  readonly userToken: Uuid | null;
  readonly createdDate: Instant;
  readonly effectiveDate: Instant | null;
  readonly processingState: ProcessingState | null;
  /** Name of the node that works on it. */
  readonly processingOwner: string | null;
  /** End of its lease, or time of its next attempt (system time). */
  readonly availableDate: Instant | null;
  readonly errorCount: number;
  readonly accountRecordId: number | null;
  readonly tenantRecordId: number;
  /** What went wrong last. */
  readonly reason: string | null;
}

/** Pushes have a table of their own (platform §10.2 rule 1): here their numbers begin where those of entries never come. */
const FIRST_DELIVERY_ID = 2 ** 52;

export function monitoredEntry(entry: KeptEntry): MonitoredEntry {
  const { kind, topic, isCleared, availableAtMs, createdDate, effectiveDate, processingState } = entry;
  const {
    recordId,
    payload,
    userToken,
    processingOwner,
    errorCount,
    accountRecordId,
    tenantRecordId,
    reason,
  } = entry;
  const isBus = kind === QueueKind.BUS;
  return {
    recordId,
    kind,
    className: topic,
    queueName: isBus ? null : topic,
    payload,
    userToken,
    createdDate,
    effectiveDate: isCleared && !isBus ? null : effectiveDate,
    processingState: isCleared ? null : processingState,
    processingOwner,
    availableDate: isCleared || availableAtMs === null ? null : instant(availableAtMs),
    errorCount,
    accountRecordId,
    tenantRecordId,
    reason,
  };
}

export function monitoredDelivery(delivery: KeptDelivery): MonitoredEntry {
  const { recordId, eventType, body, createdDate, dueOrder, state, failures, lastError } = delivery;
  const { accountRecordId, tenantRecordId } = delivery;
  return {
    recordId: FIRST_DELIVERY_ID + recordId,
    kind: QueueKind.NOTIFICATION,
    className: eventType,
    queueName: QueueName.PUSH_NOTIFICATIONS,
    payload: JSON.parse(body) as EventPayload,
    userToken: null,
    createdDate,
    effectiveDate: dueOrder === 0 ? createdDate : instant(dueOrder),
    processingState: ProcessingState[state],
    processingOwner: null,
    availableDate: null,
    errorCount: failures,
    accountRecordId,
    tenantRecordId,
    reason: lastError,
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
