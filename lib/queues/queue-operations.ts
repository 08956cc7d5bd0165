import type { KeptDelivery, KeptEntry } from '../ports/storage/index.ts';
import { type EventPayload, type Leading, ProcessingState, QueueKind, QueueName } from '../records/index.ts';
import type { Given, Plain } from '../values/given/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { type Instant, instant } from '../values/time/index.ts';
import type { Explained } from './late-cause.ts';

/** Which entries the list of queues has (platform §9.4); what is switched off is left out. */
export interface QueueExportRequest {
  /** Only those of this account; the dates are then ignored. Default: of all, and those of the tenant itself. */
  readonly accountId?: Uuid;
  /** Only notifications of queues with this name, with the service in front or without. */
  readonly queueName?: string;
  /** Only notifications of queues of this service. */
  readonly serviceName?: string;
  /** Finished entries that were due since then; default two days before now. */
  readonly minDate?: Instant;
  /** Live entries that are due by then; default two days after now. */
  readonly maxDate?: Instant;
  /** Each default true. */
  readonly withHistory?: boolean;
  readonly withInProcessing?: boolean;
  readonly withBusEvents?: boolean;
  readonly withNotifications?: boolean;
}

/** An entry that is late, and why. */
export interface LateEntryView extends QueueEntryView, Explained {
  readonly userToken: Uuid;
}

export interface QueueLookRequest {
  /** Default: bus entries and notifications. */
  readonly kind?: QueueKind;
  readonly accountId?: Uuid;
  /** At most so many of them, the oldest; 1 to 1,000, default 100. */
  readonly limit?: number;
}

export interface FailedWorkRequest extends QueueLookRequest {
  /** Due then or later (business time); default 90 days before `to`. */
  readonly from?: Instant;
  /** Due before; default now. */
  readonly to?: Instant;
}

/** Entries by their numbers; those that are not fit for the call are passed over. */
export interface ChosenEntriesRequest {
  readonly kind: QueueKind;
  /** 1 to 1,000. */
  readonly recordIds: readonly number[];
}

/** The queue of the tenant, for those who look after it (platform §9). */
export interface QueueOperations<C extends Leading = []> {
  /**
   * The queue as JSON text, `{"busEvents":[…],"notifications":[…]}`, from one snapshot that has ended before the first piece
   * is given; memory does not grow with the queue. The caller reads to the end or calls the iterator's `return`.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), before anything is given.
   */
  export(...given: [...C, request?: Given<QueueExportRequest>]): Promise<AsyncIterable<string>>;
  /**
   * Entries that are due for longer than `health.lateThreshold` and not done, the oldest first, each with the reason: who
   * works on it, what it waits for, how it has failed.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), INVALID_PARAMETER (60002) for a limit out of range.
   */
  late(...given: [...C, request?: Given<QueueLookRequest>]): Promise<readonly LateEntryView[]>;
  /** Entries that nodes work on now. @throws BillingError as `late`. */
  busy(...given: [...C, request?: Given<QueueLookRequest>]): Promise<readonly QueueEntryView[]>;
  /**
   * Entries of the tenant, or of the system, that were given up, the oldest first, pushes among the notifications.
   * @throws BillingError as `late`, and INVALID_PARAMETER (60002) for a range of more than 90 days.
   */
  failed(...given: [...C, request?: Given<FailedWorkRequest>]): Promise<readonly QueueEntryView[]>;
  /**
   * Lets entries that were given up be done after all, as new entries that have not failed yet; the failed ones read
   * REAPED from then on. Their handlers take each effect for once. A push is sent again. Those that are not FAILED, or not
   * of this kind, are passed over.
   * @returns how many were put back.
   * @throws BillingError MISSING_OR_INVALID_FIELD (60003) for no numbers or more than 1,000, or what is no number of an entry.
   */
  putBack(...given: [...C, request: ChosenEntriesRequest]): Promise<number>;
  /**
   * Frees entries that are stuck: late by more than `health.lateThreshold`, and on which no node works. They are ready at
   * once on any node, with no failures counted.
   * @returns how many were freed.
   * @throws BillingError MISSING_OR_INVALID_FIELD (60003) as `putBack`.
   */
  free(...given: [...C, request: ChosenEntriesRequest]): Promise<number>;
}

/** Whose queue is looked at: one tenant's, by default all. */
export interface OfOneTenant {
  readonly tenantId?: Uuid | string;
}

/** The queues of all tenants, for operators: as `acme.queues`, of one tenant or of all. */
export interface BacklogOperations {
  /** What is late, and why. @throws BillingError INVALID_PARAMETER (60002) for a limit out of range. */
  late(request?: Given<QueueLookRequest> & OfOneTenant): Promise<readonly Plain<LateEntryView>[]>;
  /** What nodes work on now. @throws BillingError INVALID_PARAMETER (60002) for a limit out of range. */
  busy(request?: Given<QueueLookRequest> & OfOneTenant): Promise<readonly Plain<QueueEntryView>[]>;
  /** What was given up. @throws BillingError INVALID_PARAMETER (60002) for a limit or dates out of range. */
  failed(request?: Given<FailedWorkRequest> & OfOneTenant): Promise<readonly Plain<QueueEntryView>[]>;
  /**
   * Lets entries that were given up be done after all.
   * @returns how many were put back. @throws BillingError MISSING_OR_INVALID_FIELD (60003) for no numbers or more than 1,000.
   */
  putBack(request: ChosenEntriesRequest & OfOneTenant): Promise<number>;
  /**
   * Frees entries that are stuck: late by more than `health.lateThreshold`, and on which no node works.
   * @returns how many were freed. @throws BillingError MISSING_OR_INVALID_FIELD (60003) as `putBack`.
   */
  free(request: ChosenEntriesRequest & OfOneTenant): Promise<number>;
}

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
