import { type PushDelivery, type QueueEntry, QueueName } from '../records/index.ts';
import { parseExactJson, stringifyExactJson } from '../values/money/index.ts';
import { formatInstant, type Instant, instant } from '../values/time/index.ts';

/** A bus entry as the list of queues writes it (platform §9.4). */
export function busEventJson(entry: QueueEntry): string {
  return stringifyExactJson({ ...common(entry), className: entry.topic, ...processing(entry) });
}

/** The same of a notification. The work that it starts carries the token of the call that has planned it. */
export function notificationJson(entry: QueueEntry): string {
  return stringifyExactJson({
    ...common(entry),
    futureUserToken: entry.userToken,
    effectiveDate: formatInstant(entry.effectiveDate),
    queueName: entry.topic,
    ...processing(entry),
  });
}

/** The same of a push, as a notification of its queue. */
export function deliveryJson(delivery: PushDelivery, tenantRecordId: number): string {
  const { recordId, userToken, createdDate, accountRecordId, body, state, failures } = delivery;
  return stringifyExactJson({
    recordId,
    userToken,
    createdDate: formatInstant(createdDate),
    searchKey1: accountRecordId,
    searchKey2: tenantRecordId,
    event: parseExactJson(body),
    futureUserToken: userToken,
    effectiveDate: formatInstant(dueDateOf(delivery)),
    queueName: QueueName.PUSH_NOTIFICATIONS,
    processingState: state,
    errorCount: failures,
    processingOwner: null,
  });
}

function dueDateOf({ dueOrder, createdDate }: PushDelivery): Instant {
  return dueOrder === 0 ? createdDate : instant(dueOrder);
}

function common({ recordId, userToken, createdDate, accountRecordId, tenantRecordId, payload }: QueueEntry) {
  return {
    recordId,
    userToken,
    createdDate: formatInstant(createdDate),
    searchKey1: accountRecordId,
    searchKey2: tenantRecordId,
    event: payload,
  };
}

function processing({ processingState, errorCount, processingOwner }: QueueEntry) {
  return { processingState, errorCount, processingOwner };
}
