import type { OperatorDelivery, OperatorEntry } from '../ports/storage/index.ts';
import { type EventPayload, type Leading, ProcessingState, QueueKind, QueueName } from '../records/index.ts';
import type { HostInput, Plain } from '../values/host-values/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { type Instant, instant } from '../values/time/index.ts';
import type { Explained } from './late-cause.ts';

/** Filters for the list of queue entries (platform §9.4). */
export interface QueueExportRequest {
  /**
   * Account of the entries. If an account is given, the dates are ignored. By default, all entries are listed,
   * including those without an account.
   */
  readonly accountId?: Uuid;
  /** Selects notifications by the name of their queue. The name may include the service. */
  readonly queueName?: string;
  /** Selects notifications by the service of their queue. */
  readonly serviceName?: string;
  /** Earliest due date of finished entries. Defaults to two days ago. */
  readonly minDate?: Instant;
  /** Latest due date of live entries. Defaults to two days from now. */
  readonly maxDate?: Instant;
  /** If true, includes the history. By default, the history and all other parts are included. */
  readonly withHistory?: boolean;
  readonly withInProcessing?: boolean;
  readonly withBusEvents?: boolean;
  readonly withNotifications?: boolean;
}

/** A late entry and the reason for its delay. */
export interface LateEntryView extends QueueEntryView, Explained {
  readonly userToken: Uuid;
}

export interface QueueLookRequest {
  /** Kind of the entries. By default, both bus entries and notifications are returned. */
  readonly kind?: QueueKind;
  readonly accountId?: Uuid;
  /** Maximum number of entries, from 1 to 1,000. The oldest entries are returned. Defaults to 100. */
  readonly limit?: number;
}

export interface FailedWorkRequest extends QueueLookRequest {
  /** Earliest due date in business time. Defaults to 90 days before `to`. */
  readonly from?: Instant;
  /** Exclusive end of the due dates. Defaults to now. */
  readonly to?: Instant;
}

/** Selects entries by record id. Entries to which the operation does not apply are skipped. */
export interface ChosenEntriesRequest {
  readonly kind: QueueKind;
  /** Record ids of the entries, 1 to 1,000. */
  readonly recordIds: readonly number[];
}

/** Operations on the tenant's queue (platform §9). */
export interface QueueOperations<C extends Leading = []> {
  /**
   * Returns the queue as JSON text, `{"busEvents":[…],"notifications":[…]}`. The text comes from one snapshot, which is
   * closed before the first piece is returned. Memory use does not grow with the queue. The caller must read to the
   * end, or call the iterator's `return`.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002) before the first piece.
   */
  export(...given: [...C, request?: HostInput<QueueExportRequest>]): Promise<AsyncIterable<string>>;
  /**
   * Returns unfinished entries that have been due for longer than `health.lateThreshold`, oldest first, each with the
   * reason.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), INVALID_PARAMETER (60002) for an invalid limit.
   */
  late(...given: [...C, request?: HostInput<QueueLookRequest>]): Promise<readonly LateEntryView[]>;
  /** Returns entries that nodes are processing now. @throws BillingError with the codes of `late`. */
  busy(...given: [...C, request?: HostInput<QueueLookRequest>]): Promise<readonly QueueEntryView[]>;
  /**
   * Returns failed entries of the tenant or the system, oldest first. Pushes appear as notifications.
   * @throws BillingError with the codes of `late`, and INVALID_PARAMETER (60002) for a range of more than 90 days.
   */
  failed(...given: [...C, request?: HostInput<FailedWorkRequest>]): Promise<readonly QueueEntryView[]>;
  /**
   * Repeats failed entries as new entries without failures. The failed entries become REAPED. Handlers apply each
   * effect once. A push is sent again. Entries that are not FAILED or not of this kind are skipped.
   * @returns the number of repeated entries.
   * @throws BillingError MISSING_OR_INVALID_FIELD (60003) for an invalid record id, for no record ids, or for more than
   * 1,000 record ids.
   */
  putBack(...given: [...C, request: ChosenEntriesRequest]): Promise<number>;
  /**
   * Frees stuck entries. An entry is stuck if it is late by more than `health.lateThreshold` and no node is working on
   * it. Any node can claim freed entries immediately, with their failures reset.
   * @returns the number of freed entries.
   * @throws BillingError MISSING_OR_INVALID_FIELD (60003) under the same conditions as `putBack`.
   */
  free(...given: [...C, request: ChosenEntriesRequest]): Promise<number>;
}

/** Selects one tenant. Defaults to all tenants. */
export interface OfOneTenant {
  readonly tenantId?: Uuid | string;
}

/**
 * Operations on the queues of one tenant or of all tenants, for operators. They correspond to the operations of
 * `acme.queues`.
 */
export interface BacklogOperations {
  /**
   * Returns late entries, each with the reason.
   * @throws BillingError INVALID_PARAMETER (60002) for an invalid limit.
   */
  late(request?: HostInput<QueueLookRequest> & OfOneTenant): Promise<readonly Plain<LateEntryView>[]>;
  /** Returns entries that nodes are processing. @throws BillingError INVALID_PARAMETER (60002) for an invalid limit. */
  busy(request?: HostInput<QueueLookRequest> & OfOneTenant): Promise<readonly Plain<QueueEntryView>[]>;
  /** Returns failed entries. @throws BillingError INVALID_PARAMETER (60002) for an invalid limit or date range. */
  failed(request?: HostInput<FailedWorkRequest> & OfOneTenant): Promise<readonly Plain<QueueEntryView>[]>;
  /**
   * Repeats failed entries and returns their number.
   * @throws BillingError with the codes of `QueueOperations.putBack`.
   */
  putBack(request: ChosenEntriesRequest & OfOneTenant): Promise<number>;
  /** Frees stuck entries and returns their number. @throws BillingError with the codes of `QueueOperations.free`. */
  free(request: ChosenEntriesRequest & OfOneTenant): Promise<number>;
}

/** An entry of the queue for operators. */
export interface QueueEntryView {
  readonly recordId: number;
  readonly kind: QueueKind;
  /** Type of a bus event or, for a notification, `<service>:<queue>`. */
  readonly topic: string;
  /** The event's content. For a push, this is the payload of the push. */
  readonly event: EventPayload;
  /** The id of the tenant, or null for entries of the system. */
  readonly tenantId: Uuid | null;
  /** Record id of the tenant. 0 means the system. */
  readonly tenantRecordId: number;
  /** The id of the account, or null for entries of the tenant itself. */
  readonly accountId: Uuid | null;
  readonly accountRecordId: number | null;
  /** The user token of the call that caused the entry, or null for a push. */
  readonly userToken: Uuid | null;
  readonly createdDate: Instant;
  /** The due date by the business clock. */
  readonly dueDate: Instant;
  readonly state: ProcessingState;
  /** True if the entry was freed and no node has claimed it since. */
  readonly isCleared: boolean;
  /** Number of failed attempts. */
  readonly errorCount: number;
  /** The last error. */
  readonly reason: string | null;
  /** The node that is processing the entry, or that processed it last. */
  readonly processingOwner: string | null;
  /**
   * Time of the next attempt, or end of the node's lease, in system time. The value is null if the entry has neither.
   */
  readonly availableDate: Instant | null;
}

/**
 * First id of pushes in the list. Pushes are stored in a separate table (platform §10.2 rule 1), so their ids are moved
 * above the ids of all entries.
 */
const FIRST_DELIVERY_ID = 2 ** 52;

export function viewOfEntry(entry: OperatorEntry): QueueEntryView & { readonly userToken: Uuid } {
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

/** Returns the due date. A bus event is due when it is created. */
export function dueDateOf({ kind, createdDate, effectiveDate }: OperatorEntry): Instant {
  return kind === 'BUS' ? createdDate : effectiveDate;
}

/** Returns a push as an entry of its queue. */
export function viewOfDelivery(delivery: OperatorDelivery): QueueEntryView {
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

/** Splits record ids from the list into the record ids of queue entries and those of pushes. */
export function separatedIds(recordIds: readonly number[]) {
  return {
    entries: recordIds.filter((id) => id < FIRST_DELIVERY_ID),
    deliveries: recordIds.filter((id) => id > FIRST_DELIVERY_ID).map((id) => id - FIRST_DELIVERY_ID),
  };
}

export function oldestFirst(one: QueueEntryView, other: QueueEntryView): number {
  return one.dueDate - other.dueDate || one.recordId - other.recordId;
}
