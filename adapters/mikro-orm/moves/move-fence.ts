import type { FenceState, TakenMove } from '../../../lib/ports/storage/index.ts';
import { billingError, ErrorCode } from '../../../lib/values/errors/index.ts';
import { numberIn, textIn } from '../sql/columns.ts';
import type { Runner, SystemAccess } from '../sql/runner.ts';
import { isIn, nothing, raw, type Sql, sql } from '../sql/sql.ts';
import { AWAY_CONSTRAINT, FENCED_STATE } from '../tables/moves.ts';
import { tenantsTable } from '../tables/system.ts';
import { type MovedTable, movedTables } from './moved-tables.ts';
import { patiently } from './patient-changes.ts';

/**
 * The trigger function. Its arguments are the tenant, the table and the key columns. On Citus, it runs on a worker, where
 * the search path is another one and `tg_table_name` is the name of a shard.
 *
 * The row of the fence is locked until the transaction ends, and so is its table. Therefore a change of the fence waits
 * for all transactions that have passed it. A transaction with an older snapshot fails with 40001 and is repeated, also
 * if its snapshot does not contain the row yet.
 *
 * Housekeeping and the queue work on all tenants at once. A closed fence silently keeps their updates and deletions from
 * the rows of this tenant, and does not stop their work on other tenants.
 */
const fenceFunction = sql`
  create or replace function bw_move_fence() returns trigger language plpgsql set search_path from current as $fence$
  declare
    written record;
    fence text;
    row_key text[];
  begin
    if tg_op = 'DELETE' then written := old; else written := new; end if;
    if current_setting('billwright.mover', true) = 'on' then return written; end if;
    select state into fence from bw_tenant_moves where tenant_record_id = tg_argv[0]::bigint for share;
    if fence is null then
      raise exception 'The transaction began before the move of the tenant %', tg_argv[0] using errcode = '40001';
    end if;
    if fence = 'OPEN' then return written; end if;
    if fence in ('LEAVING', 'HOLDING') then
      if tg_nargs = 3 then
        row_key := array[written.record_id::text];
      else
        execute (select 'select array[' || string_agg(format('($1).%I::text', tg_argv[i]), ', ' order by i) || ']'
          from generate_series(2, tg_nargs - 1) i) into row_key using written;
      end if;
      insert into bw_tenant_move_log (tenant_record_id, table_name, row_key)
      values (tg_argv[0]::bigint, tg_argv[1], to_json(row_key)::text);
      return written;
    end if;
    if tg_op <> 'INSERT' and current_setting('billwright.tenant_record_id', true) = '*' then return null; end if;
    raise exception 'The tenant % is being moved to another cell', tg_argv[0] using errcode = '${raw(FENCED_STATE)}';
  end $fence$`;

/**
 * Waits for all transactions that have passed the fence of a tenant. New transactions wait until this transaction ends.
 */
const lockFences = sql`lock table bw_tenant_moves in exclusive mode`;

function fenceOf({ tenantRecordId, revision }: TakenMove): Sql {
  return sql`tenant_record_id = ${tenantRecordId} and revision = ${revision}`;
}

/** States in which a fence no longer blocks writes in the cell, or in which the tenant's rows have left the cell. */
const hasEnded = sql`state in ('OPEN', 'AWAY', 'GONE')`;

/** Locks the fence until the transaction ends. @throws BillingError BUSY if another process holds the fence. */
export async function holdFence(runner: Runner, move: TakenMove, state?: FenceState): Promise<void> {
  const [held] = await runner.rows(sql`
    select 1 as held from bw_tenant_moves
    where ${fenceOf(move)} ${state === undefined ? nothing : sql`and state = ${state}`} for share`);
  if (held === undefined) throw moveIsLost();
}

function moveIsLost() {
  return billingError(
    ErrorCode.BUSY,
    'Another process has taken over the move of the tenant, or has ended it; look at the place of the tenant',
  );
}

export async function raiseFence(
  access: SystemAccess,
  move: TakenMove,
  state: 'LEAVING' | 'ARRIVING',
): Promise<void> {
  await patiently(access, async (runner) => {
    await runner.run(lockFences);
    await runner.run(fenceFunction);
    const { affected } = await runner.run(sql`
      update bw_tenant_moves set state = case
        when state = 'OPEN' and ${state} = 'LEAVING' then 'LEAVING'
        when state in ('AWAY', 'GONE') and ${state} = 'ARRIVING' then 'ARRIVING' else state end
      where ${fenceOf(move)}`);
    if (affected === 0) throw moveIsLost();
  });
  for (const table of movedTables) await patiently(access, (runner) => createTriggers(runner, table, move));
  if (state === 'ARRIVING') await writeAwayConstraints(access);
}

/** Takes the fence. Its row stays forever, so that a process with a smaller revision can never take the fence later. */
export async function takeFence(
  access: SystemAccess,
  move: TakenMove,
  first: 'OPEN' | 'GONE',
): Promise<FenceState> {
  const { tenantRecordId, revision } = move;
  return patiently(access, async (runner) => {
    await runner.run(lockFences);
    const [fence] = await runner.rows(sql`
      insert into bw_tenant_moves as f (tenant_record_id, state, revision)
      values (${tenantRecordId}, ${first}, ${revision})
      on conflict (tenant_record_id) do update set revision = excluded.revision
      where f.revision <= excluded.revision
      returning state`);
    if (fence === undefined) throw moveIsLost();
    return textIn(fence, 'state') as FenceState;
  });
}

export async function changeFence(
  access: SystemAccess,
  move: TakenMove,
  change: { readonly from: readonly FenceState[]; readonly to: FenceState; readonly also?: readonly Sql[] },
): Promise<void> {
  await patiently(access, async (runner) => {
    await runner.run(lockFences);
    const { affected } = await runner.run(sql`
      update bw_tenant_moves set state = ${change.to}
      where ${fenceOf(move)} and ${isIn('state', 'text', [...change.from, change.to])}`);
    if (affected === 0) throw moveIsLost();
    for (const statement of change.also ?? []) await runner.run(statement);
  });
}

/** Opens the fence and wakes the dispatchers of all nodes. From then on, the triggers allow all writes. */
export async function openFence(access: SystemAccess, move: TakenMove): Promise<void> {
  const { tenantRecordId } = move;
  await patiently(access, async (runner) => {
    const [opened] = await runner.rows(sql`
      select state from bw_tenant_moves where ${fenceOf(move)} and not ${hasEnded} for update`);
    if (opened === undefined) return;
    await runner.run(sql`update bw_tenant_moves set state = 'OPEN' where ${fenceOf(move)}`);
    if (opened.state === 'ARRIVING')
      // If a sink is missing in the source cell, the sink receives only events that are published from now on.
      await runner.run(sql`
        insert into bw_sink_cursors (tenant_record_id, sink, after_record_id)
        select ${tenantRecordId}, name, ${runner.dialect.lastEntry} from bw_sinks
        on conflict (tenant_record_id, sink) do nothing`);
    const notify = runner.dialect.notify('');
    if (notify !== null) await runner.run(notify);
  });
}

export async function removeFence(access: SystemAccess, move: TakenMove): Promise<void> {
  const { tenantRecordId } = move;
  const isUnused = sql`exists (select 1 from bw_tenant_moves where ${fenceOf(move)} and ${hasEnded})`;
  await dropTriggers(access, tenantRecordId, isUnused);
  await access.run(sql`
    delete from bw_tenant_move_log where tenant_record_id = ${tenantRecordId} and ${isUnused}`);
  await access.run(sql`update bw_tenant_moves set state = 'GONE' where ${fenceOf(move)} and state = 'AWAY'`);
}

/**
 * Records that the tenant has left the cell. Changes the state first, so that concurrent moves of other tenants include
 * this tenant in the constraints too.
 */
export async function leaveCell(access: SystemAccess, move: TakenMove): Promise<void> {
  await changeFence(access, move, { from: ['STOPPED', 'ARRIVING'], to: 'AWAY' });
  await writeAwayConstraints(access);
}

/**
 * Creates one trigger for insertions and updates and another for deletions, because their conditions read different
 * rows.
 */
async function createTriggers(runner: Runner, table: MovedTable, move: TakenMove) {
  const { tenantRecordId } = move;
  await runner.run(sql`lock table ${raw(table.name)} in share row exclusive mode`);
  await holdFence(runner, move);
  const name = triggerName(tenantRecordId);
  const [found] = await runner.rows(sql`
    select count(*) as triggers from pg_trigger
    where tgrelid = ${table.name}::regclass and tgname in (${name}, ${`${name}_delete`})`);
  if (numberIn(found, 'triggers') === 2) return;
  const names = [table, ...table.key].map(({ name }) => `'${name}'`);
  const call = raw(`bw_move_fence(${[tenantRecordId, ...names].join(', ')})`);
  for (const { suffix, events, row } of [
    { suffix: '', events: 'insert or update', row: 'new' },
    { suffix: '_delete', events: 'delete', row: 'old' },
  ])
    await runner.run(sql`
      create or replace trigger ${raw(name + suffix)} before ${raw(events)} on ${raw(table.name)} for each row
      when (${raw(`${row}.${table.tenant} = ${tenantRecordId}`)}) execute function ${call}`);
}

/** Drops the triggers of a tenant if the condition is still true once the table is locked. */
async function dropTriggers(access: SystemAccess, tenantRecordId: number, condition: Sql) {
  const name = triggerName(tenantRecordId);
  const found = await access.rows(sql`
    select distinct relname from pg_trigger join pg_class on pg_class.oid = tgrelid
    where tgname in (${name}, ${`${name}_delete`}) and pg_table_is_visible(pg_class.oid)`);
  for (const table of found.map((row) => textIn(row, 'relname')))
    await patiently(access, async (runner) => {
      await runner.run(sql`lock table ${raw(table)} in access exclusive mode`);
      const allowed = await runner.rows(sql`select 1 as allowed where ${condition}`);
      if (allowed.length === 0) return;
      for (const trigger of [name, `${name}_delete`])
        await runner.run(sql`drop trigger if exists ${raw(trigger)} on ${raw(table)}`);
    });
}

function triggerName(tenantRecordId: number) {
  return `bw_move_${tenantRecordId}`;
}

/** Adds a constraint to each table. The constraint excludes the tenants that have left the cell. */
async function writeAwayConstraints(access: SystemAccess) {
  const present = await awayConstraints(access);
  const wanted = awayCondition(await awayTenants(access));
  for (const { name } of movedTables.filter((table) => table.name !== tenantsTable.name)) {
    if (isSameText(present.get(name) ?? null, wanted)) continue;
    await patiently(access, async (runner) => {
      await runner.run(sql`lock table ${raw(name)} in access exclusive mode`);
      // Another move may have changed the list in the meantime.
      const condition = awayCondition(await awayTenants(runner));
      await runner.run(sql`alter table ${raw(name)} drop constraint if exists ${raw(AWAY_CONSTRAINT)}`);
      if (condition === null) return;
      await runner.run(
        sql`alter table ${raw(name)} add constraint ${raw(AWAY_CONSTRAINT)} ${raw(condition)}`,
      );
    });
  }
}

async function awayTenants(runner: Pick<Runner, 'rows'>): Promise<readonly number[]> {
  const found = await runner.rows(sql`
    select tenant_record_id from bw_tenant_moves where state in ('AWAY', 'GONE') order by tenant_record_id`);
  return found.map((row) => numberIn(row, 'tenant_record_id'));
}

function awayCondition(tenants: readonly number[]): string | null {
  if (tenants.length === 0) return null;
  return `check ((tenant_record_id <> all ('{${tenants.join(',')}}'::bigint[]))) not valid`;
}

/** Returns the existing constraints by table. */
async function awayConstraints(access: SystemAccess): Promise<ReadonlyMap<string, string>> {
  const found = await access.rows(sql`
    select relname, pg_get_constraintdef(pg_constraint.oid) as definition
    from pg_constraint join pg_class on pg_class.oid = conrelid
    where conname = ${AWAY_CONSTRAINT} and pg_table_is_visible(pg_class.oid)`);
  return new Map(found.map((row) => [textIn(row, 'relname'), textIn(row, 'definition')]));
}

function isSameText(one: string | null, other: string | null) {
  return one?.toLowerCase() === other?.toLowerCase();
}

/**
 * Returns the statements that end the cell's own work for the tenant. The statements also write to the log of changed
 * rows, because the mover runs them.
 */
export function endOfWork(tenantRecordId: number): readonly Sql[] {
  const logWrittenRows = (table: string) => sql`
    insert into bw_tenant_move_log (tenant_record_id, table_name, row_key)
    select ${tenantRecordId}, ${table}, json_build_array(record_id::text)::text from written`;
  return [
    sql`
      with written as (
        update bw_queue_entries set processing_state = 'AVAILABLE', processing_owner = null, claim_id = null,
          claimed_at_ms = null, lapses = null, available_at_ms = null
        where tenant_record_id = ${tenantRecordId} and processing_state = 'IN_PROCESSING'
        returning record_id)
      ${logWrittenRows('bw_queue_entries')}`,
    sql`delete from bw_push_leases where tenant_record_id = ${tenantRecordId}`,
    sql`delete from bw_sink_leases where tenant_record_id = ${tenantRecordId}`,
    sql`
      with written as (
        insert into bw_sink_cursors (tenant_record_id, sink, after_record_id)
        select ${tenantRecordId}, name, after_record_id from bw_sinks
        on conflict (tenant_record_id, sink) do nothing
        returning record_id)
      ${logWrittenRows('bw_sink_cursors')}`,
  ];
}
