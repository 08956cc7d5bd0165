import type { EntryLook, EntryStore } from '../../../lib/ports/storage/index.ts';
import { ProcessingState, QueueKind } from '../../../lib/records/index.ts';
import type { Instant } from '../../../lib/values/time/index.ts';
import { numberOf, type Row } from '../sql/columns.ts';
import type { Dialect } from '../sql/dialect.ts';
import type { Runner, SystemAccess } from '../sql/runner.ts';
import { isIn, nothing, raw, type Sql, sql } from '../sql/sql.ts';
import { queueEntriesTable } from '../tables/queue.ts';
import { availableCopy } from './available-copy.ts';
import { deliveryLooks } from './entry-deliveries.ts';
import { CLEARED_MS, keptEntry, neighbours, owners, seenEntry } from './kept-entry.ts';
import { ofTenants } from './of-tenants.ts';

/** What the other nodes and this one are told when entries have become ready. */
export interface Waking {
  /** Names this node to the others. */
  readonly nodeTag: string;
  readonly onReady: () => void;
  readonly onPushesReady: () => void;
}

export function entryStore(
  access: SystemAccess,
  dialect: Dialect,
  { nodeTag, onReady, onPushesReady }: Waking,
): EntryStore {
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
    ...deliveryLooks(access, dialect, onPushesReady),
    see: async (look) => {
      const { rows } = await access.run(sql`
        select ${columns}, ${owners}, ${neighbours} from (${seen(look)}) as chosen ${inOrder(look)}`);
      return rows.map(seenEntry);
    },
    recent: async ({ limit, among, ...of }) => {
      // Along the numbers from the last one back, so that little is read where there is much of the tenant.
      const { rows } = await access.run(sql`
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
        return rows.map((row) => numberOf(row.record_id, 'record_id'));
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
      const { rows } = await access.run(sql`
        select count(*) as entries from bw_queue_entries
        where processing_state = 'IN_PROCESSING' and kind = ${kind}`);
      return numberOf(rows[0]?.entries, 'entries');
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
  return numberOf(row.tenant_record_id, 'tenant_record_id');
}
