import {
  type EventPayload,
  type ProcessingState,
  pushDeliveryFields,
  type QueueKind,
} from '../../../lib/records/index.ts';
import {
  bigint,
  bigintOrNull,
  fieldsOf,
  instantAt,
  integer,
  integerOrNull,
  json,
  oneOf,
  text,
  textOrNull,
  uuid,
  uuidOrNull,
  type ValuesOf,
} from '../sql/columns.ts';
import { sql } from '../sql/sql.ts';
import { columnsOf } from './described-columns.ts';
import { indexSpecs, RecordTable, TABLE_PREFIX, type TableSpec } from './record-table.ts';

const entryFields = fieldsOf({
  accountRecordId: bigintOrNull,
  kind: oneOf<QueueKind>,
  topic: text,
  payload: json<EventPayload>,
  userToken: uuid,
  traceParent: textOrNull,
  createdDate: instantAt,
  effectiveDate: instantAt,
  /**
   * Sort order of due entries. It is 0 for a bus entry, which precedes all notifications. Otherwise it is the due
   * instant, at least 1.
   */
  dueOrder: bigint,
  uniqueKey: textOrNull,
  errorCount: integer,
  processingState: oneOf<ProcessingState>,
  processingOwner: textOrNull,
  /** The end of the lease, or the time of the next attempt. */
  availableAtMs: bigintOrNull,
  claimId: uuidOrNull,
  /** Time of the first claim since the entry was inserted or last received an outcome. */
  claimedAtMs: bigintOrNull,
  /**
   * Number of times that the entry has been reclaimed since its first claim because its lease expired or its node
   * disappeared.
   */
  lapses: integerOrNull,
  doneHandlers: json<readonly string[]>,
  reason: textOrNull,
  /** Public id of the event. Null if the entry is not published, or if the event was published as another entry. */
  eventId: uuidOrNull,
});

/**
 * A stored queue entry (platform §9.1). Times whose names end with `Ms` are system time; instants are business time.
 */
export type StoredEntry = ValuesOf<typeof entryFields>;

/** Index of a tenant's published events, in the order of publication. */
const publishedEvents = 'tenant_record_id, record_id where event_id is not null';

/** Live entries of both kinds. */
export const queueEntriesTable = new RecordTable('queue_entries', entryFields, {
  uniques: { unique_key: 'tenant_record_id, unique_key where unique_key is not null' },
  indexes: {
    // These two indexes are in claim order: `due` across all accounts, and `account_due` within each account.
    due: `due_order, record_id where processing_state = 'AVAILABLE'`,
    account_due: `tenant_record_id, account_record_id, due_order, record_id where processing_state = 'AVAILABLE'`,
    // This index finds accounts whose entry is being processed, and claims whose leases have expired.
    claimed: `tenant_record_id, account_record_id where processing_state = 'IN_PROCESSING'`,
    // This index finds entries for the reaper.
    lapsed: 'record_id where lapses > 0',
    told: publishedEvents,
  },
});

/** Finished entries. They keep their record ids from the live table. */
export const queueHistoryTable: TableSpec = {
  name: `${TABLE_PREFIX}queue_history`,
  columns: [{ name: 'record_id', type: 'bigint', nullable: false }, ...queueEntriesTable.written],
  primaryKey: 'record_id',
  uniques: [],
  indexes: indexSpecs({
    account: 'tenant_record_id, account_record_id, record_id',
    age: 'effective_date, record_id',
    failed: `tenant_record_id, record_id where processing_state = 'FAILED'`,
    told: publishedEvents,
  }),
};

/** Columns that are copied from the live table to the history. These are all columns except the outcome. */
export const movedColumns = queueHistoryTable.columns
  .map(({ name }) => name)
  .filter((name) => name !== 'processing_state')
  .join(', ');

/** Clause that makes an insert ignore a second live entry with the same key. */
export const liveConflict = sql`
  on conflict (tenant_record_id, unique_key) where unique_key is not null do nothing`;

const deliveryFields = columnsOf(pushDeliveryFields);

/** Deliveries of events to callbacks. A delivery is waiting, delivered or failed (platform §10.2). */
export const pushDeliveriesTable = new RecordTable('push_deliveries', deliveryFields, {
  uniques: { id: 'id' },
  indexes: {
    // This index finds a tenant's due deliveries and, by skipping along the index, the tenants with due deliveries.
    due: `tenant_record_id, due_order, record_id where state = 'AVAILABLE'`,
    // This index finds the next retry of any tenant.
    next: `due_order where state = 'AVAILABLE'`,
    listed: 'tenant_record_id, record_id',
    account: 'tenant_record_id, account_record_id, record_id',
    age: 'ended_date, record_id where ended_date is not null',
  },
});

/**
 * The last event that has a delivery, for each tenant with a callback. Deliveries for later events are created when
 * there is capacity.
 */
export const pushCursorsTable = new RecordTable('push_cursors', fieldsOf({ afterRecordId: bigint }), {
  uniques: { tenant: 'tenant_record_id' },
});

const leaseFields = fieldsOf({ owner: text, token: text, endsAtMs: bigint });

/** The node that sends the pushes of a tenant, with the end of its lease in system time. */
export const pushLeasesTable = new RecordTable('push_leases', leaseFields, {
  uniques: { tenant: 'tenant_record_id' },
});

/**
 * The event sinks of all nodes. A row contains the last event before the first use of the sink, and the database time
 * of the last use. The sink receives only later events.
 */
export const sinksTable = new RecordTable(
  'sinks',
  fieldsOf({ name: text, afterRecordId: bigint, usedAtMs: bigint }),
  {
    ofTenant: false,
    uniques: { name: 'name' },
  },
);

/**
 * The last event that has a delivery, for each tenant and sink. If a tenant has no row, the position stored with the
 * sink applies.
 */
export const sinkCursorsTable = new RecordTable(
  'sink_cursors',
  fieldsOf({ sink: text, afterRecordId: bigint }),
  { uniques: { sink: 'tenant_record_id, sink' } },
);

/** Deliveries of events to the host's event sinks. A delivery is waiting or accepted (platform §10.6). */
export const sinkDeliveriesTable = new RecordTable(
  'sink_deliveries',
  { ...deliveryFields, url: text('sink') },
  {
    uniques: { id: 'id, sink' },
    indexes: {
      due: `sink, tenant_record_id, due_order, record_id where state = 'AVAILABLE'`,
      next: `sink, due_order where state = 'AVAILABLE'`,
      age: 'sink, ended_date, record_id where ended_date is not null',
    },
  },
);

const sinkLeaseFields = { sink: text('sink'), ...leaseFields };

/** The node that sends the events of a tenant to a sink, with the end of its lease in system time. */
export const sinkLeasesTable = new RecordTable('sink_leases', sinkLeaseFields, {
  uniques: { sink: 'tenant_record_id, sink' },
});
