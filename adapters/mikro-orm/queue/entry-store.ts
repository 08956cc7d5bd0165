import type { EntryStore, KeptEntry } from '../../../lib/ports/storage/index.ts';
import { ProcessingState, QueueKind } from '../../../lib/records/index.ts';
import { numberOf, type Row } from '../sql/columns.ts';
import type { Dialect, EncodedEntry } from '../sql/dialect.ts';
import type { Runner, SystemAccess } from '../sql/runner.ts';
import { isIn, raw, type Sql, sql } from '../sql/sql.ts';
import { queueEntriesTable } from '../tables/queue.ts';
import { deliveryLooks } from './entry-deliveries.ts';
import { ofTenants } from './of-tenants.ts';

/** What a fix-up leaves as the end of the pause: long ago, and never written by anything else. */
const CLEARED_MS = 0;

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
  const read = async (statement: Sql): Promise<readonly KeptEntry[]> =>
    (await access.run(statement)).rows.map(keptEntry);
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
    late: async ({ before, limit, ...of }) => {
      // Each state has an index of its own, which a parameter would keep from being chosen.
      const inState = (state: ProcessingState): Sql => sql`
        select ${columns} from (
          select * from bw_queue_entries
          where processing_state = '${raw(state)}' and ${dueBefore(of.kind, before)} ${ofTenants(of)}
          order by due_order, record_id limit ${limit}) as chosen`;
      const found = await read(
        sql`${inState(ProcessingState.AVAILABLE)} union all ${inState(ProcessingState.IN_PROCESSING)}`,
      );
      return [...found].sort(oldestFirst).slice(0, limit);
    },
    recent: async ({ limit, among, ...of }) =>
      // Along the numbers from the last one back, so that little is read where there is much of the tenant.
      read(sql`
        select ${columns} from bw_queue_history
        where record_id > (select max(record_id) from bw_queue_history) - ${among}
          and kind = ${of.kind} ${ofTenants(of)}
        order by record_id desc limit ${limit}`),
    failed: async ({ from, to, limit, ...of }) =>
      read(sql`
        select ${columns} from bw_queue_history
        where processing_state = 'FAILED' and kind = ${of.kind} ${ofTenants(of)}
          and effective_date >= ${from} and effective_date < ${to}
        order by record_id limit ${limit}`),
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
          .map(
            ({ tenantRecordId, entry }): EncodedEntry => ({
              live: true,
              toldOf: null,
              cells: queueEntriesTable.encode(tenantRecordId, {
                ...entry,
                // The entry that failed goes on telling the outside.
                eventId: null,
                createdDate: now,
                errorCount: 0,
                processingState: ProcessingState.AVAILABLE,
                processingOwner: null,
                availableAtMs: null,
                claimId: null,
                claimedAtMs: null,
                lapses: null,
              }),
            }),
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

/** Along the index of the order of claims, where bus entries are at 0. */
function dueBefore(kind: QueueKind, before: number): Sql {
  return kind === QueueKind.BUS
    ? sql`due_order = 0 and created_date < ${before}`
    : sql`due_order > 0 and due_order < ${Math.max(1, before)}`;
}

function tenantOf(row: Row): number {
  return numberOf(row.tenant_record_id, 'tenant_record_id');
}

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
    tenantRecordId: tenantOf(row),
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

function oldestFirst(one: KeptEntry, other: KeptEntry): number {
  const dueOf = ({ kind, createdDate, effectiveDate }: KeptEntry): number =>
    kind === QueueKind.BUS ? createdDate : effectiveDate;
  return dueOf(one) - dueOf(other) || one.recordId - other.recordId;
}
