import {
  type BacklogRequest,
  type ClaimedEntry,
  type ClaimRequest,
  type FailedEntry,
  LeaseLostError,
  type QueueBacklog,
  type QueueStore,
  type WorkCause,
} from '../../../lib/ports/storage/index.ts';
import { ProcessingState, QueueKind } from '../../../lib/records/index.ts';
import { QUEUE_ORDER_WAIT_MS } from '../../../lib/values/limits.ts';
import { type Instant, instant } from '../../../lib/values/time/index.ts';
import {
  bigint,
  inputColumns,
  instantAt,
  instantIn,
  numberIn,
  numberOf,
  orNullIn,
  type Row,
  rowReader,
  text,
} from '../sql/columns.ts';
import type { StatementResult } from '../sql/connection.ts';
import type { Dialect } from '../sql/dialect.ts';
import type { Runner, SystemAccess } from '../sql/runner.ts';
import { isIn, nothing, raw, rowsAs, type Sql, type SqlPart, sql } from '../sql/sql.ts';
import { queueEntriesTable } from '../tables/queue.ts';
import { availableCopy } from './entry-store.ts';

const reasonColumns = inputColumns({ record_id: 'bigint', reason: 'text', available_at_ms: 'bigint' });

export function queueStore(access: SystemAccess, onSignal: QueueStore['onSignal']): QueueStore {
  const { dialect } = access;
  return {
    claim: async (request) => {
      // The promise is wrapped in an object, so that the transaction does not await it. The commit is therefore sent
      // with the claim instead of after the entries arrive.
      const { claimed } = await access.transact(async (runner) => {
        const claiming = claimEntries(runner, request);
        // If the transaction fails, the caller gets its error.
        claiming.catch(() => undefined);
        return { claimed: claiming };
      });
      return claimed;
    },
    renew: async (entries, leaseUntilMs) => {
      if (entries.length === 0) return [];
      return access.readAs((row) => numberIn(row, 'record_id'))`
          update bw_queue_entries set available_at_ms = ${leaseUntilMs} where ${ours(entries)} returning record_id`;
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
          update bw_queue_entries set processing_state = ${ProcessingState.AVAILABLE}, ${released},
            available_at_ms = ${availableAtMs}
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
      return (await access.run(releaseClaims(dialect, lapsed))).affected;
    },
    takeBack: async (claimIds) =>
      (await access.run(releaseClaims(dialect, isIn('claim_id', 'uuid', claimIds)))).affected,
    takeBackFrom: async (owners) => {
      if (owners.length === 0) return 0;
      return (await access.run(releaseClaims(dialect, isIn('processing_owner', 'text', owners)))).affected;
    },
    owners: async () => {
      const rows = await access.rows(sql`
        select distinct processing_owner as owner from bw_queue_entries where processing_state = 'IN_PROCESSING'`);
      return rows.flatMap(({ owner }) => (owner === null ? [] : [String(owner)]));
    },
    nextLeaseEnd: async () => {
      const [row] = await access.rows(sql`
          select min(available_at_ms) as lease_end from bw_queue_entries
          where processing_state = 'IN_PROCESSING' ${dialect.ofWorkingTenants('tenant_record_id')}`);
      return orNullIn(row, 'lease_end', numberIn);
    },
    reap: async (request) => access.transact((runner) => reapEntries(runner, request)),
    nextDue: async (topics) => {
      if (topics.length === 0) return null;
      const [row] = await access.rows(sql`
          select effective_date from bw_queue_entries
          where processing_state = 'AVAILABLE' and due_order > 0 and ${isIn('topic', 'text', topics)}
            ${dialect.ofWorkingTenants('tenant_record_id')} and kind = ${QueueKind.NOTIFICATION}
          order by due_order, record_id limit 1`);
      return row ? instantIn(row, 'effective_date') : null;
    },
    countPending: async (tenantRecordId, businessNow, cause) => {
      const whose = sql`${tenantRecordId === null ? nothing : sql`and tenant_record_id = ${tenantRecordId}`}
        ${cause === undefined ? nothing : causeCondition(cause)} ${dialect.ofWorkingTenants('tenant_record_id')}`;
      const [row] = await access.rows(sql`
          select (
            select count(*) from bw_queue_entries
            where processing_state = 'AVAILABLE' and due_order <= ${Math.max(1, businessNow)} ${whose}
          ) + (
            select count(*) from bw_queue_entries where processing_state = 'IN_PROCESSING' ${whose}
          ) as pending`);
      return numberIn(row, 'pending');
    },
    backlog: async (request) => readBacklog(await access.run(backlogOf(dialect, request)), request),
    backlogByTopic: (request) => access.read(topicBacklogOf(dialect, request), readTopicBacklog),
    onSignal,
    purgeHistory: async (before, limit) => {
      const { affected } = await access.run(sql`
          delete from bw_queue_history where record_id in (
            select record_id from bw_queue_history where effective_date < ${before}
              ${dialect.ofWorkingTenants('tenant_record_id')}
            order by effective_date, record_id limit ${limit})`);
      return affected;
    },
  };
}

/**
 * Returns the condition for the entries that a call caused. It includes the account, because there is an index for the
 * due entries of an account but none for the token.
 */
function causeCondition({ userToken, accountRecordId }: WorkCause) {
  const ofAccount = accountRecordId === null ? nothing : sql`and account_record_id = ${accountRecordId}`;
  return sql`${ofAccount} and user_token = ${userToken}`;
}

const released = sql`processing_owner = null, claim_id = null, claimed_at_ms = null, lapses = null`;

type Retried = FailedEntry & { readonly availableAtMs?: number };

function entriesOf(failures: readonly FailedEntry[]): readonly ClaimedEntry[] {
  return failures.map(({ entry }) => entry);
}

function reasons(failures: readonly Retried[]): readonly (readonly (string | number | null)[])[] {
  return failures.map(({ entry, reason, availableAtMs }) => [entry.recordId, reason, availableAtMs ?? null]);
}

function retryOf(failures: readonly (FailedEntry & { readonly availableAtMs: number })[]) {
  return sql`
    update bw_queue_entries as t set processing_state = ${ProcessingState.AVAILABLE},
      error_count = t.error_count + 1, reason = r.reason, available_at_ms = r.available_at_ms,
      ${released}
    from ${rowsAs('r', reasonColumns, reasons(failures))}
    where t.record_id = r.record_id and ${ours(entriesOf(failures), 't')}`;
}

/**
 * Claims the first due entry of each account that has no entry in processing, oldest first.
 *
 * Bus entries have `due_order` 0, so they precede all notifications. The scan uses the index of due entries and stops
 * at the limit. Each row costs two lookups in a partial index. The offset prevents PostgreSQL from turning the
 * lookups into a join.
 */
async function claimEntries(runner: Runner, request: ClaimRequest): Promise<readonly ClaimedEntry[]> {
  const { dialect } = runner;
  // The lock prevents a second claim of the same account by a node that does not see the first claim yet.
  if (dialect.claimLock) runner.leaveToCommit(runner.run(dialect.claimLock));
  const claiming = runner.rows(sql`
    update bw_queue_entries set
      processing_state = ${ProcessingState.IN_PROCESSING}, processing_owner = ${request.node},
      claim_id = ${request.claimId}, claimed_at_ms = coalesce(claimed_at_ms, ${request.systemNowMs}),
      available_at_ms = ${request.leaseEndsAtMs}
    where record_id in (${dueEntries(dialect, request)} ${raw(dialect.forUpdateSkipLocked)})
    returning ${raw(dialect.selectList(queueEntriesTable))}`);
  runner.leaveToCommit(claiming);
  return (await claiming)
    .map(readClaimed)
    .sort(inClaimOrder)
    .map(({ entry }) => entry);
}

export function dueEntries(dialect: Pick<Dialect, 'ofWorkingTenants'>, request: ClaimRequest): Sql {
  return sql`
    select e.record_id from bw_queue_entries e
    where e.processing_state = 'AVAILABLE' and e.due_order <= ${Math.max(1, request.businessNow)}
      and (e.available_at_ms is null or e.available_at_ms <= ${request.systemNowMs})
      and ${isIn('e.topic', 'text', request.topics)} ${ofKind(request)} ${ofAccount(request)}
      ${dialect.ofWorkingTenants('e.tenant_record_id')}
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

/**
 * Returns the condition for entries of one kind. The condition uses the claim order, so that the scan can use the
 * index.
 */
function ofKind({ kind }: ClaimRequest) {
  if (kind === undefined) return nothing;
  return kind === QueueKind.BUS ? sql`and e.due_order = 0` : sql`and e.due_order > 0`;
}

function ofAccount({ account }: ClaimRequest) {
  if (account === undefined) return nothing;
  const { tenantRecordId, accountRecordId } = account;
  return sql`and e.tenant_record_id = ${tenantRecordId} and e.account_record_id = ${accountRecordId}`;
}

interface Claimed {
  readonly entry: ClaimedEntry;
  readonly dueOrder: number;
}

function readClaimed(row: Row): Claimed {
  const {
    dueOrder,
    claimId,
    uniqueKey: _uniqueKey,
    availableAtMs: _availableAtMs,
    claimedAtMs: _claimedAtMs,
    lapses: _lapses,
    reason: _reason,
    eventId: _eventId,
    ...entry
  } = queueEntriesTable.decode(row);
  const tenantRecordId = numberIn(row, 'tenant_record_id');
  return { dueOrder, entry: { ...entry, tenantRecordId, claimId: claimId ?? missingClaim(row) } };
}

function missingClaim(row: Row): never {
  throw new Error(`Queue entry ${String(row.record_id)} was claimed without a claim id`);
}

function inClaimOrder(first: Claimed, second: Claimed) {
  return first.dueOrder - second.dueOrder || first.entry.recordId - second.entry.recordId;
}

/**
 * Returns the condition for the given entries that are live and that this node still holds. The claim id is the fencing
 * token.
 */
function ours(entries: readonly ClaimedEntry[], alias: string = 'bw_queue_entries') {
  const claims = [...new Set(entries.map(({ claimId }) => claimId))];
  const recordIds = entries.map(({ recordId }) => recordId);
  return sql`${isIn(`${alias}.record_id`, 'bigint', recordIds)}
    and ${isIn(`${alias}.claim_id`, 'uuid', claims)}
    and ${raw(alias)}.processing_state = ${ProcessingState.IN_PROCESSING}`;
}

/** Ends the entries with this outcome. @throws LeaseLostError if another node now holds one of them. */
export async function endEntries(
  runner: Runner,
  entries: readonly ClaimedEntry[],
  outcome: ProcessingState,
): Promise<void> {
  if (entries.length === 0) return;
  const moved = await runner.dialect.moveEntries(runner, ours(entries), outcome);
  assertOurs(entries, moved);
}

export async function markEntriesDone(
  runner: Runner,
  entries: readonly ClaimedEntry[],
  handler: string,
): Promise<void> {
  if (entries.length === 0) return;
  const { affected } = await runner.run(sql`
    update bw_queue_entries set done_handlers = ${runner.dialect.appended('done_handlers', handler)}
    where ${ours(entries)}`);
  assertOurs(entries, affected);
}

function assertOurs(entries: readonly ClaimedEntry[], found: number) {
  if (found === entries.length) return;
  const recordIds = entries.map(({ recordId }) => recordId).join(', ');
  throw new LeaseLostError(`Only ${found} of the queue entries ${recordIds} are still claimed by this node`);
}

/**
 * Makes claimed entries AVAILABLE again (platform §9.3 rule 7). Skips locked rows, because the nodes that locked them
 * are alive.
 */
function releaseClaims({ forUpdateSkipLocked }: Dialect, whose: SqlPart) {
  return sql`
    update bw_queue_entries set processing_state = 'AVAILABLE', processing_owner = null, claim_id = null,
      available_at_ms = null, lapses = coalesce(lapses, 0) + 1
    where record_id in (
      select record_id from bw_queue_entries where processing_state = 'IN_PROCESSING' and ${whose}
      ${raw(forUpdateSkipLocked)})`;
}

/** Marks entries as REAPED if their leases have expired too often. Inserts AVAILABLE copies of them (platform §9.2). */
async function reapEntries(runner: Runner, request: Parameters<QueueStore['reap']>[0]) {
  const { systemNowMs, businessNow, claimedBeforeMs, maxLapses, limit, kind } = request;
  const rows = await runner.rows(sql`
    select ${raw(runner.dialect.selectList(queueEntriesTable))} from bw_queue_entries
    where lapses > 0 and lapses > ${maxLapses} and claimed_at_ms <= ${claimedBeforeMs}
      and (processing_state = 'AVAILABLE' or available_at_ms <= ${systemNowMs})
      ${kind === undefined ? nothing : sql`and kind = ${kind}`} ${runner.dialect.ofWorkingTenants('tenant_record_id')}
    order by record_id limit ${limit} ${raw(runner.dialect.forUpdateSkipLocked)}`);
  if (rows.length === 0) return 0;
  const recordIds = rows.map((row) => numberIn(row, 'record_id'));
  await runner.run(sql`
    update bw_queue_entries set reason = ${`Reclaimed more than ${maxLapses} times because the nodes that processed it died`}
    where ${isIn('record_id', 'bigint', recordIds)}`);
  const reaped = sql`${isIn('record_id', 'bigint', recordIds)}`;
  await runner.dialect.moveEntries(runner, reaped, ProcessingState.REAPED);
  const copies = rows.map((row) =>
    availableCopy(numberIn(row, 'tenant_record_id'), {
      ...queueEntriesTable.decode(row),
      createdDate: businessNow,
    }),
  );
  await runner.dialect.insertEntries(runner, copies);
  return copies.length;
}

/** SQL for the earliest time at which an entry could have been processed. */
const begun = sql`case when created_date > effective_date then created_date else effective_date end`;

const dueEvents = sql`due_order = 0`;

function dueNotifications(since: Instant) {
  return sql`due_order > 0 and due_order <= ${since}`;
}

type OfWorkingTenants = Pick<Dialect, 'ofWorkingTenants'>;

function firstDue({ ofWorkingTenants }: OfWorkingTenants, due: Sql, limit: number) {
  return sql`from bw_queue_entries
    where processing_state = 'AVAILABLE' and ${due} ${ofWorkingTenants('tenant_record_id')}
    order by due_order, record_id limit ${limit}`;
}

/**
 * Returns the size of the backlog. Counts at most `limit` entries in claim order, so that PostgreSQL uses the index
 * that has this order.
 */
function backlogOf(dialect: OfWorkingTenants, { since, limit, kind }: BacklogRequest) {
  const parts = [
    { kind: QueueKind.BUS, due: dueEvents },
    { kind: QueueKind.NOTIFICATION, due: dueNotifications(since) },
  ].map((part) => {
    const isRequested = kind === undefined || kind === part.kind;
    const selectDueTimes = (limited: number) => sql`
      select ${begun} as begun ${firstDue(dialect, part.due, isRequested ? limited : 0)}`;
    return {
      oldest: sql`(${selectDueTimes(1)})`,
      late: sql`(select count(*) from (${selectDueTimes(limit)}) as due where begun <= ${since})`,
    };
  });
  const [bus, notifications] = parts as [(typeof parts)[0], (typeof parts)[0]];
  return sql`select ${bus.oldest} as oldest_event, ${notifications.oldest} as oldest_notification,
    ${bus.late} + ${notifications.late} as late`;
}

function topicBacklogOf(dialect: OfWorkingTenants, { since, limit }: Omit<BacklogRequest, 'kind'>) {
  const selectDueTopics = (due: Sql) => sql`select * from (
    select topic, ${begun} as begun ${firstDue(dialect, due, limit)}) as due`;
  return sql`
    select topic, count(*) as late, min(begun) as oldest
    from (${selectDueTopics(dueEvents)} union all ${selectDueTopics(dueNotifications(since))}) as found
    where begun <= ${since} group by topic order by topic`;
}

const readTopicBacklog = rowReader({ topic: text, late: bigint, oldest: instantAt });

function readBacklog({ rows: [row] }: StatementResult, { since, limit }: BacklogRequest): QueueBacklog {
  const times = [row?.oldest_event, row?.oldest_notification]
    .filter((value) => value !== null)
    .map((value) => numberOf(value, 'oldest'))
    .filter((each) => each <= since);
  return {
    late: Math.min(numberIn(row, 'late'), limit),
    oldest: times.length === 0 ? null : instant(Math.min(...times)),
  };
}
