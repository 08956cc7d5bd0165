import {
  type EventPayload,
  type New,
  type ProcessingState,
  type PushDelivery,
  pushDeliveryFields,
  type QueueKind,
} from '../../../lib/records/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import type { Instant } from '../../../lib/values/time/index.ts';
import {
  bigint,
  bigintOrNull,
  type Column,
  type Fields,
  instantAt,
  integer,
  integerOrNull,
  json,
  oneOf,
  text,
  textOrNull,
  uuid,
  uuidOrNull,
} from '../sql/columns.ts';
import { type Sql, sql } from '../sql/sql.ts';
import { columnsOf } from './described-columns.ts';
import { RecordTable, TABLE_PREFIX, type TableSpec } from './record-table.ts';

/** A queue entry as it is kept (platform §9.1); times called `…Ms` are system time, instants business time. */
export interface StoredEntry {
  readonly accountRecordId: number | null;
  readonly kind: QueueKind;
  readonly topic: string;
  readonly payload: EventPayload;
  readonly userToken: Uuid;
  readonly traceParent: string | null;
  readonly createdDate: Instant;
  readonly effectiveDate: Instant;
  /** 0 for a bus entry, which goes before every notification; else the due instant, at least 1. */
  readonly dueOrder: number;
  readonly uniqueKey: string | null;
  readonly errorCount: number;
  readonly processingState: ProcessingState;
  readonly processingOwner: string | null;
  /** End of the lease, or time of the next attempt. */
  readonly availableAtMs: number | null;
  readonly claimId: Uuid | null;
  /** When it was first claimed since it was inserted or had an outcome. */
  readonly claimedAtMs: number | null;
  /** How often it was taken back since then, because its lease had ended or its node had gone. */
  readonly lapses: number | null;
  readonly doneHandlers: readonly string[];
  readonly reason: string | null;
  /** By which the event is known outside; null: the outside is not told, or by another entry. */
  readonly eventId: Uuid | null;
}

const fields: Fields<StoredEntry> = {
  accountRecordId: bigintOrNull('account_record_id'),
  kind: oneOf('kind'),
  topic: text('topic'),
  payload: json<EventPayload>('payload'),
  userToken: uuid('user_token'),
  traceParent: textOrNull('trace_parent'),
  createdDate: instantAt('created_date'),
  effectiveDate: instantAt('effective_date'),
  dueOrder: bigint('due_order'),
  uniqueKey: textOrNull('unique_key'),
  errorCount: integer('error_count'),
  processingState: oneOf('processing_state'),
  processingOwner: textOrNull('processing_owner'),
  availableAtMs: bigintOrNull('available_at_ms'),
  claimId: uuidOrNull('claim_id'),
  claimedAtMs: bigintOrNull('claimed_at_ms'),
  lapses: integerOrNull('lapses'),
  doneHandlers: json<readonly string[]>('done_handlers'),
  reason: textOrNull('reason'),
  eventId: uuidOrNull('event_id'),
};

/** What the outside is told of a tenant, in its order. */
const toldIndex = {
  name: 'told',
  columns: ['tenant_record_id', 'record_id'],
  where: 'event_id is not null',
};

/** Live entries of both kinds. */
export const queueEntriesTable = new RecordTable<StoredEntry>(
  {
    name: 'queue_entries',
    ofTenant: true,
    uniques: [
      {
        name: 'unique_key',
        columns: ['tenant_record_id', 'unique_key'],
        where: 'unique_key is not null',
      },
    ],
    indexes: [
      // The order of claims over all accounts.
      { name: 'due', columns: ['due_order', 'record_id'], where: `processing_state = 'AVAILABLE'` },
      // The order of claims within an account: whether an entry is its account's first.
      {
        name: 'account_due',
        columns: ['tenant_record_id', 'account_record_id', 'due_order', 'record_id'],
        where: `processing_state = 'AVAILABLE'`,
      },
      // For whether an account has an entry in processing, and for leases that have ended.
      {
        name: 'claimed',
        columns: ['tenant_record_id', 'account_record_id'],
        where: `processing_state = 'IN_PROCESSING'`,
      },
      // For the reaper: entries that were taken back.
      { name: 'lapsed', columns: ['record_id'], where: 'lapses > 0' },
      toldIndex,
    ],
  },
  fields,
);

const identity: Column = { name: 'record_id', type: 'bigint', nullable: false };

/** Finished entries under the record id that they had when live. */
export const queueHistoryTable: TableSpec = {
  name: `${TABLE_PREFIX}queue_history`,
  columns: [identity, ...queueEntriesTable.written],
  primaryKey: 'record_id',
  uniques: [],
  indexes: [
    { name: 'account', columns: ['tenant_record_id', 'account_record_id', 'record_id'] },
    { name: 'age', columns: ['effective_date', 'record_id'] },
    { name: 'failed', columns: ['tenant_record_id', 'record_id'], where: `processing_state = 'FAILED'` },
    toldIndex,
  ],
};

/** The columns that move with an entry from the live table into the history; its outcome is written anew. */
export const movedColumns = queueHistoryTable.columns
  .map(({ name }) => name)
  .filter((name) => name !== 'processing_state')
  .join(', ');

/** At most one live entry has a given key: a second insert is a no-op. */
export const liveConflict: Sql = sql`
  on conflict (tenant_record_id, unique_key) where unique_key is not null do nothing`;

const deliveryFields = columnsOf(pushDeliveryFields);

/** Events on their way to callbacks, and those that have arrived or were given up (platform §10.2). */
export const pushDeliveriesTable = new RecordTable<New<PushDelivery>>(
  {
    ...columnsOf(pushDeliveryFields),
    name: 'push_deliveries',
    ofTenant: true,
    uniques: [{ name: 'id', columns: ['id'] }],
    indexes: [
      // What of a tenant is due, and by skipping which tenants have anything to send.
      {
        name: 'due',
        columns: ['tenant_record_id', 'due_order', 'record_id'],
        where: `state = 'AVAILABLE'`,
      },
      // When the next retry of any tenant falls due.
      { name: 'next', columns: ['due_order'], where: `state = 'AVAILABLE'` },
      { name: 'listed', columns: ['tenant_record_id', 'record_id'] },
      { name: 'account', columns: ['tenant_record_id', 'account_record_id', 'record_id'] },
      { name: 'age', columns: ['ended_date', 'record_id'], where: 'ended_date is not null' },
    ],
  },
  deliveryFields,
);

/** Up to which of its events a tenant with a callback has deliveries; those after it are taken up when there is room. */
export const pushCursorsTable = new RecordTable<{ readonly afterRecordId: number }>(
  {
    name: 'push_cursors',
    ofTenant: true,
    uniques: [{ name: 'tenant', columns: ['tenant_record_id'] }],
  },
  { afterRecordId: bigint('after_record_id') },
);

/** Which node sends the pushes of a tenant, and until when (system time) unless it renews that. */
export const pushLeasesTable = new RecordTable<{
  readonly owner: string;
  readonly token: string;
  readonly endsAtMs: number;
}>(
  {
    name: 'push_leases',
    ofTenant: true,
    uniques: [{ name: 'tenant', columns: ['tenant_record_id'] }],
  },
  { owner: text('owner'), token: text('token'), endsAtMs: bigint('ends_at_ms') },
);

/**
 * The event sinks that nodes were opened with: what had happened when the first of them was, which is not for the sink, and
 * when one was last (database time).
 */
export const sinksTable = new RecordTable<{
  readonly name: string;
  readonly afterRecordId: number;
  readonly usedAtMs: number;
}>(
  { name: 'sinks', ofTenant: false, uniques: [{ name: 'name', columns: ['name'] }] },
  { name: text('name'), afterRecordId: bigint('after_record_id'), usedAtMs: bigint('used_at_ms') },
);

/** Up to which events of a tenant a sink has deliveries; without a row, up to those that are not for it. */
export const sinkCursorsTable = new RecordTable<{ readonly sink: string; readonly afterRecordId: number }>(
  {
    name: 'sink_cursors',
    ofTenant: true,
    uniques: [{ name: 'sink', columns: ['tenant_record_id', 'sink'] }],
  },
  { sink: text('sink'), afterRecordId: bigint('after_record_id') },
);

/** Events on their way to event sinks of the host, each by its name, and those that it has taken (platform §10.6). */
export const sinkDeliveriesTable = new RecordTable<New<PushDelivery>>(
  {
    ...columnsOf(pushDeliveryFields),
    name: 'sink_deliveries',
    ofTenant: true,
    uniques: [{ name: 'id', columns: ['id', 'sink'] }],
    indexes: [
      {
        name: 'due',
        columns: ['sink', 'tenant_record_id', 'due_order', 'record_id'],
        where: `state = 'AVAILABLE'`,
      },
      { name: 'next', columns: ['sink', 'due_order'], where: `state = 'AVAILABLE'` },
      { name: 'age', columns: ['sink', 'ended_date', 'record_id'], where: 'ended_date is not null' },
    ],
  },
  { ...deliveryFields, url: text('sink') },
);

/** Which node gives the events of a tenant to a sink, and until when (system time) unless it renews that. */
export const sinkLeasesTable = new RecordTable<{
  readonly sink: string;
  readonly owner: string;
  readonly token: string;
  readonly endsAtMs: number;
}>(
  {
    name: 'sink_leases',
    ofTenant: true,
    uniques: [{ name: 'sink', columns: ['tenant_record_id', 'sink'] }],
  },
  { sink: text('sink'), owner: text('owner'), token: text('token'), endsAtMs: bigint('ends_at_ms') },
);
