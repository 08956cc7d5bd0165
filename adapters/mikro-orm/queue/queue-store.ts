import type { ClaimedEntry, FailedEntry, QueueStore, WorkCause } from '../../../lib/ports/storage/index.ts';
import { ProcessingState, QueueKind } from '../../../lib/records/index.ts';
import { instant } from '../../../lib/values/time/index.ts';
import { type Column, numberOf } from '../sql/columns.ts';
import type { Dialect } from '../sql/dialect.ts';
import type { SystemAccess } from '../sql/runner.ts';
import { isIn, nothing, rowsAs, type Sql, sql } from '../sql/sql.ts';
import { backlogOf, readBacklog, readTopicBacklog, topicBacklogOf } from './backlog.ts';
import { claimEntries } from './claim.ts';
import { endEntries, markEntriesDone, ours } from './completion.ts';
import { reapEntries } from './reaper.ts';
import { takenBack } from './take-back.ts';

const reasonColumns: readonly Column[] = [
  { name: 'record_id', type: 'bigint', nullable: false },
  { name: 'reason', type: 'text', nullable: false },
  { name: 'available_at_ms', type: 'bigint', nullable: true },
];

export function queueStore(
  access: SystemAccess,
  dialect: Dialect,
  onSignal: QueueStore['onSignal'],
): QueueStore {
  return {
    claim: async (request) => access.transact((runner) => claimEntries(runner, request)),
    renew: async (entries, leaseUntilMs) => {
      if (entries.length === 0) return [];
      const { rows } = await access.run(sql`
          update bw_queue_entries set available_at_ms = ${leaseUntilMs} where ${ours(entries)} returning record_id`);
      return rows.map((row) => numberOf(row.record_id, 'record_id'));
    },
    finish: async (entries) =>
      access.transact((runner) => endEntries(runner, entries, ProcessingState.PROCESSED)),
    markDone: async (entries, handler) =>
      access.transact((runner) => markEntriesDone(runner, entries, handler)),
    retry: async (failures) => {
      if (failures.length === 0) return;
      await access.run(retryOf(failures));
    },
    release: async (entries, availableAtMs) => {
      if (entries.length === 0) return;
      await access.run(sql`
          update bw_queue_entries set processing_state = ${ProcessingState.AVAILABLE}, processing_owner = null,
            claim_id = null, claimed_at_ms = null, lapses = null, available_at_ms = ${availableAtMs}
          where ${ours(entries)}`);
    },
    fail: async (failures) => {
      if (failures.length === 0) return;
      await access.transact(async (runner) => {
        await runner.run(sql`
          update bw_queue_entries as t set reason = r.reason
          from ${rowsAs('r', reasonColumns, reasons(failures))}
          where t.record_id = r.record_id and ${ours(entriesOf(failures), 't')}`);
        await endEntries(runner, entriesOf(failures), ProcessingState.FAILED);
      });
    },
    takeBackLapsed: async ({ systemNowMs, held }) => {
      const lapsed = sql`available_at_ms <= ${systemNowMs} and not ${isIn('claim_id', 'uuid', held)}`;
      return (await access.run(takenBack(dialect, lapsed))).affected;
    },
    takeBackFrom: async (owners) => {
      if (owners.length === 0) return 0;
      return (await access.run(takenBack(dialect, isIn('processing_owner', 'text', owners)))).affected;
    },
    owners: async () => {
      const { rows } = await access.run(sql`
        select distinct processing_owner as owner from bw_queue_entries where processing_state = 'IN_PROCESSING'`);
      return rows.flatMap(({ owner }) => (owner === null ? [] : [String(owner)]));
    },
    nextLeaseEnd: async () => {
      const [row] = (
        await access.run(sql`
          select min(available_at_ms) as lease_end from bw_queue_entries where processing_state = 'IN_PROCESSING'`)
      ).rows;
      return row === undefined || row.lease_end === null ? null : numberOf(row.lease_end, 'lease_end');
    },
    reap: async (request) => access.transact((runner) => reapEntries(runner, request)),
    nextDue: async (topics) => {
      if (topics.length === 0) return null;
      const [row] = (
        await access.run(sql`
          select effective_date from bw_queue_entries
          where processing_state = 'AVAILABLE' and due_order > 0 and ${isIn('topic', 'text', topics)}
            and kind = ${QueueKind.NOTIFICATION}
          order by due_order, record_id limit 1`)
      ).rows;
      return row ? instant(numberOf(row.effective_date, 'effective_date')) : null;
    },
    countPending: async (tenantRecordId, businessNow, cause) => {
      const whose = sql`${tenantRecordId === null ? nothing : sql`and tenant_record_id = ${tenantRecordId}`}
        ${cause === undefined ? nothing : causedBy(cause)}`;
      const [row] = (
        await access.run(sql`
          select (
            select count(*) from bw_queue_entries
            where processing_state = 'AVAILABLE' and due_order <= ${Math.max(1, businessNow)} ${whose}
          ) + (
            select count(*) from bw_queue_entries where processing_state = 'IN_PROCESSING' ${whose}
          ) as pending`)
      ).rows;
      return numberOf(row?.pending, 'pending');
    },
    backlog: async (request) => readBacklog(await access.run(backlogOf(request)), request),
    backlogByTopic: async (request) => (await access.run(topicBacklogOf(request))).rows.map(readTopicBacklog),
    onSignal,
    purgeHistory: async (before, limit) => {
      const { affected } = await access.run(sql`
          delete from bw_queue_history where record_id in (
            select record_id from bw_queue_history where effective_date < ${before}
            order by effective_date, record_id limit ${limit})`);
      return affected;
    },
  };
}

/** The account's number leads the scan along its own due entries, since the token alone has no index. */
function causedBy({ userToken, accountRecordId }: WorkCause): Sql {
  const ofAccount = accountRecordId === null ? nothing : sql`and account_record_id = ${accountRecordId}`;
  return sql`${ofAccount} and user_token = ${userToken}`;
}

type Retried = FailedEntry & { readonly availableAtMs?: number };

function entriesOf(failures: readonly FailedEntry[]): readonly ClaimedEntry[] {
  return failures.map(({ entry }) => entry);
}

function reasons(failures: readonly Retried[]): readonly (readonly (string | number | null)[])[] {
  return failures.map(({ entry, reason, availableAtMs }) => [entry.recordId, reason, availableAtMs ?? null]);
}

function retryOf(failures: readonly (FailedEntry & { readonly availableAtMs: number })[]): Sql {
  return sql`
    update bw_queue_entries as t set processing_state = ${ProcessingState.AVAILABLE},
      error_count = t.error_count + 1, reason = r.reason, available_at_ms = r.available_at_ms,
      processing_owner = null, claim_id = null, claimed_at_ms = null, lapses = null
    from ${rowsAs('r', reasonColumns, reasons(failures))}
    where t.record_id = r.record_id and ${ours(entriesOf(failures), 't')}`;
}
