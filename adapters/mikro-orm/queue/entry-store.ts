import type {
  EntryLook,
  EntryStore,
  KeptDelivery,
  KeptEntry,
  OfTenants,
  SeenEntry,
} from '../../../lib/ports/storage/index.ts';
import { ProcessingState, QueueKind } from '../../../lib/records/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import type { Instant } from '../../../lib/values/time/index.ts';
import { numberIn, numberOf, type Row, textOf } from '../sql/columns.ts';
import type { EncodedEntry } from '../sql/dialect.ts';
import type { Runner, SystemAccess } from '../sql/runner.ts';
import { isIn, nothing, raw, type Sql, sql } from '../sql/sql.ts';
import { pushDeliveriesTable as deliveries, queueEntriesTable, type StoredEntry } from '../tables/queue.ts';

/** What the other nodes and this one are told when entries have become ready. */
interface Waking {
  /** Names this node to the others. */
  readonly nodeTag: string;
  readonly onReady: () => void;
  readonly onPushesReady: () => void;
}

export function entryStore(access: SystemAccess, { nodeTag, onReady, onPushesReady }: Waking): EntryStore {
  const { dialect } = access;
  const columns = raw(dialect.selectList(queueEntriesTable));
  /** Changes entries in a transaction that wakes whoever works on the queue. */
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
      const rows = await access.rows(sql`
        select ${columns}, ${owners}, ${neighbours} from (${seen(look)}) as chosen ${inOrder(look)}`);
      return rows.map(seenEntry);
    },
    recent: async ({ limit, among, ...of }) => {
      // Along the numbers from the last one back, so that little is read where there is much of the tenant.
      const rows = await access.rows(sql`
        select ${columns}, ${owners} from (
          select * from bw_queue_history
          where record_id > (select max(record_id) from bw_queue_history) - ${among}
            and kind = ${of.kind} ${ofTenants(of)}
          order by record_id desc limit ${limit}) as chosen
        order by record_id desc`);
      return rows.map(keptEntry);
    },
    clear: async ({ recordIds, before, systemNowMs, ...of }) => {
      if (recordIds.length === 0) return [];
      return ready(async (runner) => {
        const rows = await runner.rows(sql`
          update bw_queue_entries set processing_state = ${ProcessingState.AVAILABLE}, processing_owner = null,
            claim_id = null, claimed_at_ms = null, lapses = null, error_count = 0, available_at_ms = ${CLEARED_MS}
          where ${isIn('record_id', 'bigint', recordIds)} ${ofTenants(of)} and ${dueBefore(of.kind, before)}
            and (processing_state = 'AVAILABLE' or available_at_ms <= ${systemNowMs})
          returning record_id`);
        return rows.map((row) => numberIn(row, 'record_id'));
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
            availableCopy({ tenantRecordId, entry: { ...entry, createdDate: now, errorCount: 0 } }),
          );
        if (copies.length > 0) await dialect.insertEntries(runner, copies);
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

/** Each state has an index of its own, which a parameter would keep from being chosen. */
const places = {
  AVAILABLE: sql`bw_queue_entries where processing_state = 'AVAILABLE'`,
  PROCESSING: sql`bw_queue_entries where processing_state = 'IN_PROCESSING'`,
  FAILED: sql`bw_queue_history where processing_state = 'FAILED'`,
} as const;

function seen(look: EntryLook): Sql {
  const { part, kind, from, before, accountId, limit, tenants } = look;
  const isDue =
    part === 'FAILED'
      ? sql`kind = ${kind} ${failedWithin(from, before)}`
      : before === null
        ? dueOf(kind)
        : dueBefore(kind, before);
  // An account has its index of what is live; of tenants all that they have planned would be looked through.
  const whose =
    accountId === null
      ? sql`${tenants === null ? nothing : sql`and ${isIn('tenant_record_id + 0', 'bigint', tenants)}`}`
      : sql`${ofTenants(look)} and account_record_id in (
          select a.record_id from bw_accounts a where ${isIn('a.id', 'uuid', [accountId])})`;
  return sql`select * from ${places[part]} and ${isDue} ${whose} ${inOrder(look)} limit ${limit}`;
}

/** Not along the dates of all that is finished: what has failed has an index of its own. */
function failedWithin(from: Instant | null, before: Instant | null): Sql {
  return sql`${from === null ? nothing : sql`and effective_date + 0 >= ${from}`}
    ${before === null ? nothing : sql`and effective_date + 0 < ${before}`}`;
}

function inOrder({ part }: EntryLook): Sql {
  return part === 'FAILED' ? sql`order by effective_date + 0, record_id` : sql`order by due_order, record_id`;
}

/** Along the index of the order of claims, where bus entries are at 0. */
function dueOf(kind: QueueKind): Sql {
  return kind === QueueKind.BUS ? sql`due_order = 0` : sql`due_order > 0`;
}

function dueBefore(kind: QueueKind, before: Instant): Sql {
  return kind === QueueKind.BUS
    ? sql`due_order = 0 and created_date < ${before}`
    : sql`due_order > 0 and due_order < ${Math.max(1, before)}`;
}

function tenantOf(row: Row): number {
  return numberIn(row, 'tenant_record_id');
}

/** What a fix-up leaves as the end of the pause: long ago, and never written by anything else. */
const CLEARED_MS = 0;

/** Whose an entry of `chosen` is. */
const owners: Sql = sql`
  (select t.id from bw_tenants t where t.record_id = chosen.tenant_record_id) as tenant_id,
  (select a.id from bw_accounts a where a.record_id = chosen.account_record_id) as account_id`;

const ofSameAccount = sql`other.tenant_record_id = chosen.tenant_record_id
  and other.account_record_id = chosen.account_record_id`;
const underWay = (column: string): Sql => sql`(
  select other.${raw(column)} from bw_queue_entries other
  where ${ofSameAccount} and other.processing_state = 'IN_PROCESSING' and other.record_id <> chosen.record_id
  order by other.record_id limit 1)`;

/** What of its account stands before an entry of `chosen`. */
const neighbours: Sql = sql`
  ${underWay('record_id')} as under_way, ${underWay('processing_owner')} as under_way_owner,
  (select other.record_id from bw_queue_entries other
    where ${ofSameAccount} and other.processing_state = 'AVAILABLE'
      and (other.due_order, other.record_id) < (chosen.due_order, chosen.record_id)
    order by other.due_order, other.record_id limit 1) as behind`;

/** An entry that was selected with its owners. */
function keptEntry(row: Row): KeptEntry {
  const stored = queueEntriesTable.decode(row);
  const { recordId, kind, topic, payload, accountRecordId, createdDate, effectiveDate } = stored;
  const { userToken, traceParent } = stored;
  const { errorCount, processingState, processingOwner, doneHandlers, availableAtMs, reason } = stored;
  return {
    recordId,
    kind,
    topic,
    payload,
    accountRecordId,
    tenantRecordId: numberIn(row, 'tenant_record_id'),
    tenantId: textOrNull(row, 'tenant_id') as Uuid | null,
    accountId: textOrNull(row, 'account_id') as Uuid | null,
    userToken,
    traceParent,
    createdDate,
    effectiveDate,
    errorCount,
    processingState,
    processingOwner,
    doneHandlers,
    availableAtMs,
    reason,
    isCleared: processingState === ProcessingState.AVAILABLE && availableAtMs === CLEARED_MS,
  };
}

/** An entry that was selected with its owners and neighbours. */
function seenEntry(row: Row): SeenEntry {
  const underWayId = numberOrNull(row, 'under_way');
  return {
    ...keptEntry(row),
    underWay:
      underWayId === null ? null : { recordId: underWayId, owner: textOrNull(row, 'under_way_owner') },
    behind: numberOrNull(row, 'behind'),
  };
}

export function textOrNull(row: Row, column: string): string | null {
  return row[column] === null || row[column] === undefined ? null : textOf(row[column], column);
}

function numberOrNull(row: Row, column: string): number | null {
  return row[column] === null || row[column] === undefined ? null : numberOf(row[column], column);
}

type DeliveryLooks = Pick<
  EntryStore,
  'lateDeliveries' | 'recentDeliveries' | 'failedDeliveries' | 'clearDeliveries' | 'resendDeliveries'
>;

/** Pushes, as the entries of a queue (platform §10.2 rule 1). */
function deliveryLooks(access: SystemAccess, onReady: () => void): DeliveryLooks {
  const { dialect } = access;
  const columns = sql`${raw(dialect.selectList(deliveries))},
    (select t.id from bw_tenants t where t.record_id = bw_push_deliveries.tenant_record_id) as tenant_id`;
  const read = async (statement: Sql): Promise<readonly KeptDelivery[]> =>
    (await access.rows(statement)).map(keptDelivery);
  /** Changes pushes, and wakes who sends them. */
  const change = async (statement: Sql): Promise<number> => {
    const { affected } = await access.run(statement);
    onReady();
    return affected;
  };
  return {
    lateDeliveries: async ({ before, limit, ...of }) =>
      read(sql`
        select ${columns} from bw_push_deliveries where ${deliveryDueBefore(before)} ${ofTenants(of)}
        order by ${due}, record_id limit ${limit}`),
    recentDeliveries: async ({ limit, among, ...of }) =>
      read(sql`
        select ${columns} from bw_push_deliveries
        where record_id > (select max(record_id) from bw_push_deliveries) - ${among}
          and ended_date is not null ${ofTenants(of)}
        order by record_id desc limit ${limit}`),
    failedDeliveries: async ({ from, to, limit, accountId, ...of }) =>
      read(sql`
        select ${columns} from bw_push_deliveries
        where ended_date is not null and state = 'FAILED' ${ofTenants(of)} and ${due} >= ${from} and ${due} < ${to}
          ${ofAccount(accountId)}
        order by record_id limit ${limit}`),
    clearDeliveries: async ({ recordIds, before, ...of }) => {
      if (recordIds.length === 0) return 0;
      return change(sql`
        update bw_push_deliveries set failures = 0
        where ${isIn('record_id', 'bigint', recordIds)} ${ofTenants(of)} and ${deliveryDueBefore(before)}`);
    },
    resendDeliveries: async ({ recordIds, now, ...of }) => {
      if (recordIds.length === 0) return 0;
      // Not among the first attempts of its account, which come in order.
      return change(sql`
        update bw_push_deliveries
        set state = 'AVAILABLE', failures = 0, ended_date = null, due_order = ${Math.max(1, now)}
        where ${isIn('record_id', 'bigint', recordIds)} ${ofTenants(of)} and state = 'FAILED'`);
    },
  };
}

function ofAccount(accountId: Uuid | null): Sql {
  if (accountId === null) return nothing;
  return sql`and account_record_id in (select a.record_id from bw_accounts a where ${isIn('a.id', 'uuid', [accountId])})`;
}

/** When it was due: a first attempt at once. */
const due = sql`case when due_order = 0 then created_date else due_order end`;

function deliveryDueBefore(before: number): Sql {
  return sql`state = 'AVAILABLE' and due_order < ${Math.max(1, before)} and ${due} < ${before}`;
}

function keptDelivery(row: Row): KeptDelivery {
  return {
    ...deliveries.decode(row),
    tenantRecordId: numberIn(row, 'tenant_record_id'),
    tenantId: textOrNull(row, 'tenant_id') as Uuid | null,
  };
}

/** Of an entry that nobody has claimed, and that waits for no pause. */
export const UNCLAIMED = {
  processingOwner: null,
  availableAtMs: null,
  claimId: null,
  claimedAtMs: null,
  lapses: null,
} as const;

/** An entry of a tenant. */
interface TenantEntry {
  readonly tenantRecordId: number;
  readonly entry: StoredEntry;
}

/** In the place of an entry that is REAPED, which goes on telling the outside. */
export function availableCopy({ tenantRecordId, entry }: TenantEntry): EncodedEntry {
  const copy = { ...entry, ...UNCLAIMED, processingState: ProcessingState.AVAILABLE, eventId: null };
  return { live: true, toldOf: null, cells: queueEntriesTable.encode(tenantRecordId, copy) };
}

/** Follows a condition: of these tenants, or of all. */
export function ofTenants({ tenants }: OfTenants): Sql {
  return tenants === null ? nothing : sql`and ${isIn('tenant_record_id', 'bigint', tenants)}`;
}
