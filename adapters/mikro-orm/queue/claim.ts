import type { ClaimedEntry, ClaimRequest } from '../../../lib/ports/storage/index.ts';
import { ProcessingState, QueueKind } from '../../../lib/records/index.ts';
import { QUEUE_ORDER_WAIT_MS } from '../../../lib/values/limits.ts';
import { numberOf, type Row } from '../sql/columns.ts';
import type { Runner } from '../sql/runner.ts';
import { isIn, nothing, raw, type Sql, sql } from '../sql/sql.ts';
import { queueEntriesTable } from '../tables/queue.ts';

/**
 * Claims the first due entry of each account that has none in processing, oldest first.
 *
 * Bus entries have `due_order` 0 and so go before every notification, of their account and of others. The scan runs
 * along the index of due entries and stops at the limit; each row costs two probes of a partial index, written as
 * subqueries with an offset so that PostgreSQL does not turn them into a join of the whole table.
 */
export async function claimEntries(runner: Runner, request: ClaimRequest): Promise<readonly ClaimedEntry[]> {
  const { dialect } = runner;
  // Without this lock, a node that does not yet see another node's claim could claim a second entry of that account.
  if (dialect.claimLock) await runner.run(dialect.claimLock);
  const rows = await runner.rows(sql`
    update bw_queue_entries set
      processing_state = ${ProcessingState.IN_PROCESSING}, processing_owner = ${request.node},
      claim_id = ${request.claimId}, claimed_at_ms = coalesce(claimed_at_ms, ${request.systemNowMs}),
      available_at_ms = ${request.leaseEndsAtMs}
    where record_id in (${dueEntries(request)} ${raw(dialect.forUpdateSkipLocked)})
    returning ${raw(dialect.selectList(queueEntriesTable))}`);
  return rows
    .map(readClaimed)
    .sort(inClaimOrder)
    .map(({ entry }) => entry);
}

/** Record ids of the entries to claim. */
export function dueEntries(request: ClaimRequest): Sql {
  return sql`
    select e.record_id from bw_queue_entries e
    where e.processing_state = 'AVAILABLE' and e.due_order <= ${Math.max(1, request.businessNow)}
      and (e.available_at_ms is null or e.available_at_ms <= ${request.systemNowMs})
      and ${isIn('e.topic', 'text', request.topics)} ${ofKind(request)} ${ofAccount(request)}
      and (e.account_record_id is null or (
        not exists (
          select 1 from bw_queue_entries b
          where b.tenant_record_id = e.tenant_record_id and b.account_record_id = e.account_record_id
            and b.processing_state = 'IN_PROCESSING'
          limit 1 offset 0)
        and not exists (
          select 1 from bw_queue_entries b
          where b.tenant_record_id = e.tenant_record_id and b.account_record_id = e.account_record_id
            and b.processing_state = 'AVAILABLE' and ${isIn('b.topic', 'text', request.topics)}
            and (b.due_order, b.record_id) < (e.due_order, e.record_id)
            and (b.available_at_ms is null or b.available_at_ms <= ${request.systemNowMs}
              or (b.kind = ${QueueKind.BUS} and b.available_at_ms <= ${request.systemNowMs + QUEUE_ORDER_WAIT_MS}))
          limit 1 offset 0)))
    order by e.due_order, e.record_id limit ${request.limit}`;
}

/** A bus entry is at 0 in the order of claims, so the scan stays along that index. */
function ofKind({ kind }: ClaimRequest): Sql {
  if (kind === undefined) return nothing;
  return kind === QueueKind.BUS ? sql`and e.due_order = 0` : sql`and e.due_order > 0`;
}

function ofAccount({ account }: ClaimRequest): Sql {
  if (account === undefined) return nothing;
  const { tenantRecordId, accountRecordId } = account;
  return sql`and e.tenant_record_id = ${tenantRecordId} and e.account_record_id = ${accountRecordId}`;
}

interface Claimed {
  readonly entry: ClaimedEntry;
  readonly dueOrder: number;
}

function readClaimed(row: Row): Claimed {
  const stored = queueEntriesTable.decode(row);
  return {
    dueOrder: stored.dueOrder,
    entry: {
      recordId: stored.recordId,
      kind: stored.kind,
      topic: stored.topic,
      payload: stored.payload,
      accountRecordId: stored.accountRecordId,
      tenantRecordId: numberOf(row.tenant_record_id, 'tenant_record_id'),
      userToken: stored.userToken,
      traceParent: stored.traceParent,
      createdDate: stored.createdDate,
      effectiveDate: stored.effectiveDate,
      errorCount: stored.errorCount,
      processingState: stored.processingState,
      processingOwner: stored.processingOwner,
      doneHandlers: stored.doneHandlers,
      claimId: queueEntriesTable.fields.claimId.read(row) ?? missingClaim(row),
    },
  };
}

function missingClaim(row: Row): never {
  throw new Error(`Queue entry ${String(row.record_id)} was claimed without a claim id`);
}

/** Needed because `returning` gives no order. */
function inClaimOrder(first: Claimed, second: Claimed): number {
  return first.dueOrder - second.dueOrder || first.entry.recordId - second.entry.recordId;
}
