import type {
  EntryLook,
  EntryStore,
  OfTenants,
  OperatorEntry,
  PositionedEntry,
} from '../../../lib/ports/storage/index.ts';
import { ProcessingState, QueueKind } from '../../../lib/records/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import type { Instant } from '../../../lib/values/time/index.ts';
import { idIn, numberIn, orNullIn, type Row, textIn } from '../sql/columns.ts';
import type { EncodedEntry } from '../sql/dialect.ts';
import type { Runner, SystemAccess } from '../sql/runner.ts';
import { isIn, nothing, raw, type Sql, sql } from '../sql/sql.ts';
import { pushDeliveriesTable as deliveries, queueEntriesTable, type StoredEntry } from '../tables/queue.ts';

interface Waking {
  /** Name of this node in its notifications to other nodes. */
  readonly nodeTag: string;
  readonly onReady: () => void;
  readonly onPushesReady: () => void;
}

export function entryStore(access: SystemAccess, { nodeTag, onReady, onPushesReady }: Waking): EntryStore {
  const { dialect } = access;
  const columns = raw(dialect.selectList(queueEntriesTable));
  /** Changes entries in a transaction. After the commit, the dispatchers of all nodes are notified. */
  const ready = async <T>(work: (runner: Runner) => Promise<T>): Promise<T> => {
    const done = await access.transact(async (runner) => {
      const result = await work(runner);
      const notify = dialect.notify(nodeTag);
      if (notify !== null) await runner.run(notify);
      return result;
    });
    onReady();
    return done;
  };
  return {
    ...deliveryLooks(access, onPushesReady),
    see: async (look) => {
      return access.readAs(decodePositionedEntry)`
        select ${columns}, ${owners}, ${neighbours} from (${entryQuery(look)}) as chosen ${inOrder(look)}`;
    },
    recent: async ({ limit, among, ...of }) => {
      return access.readAs(decodeOperatorEntry)`
        select ${columns}, ${owners} from (
          select * from ${newest('bw_queue_history', among)} where kind = ${of.kind} ${ofTenants(of)}
          order by record_id desc limit ${limit}) as chosen
        order by record_id desc`;
    },
    clear: async ({ recordIds, before, systemNowMs, ...of }) => {
      if (recordIds.length === 0) return [];
      return ready(async (runner) => {
        return runner.readAs((row) => numberIn(row, 'record_id'))`
          update bw_queue_entries set processing_state = ${ProcessingState.AVAILABLE}, processing_owner = null,
            claim_id = null, claimed_at_ms = null, lapses = null, error_count = 0, available_at_ms = ${CLEARED_MS}
          where ${isIn('record_id', 'bigint', recordIds)} ${ofTenants(of)} and ${dueBefore(of.kind, before)}
            and (processing_state = 'AVAILABLE' or available_at_ms <= ${systemNowMs})
          returning record_id`;
      });
    },
    reinsert: async ({ recordIds, now, ...of }) => {
      if (recordIds.length === 0) return 0;
      return ready(async (runner) => {
        const rows = await runner.rows(sql`
          update bw_queue_history set processing_state = ${ProcessingState.REAPED}
          where ${isIn('record_id', 'bigint', recordIds)} ${ofTenants(of)} and kind = ${of.kind}
            and processing_state = 'FAILED'
          returning ${columns}`);
        const copies = rows
          .map((row) => ({ tenantRecordId: tenantOf(row), entry: queueEntriesTable.decode(row) }))
          .sort((one, other) => one.entry.recordId - other.entry.recordId)
          .map(({ tenantRecordId, entry }) =>
            availableCopy(tenantRecordId, { ...entry, createdDate: now, errorCount: 0 }),
          );
        if (copies.length > 0) await runner.dialect.insertEntries(runner, copies);
        return copies.length;
      });
    },
    countProcessing: async (kind) => {
      const rows = await access.rows(sql`
        select count(*) as entries from bw_queue_entries
        where processing_state = 'IN_PROCESSING' and kind = ${kind}`);
      return numberIn(rows[0], 'entries');
    },
  };
}

/**
 * Table and condition for each state. The states are literals, because the partial index of a state cannot be used with
 * a parameter.
 */
const places = {
  AVAILABLE: sql`bw_queue_entries where processing_state = 'AVAILABLE'`,
  PROCESSING: sql`bw_queue_entries where processing_state = 'IN_PROCESSING'`,
  FAILED: sql`bw_queue_history where processing_state = 'FAILED'`,
} as const;

function entryQuery(look: EntryLook) {
  const { part, kind, from, before, accountId, limit, tenants } = look;
  const isDue =
    part === 'FAILED'
      ? sql`kind = ${kind} ${failureDateCondition(from, before)}`
      : before === null
        ? dueOf(kind)
        : dueBefore(kind, before);
  // This statement uses the index of live entries by account. An index by tenant would contain every scheduled entry.
  const whose =
    accountId === null
      ? sql`${tenants === null ? nothing : sql`and ${isIn('tenant_record_id + 0', 'bigint', tenants)}`}`
      : sql`${ofTenants(look)} and account_record_id in (
          select a.record_id from bw_accounts a where ${isIn('a.id', 'uuid', [accountId])})`;
  return sql`select * from ${places[part]} and ${isDue} ${whose} ${inOrder(look)} limit ${limit}`;
}

/**
 * Returns the condition for entries that have failed since the given time. `+ 0` makes the database use the index of
 * failed entries instead of the index on the dates of all finished entries.
 */
function failureDateCondition(from: Instant | null, before: Instant | null) {
  return sql`${from === null ? nothing : sql`and effective_date + 0 >= ${from}`}
    ${before === null ? nothing : sql`and effective_date + 0 < ${before}`}`;
}

function inOrder({ part }: EntryLook) {
  return part === 'FAILED' ? sql`order by effective_date + 0, record_id` : sql`order by due_order, record_id`;
}

/**
 * Returns the condition for due entries. It uses the index on the claim order. Bus entries have the order 0 in this
 * index.
 */
function dueOf(kind: QueueKind) {
  return kind === QueueKind.BUS ? sql`due_order = 0` : sql`due_order > 0`;
}

function dueBefore(kind: QueueKind, before: Instant) {
  return kind === QueueKind.BUS
    ? sql`due_order = 0 and created_date < ${before}`
    : sql`due_order > 0 and due_order < ${Math.max(1, before)}`;
}

function tenantOf(row: Row) {
  return numberIn(row, 'tenant_record_id');
}

/**
 * End of the pause of an entry after an operator has cleared the entry. The value is in the past and has no other
 * meaning.
 */
const CLEARED_MS = 0;

const owners = sql`
  (select t.id from bw_tenants t where t.record_id = chosen.tenant_record_id) as tenant_id,
  (select a.id from bw_accounts a where a.record_id = chosen.account_record_id) as account_id`;

const ofSameAccount = sql`other.tenant_record_id = chosen.tenant_record_id
  and other.account_record_id = chosen.account_record_id`;
const underWay = (column: string) => sql`(
  select other.${raw(column)} from bw_queue_entries other
  where ${ofSameAccount} and other.processing_state = 'IN_PROCESSING' and other.record_id <> chosen.record_id
  order by other.record_id limit 1)`;

/** SQL for the entries of the same account that precede an entry of `chosen`. */
const neighbours = sql`
  ${underWay('record_id')} as under_way, ${underWay('processing_owner')} as under_way_owner,
  (select other.record_id from bw_queue_entries other
    where ${ofSameAccount} and other.processing_state = 'AVAILABLE'
      and (other.due_order, other.record_id) < (chosen.due_order, chosen.record_id)
    order by other.due_order, other.record_id limit 1) as behind`;

function decodeOperatorEntry(row: Row): OperatorEntry {
  const {
    dueOrder: _dueOrder,
    uniqueKey: _uniqueKey,
    claimId: _claimId,
    claimedAtMs: _claimedAtMs,
    lapses: _lapses,
    eventId: _eventId,
    ...entry
  } = queueEntriesTable.decode(row);
  return {
    ...entry,
    tenantRecordId: tenantOf(row),
    tenantId: orNullIn(row, 'tenant_id', idIn),
    accountId: orNullIn(row, 'account_id', idIn),
    isCleared: entry.processingState === ProcessingState.AVAILABLE && entry.availableAtMs === CLEARED_MS,
  };
}

function decodePositionedEntry(row: Row): PositionedEntry {
  const recordId = orNullIn(row, 'under_way', numberIn);
  const owner = orNullIn(row, 'under_way_owner', textIn);
  return {
    ...decodeOperatorEntry(row),
    underWay: recordId === null ? null : { recordId, owner },
    behind: orNullIn(row, 'behind', numberIn),
  };
}

type DeliveryLooks = Pick<
  EntryStore,
  'lateDeliveries' | 'recentDeliveries' | 'failedDeliveries' | 'clearDeliveries' | 'resendDeliveries'
>;

/**
 * Returns SQL for the newest rows of a table, as a subquery with the table's name. The database reads backward and
 * stops early, so the query stays cheap. Record ids have gaps (cells §1.2), so the number of rows cannot be computed
 * from them.
 */
function newest(table: string, count: number) {
  return sql`(select * from ${raw(table)} order by record_id desc limit ${count}) as ${raw(table)}`;
}

/** Returns pushes in the form of queue entries (platform §10.2 rule 1). */
function deliveryLooks(access: SystemAccess, onReady: () => void): DeliveryLooks {
  const { dialect } = access;
  const columns = sql`${raw(dialect.selectList(deliveries))},
    (select t.id from bw_tenants t where t.record_id = bw_push_deliveries.tenant_record_id) as tenant_id`;
  const change = async (statement: Sql): Promise<number> => {
    const { affected } = await access.run(statement);
    onReady();
    return affected;
  };
  return {
    lateDeliveries: async ({ before, limit, ...of }) =>
      access.readAs(decodeOperatorDelivery)`
        select ${columns} from bw_push_deliveries where ${deliveryDueBefore(before)} ${ofTenants(of)}
        order by ${due}, record_id limit ${limit}`,
    recentDeliveries: async ({ limit, among, ...of }) =>
      access.readAs(decodeOperatorDelivery)`
        select ${columns} from ${newest('bw_push_deliveries', among)}
        where ended_date is not null ${ofTenants(of)}
        order by record_id desc limit ${limit}`,
    failedDeliveries: async ({ from, to, limit, accountId, ...of }) =>
      access.readAs(decodeOperatorDelivery)`
        select ${columns} from bw_push_deliveries
        where ended_date is not null and state = 'FAILED' ${ofTenants(of)} and ${due} >= ${from} and ${due} < ${to}
          ${ofAccount(accountId)}
        order by record_id limit ${limit}`,
    clearDeliveries: async ({ recordIds, before, ...of }) => {
      if (recordIds.length === 0) return 0;
      return change(sql`
        update bw_push_deliveries set failures = 0
        where ${isIn('record_id', 'bigint', recordIds)} ${ofTenants(of)} and ${deliveryDueBefore(before)}`);
    },
    resendDeliveries: async ({ recordIds, now, ...of }) => {
      if (recordIds.length === 0) return 0;
      // The order is not 0, because 0 is reserved for first attempts.
      // The first attempts of an account are sent in order.
      return change(sql`
        update bw_push_deliveries
        set state = 'AVAILABLE', failures = 0, ended_date = null, due_order = ${Math.max(1, now)}
        where ${isIn('record_id', 'bigint', recordIds)} ${ofTenants(of)} and state = 'FAILED'`);
    },
  };
}

function ofAccount(accountId: Uuid | null) {
  if (accountId === null) return nothing;
  return sql`and account_record_id in (select a.record_id from bw_accounts a where ${isIn('a.id', 'uuid', [accountId])})`;
}

/** SQL for the due time of a push. The first attempt is due immediately. */
const due = sql`case when due_order = 0 then created_date else due_order end`;

function deliveryDueBefore(before: number) {
  return sql`state = 'AVAILABLE' and due_order < ${Math.max(1, before)} and ${due} < ${before}`;
}

function decodeOperatorDelivery(row: Row) {
  return {
    ...deliveries.decode(row),
    tenantRecordId: tenantOf(row),
    tenantId: orNullIn(row, 'tenant_id', idIn),
  };
}

/** Values of the claim columns for an entry that is neither claimed nor paused. */
export const UNCLAIMED = {
  processingOwner: null,
  availableAtMs: null,
  claimId: null,
  claimedAtMs: null,
  lapses: null,
} as const;

/** Inserts a copy that replaces a REAPED entry. The event remains published under the original entry. */
export function availableCopy(tenantRecordId: number, entry: StoredEntry): EncodedEntry {
  const copy = { ...entry, ...UNCLAIMED, processingState: ProcessingState.AVAILABLE, eventId: null };
  return { live: true, announcedTenant: null, cells: queueEntriesTable.encode(tenantRecordId, copy) };
}

/** Returns SQL that begins with `and` and limits rows to these tenants, or an empty string for all tenants. */
export function ofTenants({ tenants }: OfTenants): Sql {
  return tenants === null ? nothing : sql`and ${isIn('tenant_record_id', 'bigint', tenants)}`;
}
