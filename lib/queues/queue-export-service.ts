import { loadAccount } from '../accounts/index.ts';
import type { Ports } from '../ports/index.ts';
import type { QueuePart, ReadSession } from '../ports/storage/index.ts';
import {
  type CallContext,
  type PushDelivery,
  type QueueEntry,
  QueueKind,
  QueueName,
} from '../records/index.ts';
import { turnsOf } from '../runtime/index.ts';
import { DAY_MS } from '../values/limits.ts';
import { parseExactJson, stringifyExactJson } from '../values/money/index.ts';
import { addMilliseconds, formatInstant, type Instant, instant } from '../values/time/index.ts';
import type { QueueExportRequest } from './queue-operations.ts';

/** Number of entries per read. */
const QUEUE_LIST_PAGE = 500;

/** The request with all defaults. */
interface Wanted {
  readonly accountRecordId: number | null;
  readonly withHistory: boolean;
  readonly withInProcessing: boolean;
  /** First due date of finished entries. */
  readonly from: Instant | null;
  /** Last due date of live entries. */
  readonly to: Instant | null;
  /** Topics of notifications. Null selects all topics. */
  readonly topics: readonly string[] | null;
}

type WriteRows = (rows: readonly string[]) => Promise<void>;

const WINDOW_MS = 2 * DAY_MS;

/** Writes the list of a tenant's queue entries (platform §9.4). */
export async function exportQueues(
  ports: Pick<Ports, 'storage' | 'systemClock' | 'scopes'>,
  context: CallContext,
  request: QueueExportRequest,
): Promise<AsyncIterable<string>> {
  const nextTurn = turnsOf(ports);
  return ports.storage.readText(context.tenant, async (session, write) => {
    const wanted = await resolveExportRequest(session, request, context.createdDate);
    const lists: (readonly [name: string, rows: (writeRows: WriteRows) => Promise<void>])[] = [];
    if (request.withBusEvents ?? true)
      lists.push(['busEvents', (writeRows) => writeBusEvents(session, wanted, writeRows)]);
    if (request.withNotifications ?? true)
      lists.push(['notifications', (writeRows) => writeNotifications(session, wanted, writeRows)]);
    await write('{');
    for (const [index, [name, rows]] of lists.entries()) {
      await write(`${index === 0 ? '' : ','}"${name}":[`);
      let separator = '';
      await rows(async (texts) => {
        if (texts.length > 0) await write(separator + texts.join(','));
        if (texts.length > 0) separator = ',';
        await nextTurn();
      });
      await write(']');
    }
    await write('}');
  });
}

async function resolveExportRequest(session: ReadSession, request: QueueExportRequest, now: Instant) {
  const { accountId, minDate, maxDate, withHistory = true, withInProcessing = true } = request;
  const shared = { withHistory, withInProcessing, topics: topicsNamed(request) };
  if (accountId !== undefined) {
    const { recordId } = await loadAccount(session, accountId);
    return { ...shared, accountRecordId: recordId, from: null, to: null };
  }
  return {
    ...shared,
    accountRecordId: null,
    from: minDate ?? addMilliseconds(now, -WINDOW_MS),
    to: maxDate ?? addMilliseconds(now, WINDOW_MS),
  };
}

async function writeBusEvents(session: ReadSession, wanted: Wanted, write: WriteRows) {
  const of = { ...wanted, topics: null, kind: QueueKind.BUS };
  await writeEntries(session, of, (entries) => write(entries.map(busEventJson)));
}

async function writeNotifications(session: ReadSession, wanted: Wanted, write: WriteRows) {
  const { topics } = wanted;
  const of = { ...wanted, kind: QueueKind.NOTIFICATION };
  if (topics?.length !== 0)
    await writeEntries(session, of, (entries) => write(entries.map(notificationJson)));
  if (topics === null || topics.includes(QueueName.PUSH_NOTIFICATIONS))
    await writeDeliveries(session, wanted, write);
}

/** Writes the history first, then the live entries. */
async function writeEntries(
  session: ReadSession,
  { withHistory, withInProcessing, from, to, ...of }: Wanted & { readonly kind: QueueKind },
  write: (entries: readonly QueueEntry[]) => Promise<void>,
) {
  const parts: readonly QueuePart[] = [
    ...(withHistory ? (['FINISHED'] as const) : []),
    'AVAILABLE',
    ...(withInProcessing ? (['PROCESSING'] as const) : []),
  ];
  for (const part of parts) {
    const dates = part === 'FINISHED' ? { from, to: null } : { from: null, to };
    let page: readonly QueueEntry[] = [];
    do {
      const after = page.at(-1) ?? null;
      page = await session.queue.entries({ ...of, part, ...dates, after, limit: QUEUE_LIST_PAGE });
      await write(page);
    } while (page.length === QUEUE_LIST_PAGE);
  }
}

/** Writes the pushes, which are stored in a separate table. */
async function writeDeliveries(
  session: ReadSession,
  { withHistory, accountRecordId, from, to }: Wanted,
  write: WriteRows,
) {
  for (const part of withHistory ? (['FINISHED', 'AVAILABLE'] as const) : (['AVAILABLE'] as const)) {
    let afterRecordId = 0;
    let length = 0;
    do {
      const request = { part, accountRecordId, from, to, afterRecordId, limit: QUEUE_LIST_PAGE };
      const page = await session.queue.deliveries(request);
      await write(page.map((delivery) => deliveryJson(delivery, session.tenant.recordId)));
      afterRecordId = page.at(-1)?.recordId ?? afterRecordId;
      length = page.length;
    } while (length === QUEUE_LIST_PAGE);
  }
}

/** Returns a bus entry as it appears in the list (platform §9.4). */
function busEventJson(entry: QueueEntry) {
  return stringifyExactJson({ ...common(entry), className: entry.topic, ...pickProcessingFields(entry) });
}

/** Returns a notification as it appears in the list, with the user token of the call that scheduled it. */
function notificationJson(entry: QueueEntry) {
  return stringifyExactJson({
    ...common(entry),
    futureUserToken: entry.userToken,
    effectiveDate: formatInstant(entry.effectiveDate),
    queueName: entry.topic,
    ...pickProcessingFields(entry),
  });
}

/** Returns a push as it appears in the list. It is listed as a notification of its queue. */
function deliveryJson(delivery: PushDelivery, tenantRecordId: number) {
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

function dueDateOf({ dueOrder, createdDate }: PushDelivery) {
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

function pickProcessingFields({ processingState, errorCount, processingOwner }: QueueEntry) {
  return { processingState, errorCount, processingOwner };
}

/**
 * Returns the topics of the notification queues with that name, with or without their service. Null means all queues.
 */
export function topicsNamed({
  queueName,
  serviceName,
}: Pick<QueueExportRequest, 'queueName' | 'serviceName'>): readonly string[] | null {
  if (queueName === undefined && serviceName === undefined) return null;
  return Object.values<string>(QueueName).filter((topic) => {
    const [service, name] = topic.split(':');
    const isQueue = queueName === undefined || queueName === name || queueName === topic;
    return isQueue && (serviceName === undefined || serviceName === service);
  });
}
