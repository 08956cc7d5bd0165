import {
  FenceState,
  type LastRecordIds,
  type MovingTenant,
  type TakenMove,
  type TenantMoveStore,
} from '../../../lib/ports/storage/index.ts';
import { CELL_NUMBERS } from '../../../lib/values/limits.ts';
import { numberIn, textIn } from '../sql/columns.ts';
import type { Runner, SystemAccess } from '../sql/runner.ts';
import { isIn, raw, sql } from '../sql/sql.ts';
import { cellSequences, refuseSqlite } from '../stores/cell-store.ts';
import { tenantsTable } from '../tables/system.ts';
import {
  changeFence,
  endOfWork,
  leaveCell,
  openFence,
  raiseFence,
  removeFence,
  takeFence,
} from './move-fence.ts';
import { isConflict, MovedRowStatements } from './moved-rows.ts';
import { movedTables } from './moved-tables.ts';
import { becomeMover, patiently } from './patient-changes.ts';

/** Moves of tenants between PostgreSQL databases. */
export function tenantMoveStore(access: SystemAccess): TenantMoveStore {
  return {
    tables: movedTables.map(({ name }) => name),
    fences: async (tenantRecordIds) => {
      const found = await access.rows(sql`
        select tenant_record_id, state from bw_tenant_moves
        where ${isIn('tenant_record_id', 'bigint', tenantRecordIds)}`);
      return new Map(
        found.map((row) => [
          numberIn(row, 'tenant_record_id'),
          FenceState[textIn(row, 'state') as FenceState],
        ]),
      );
    },
    of: (move) => {
      refuseSqlite(access);
      return movingTenant(access, move);
    },
  };
}

function movingTenant(access: SystemAccess, move: TakenMove): MovingTenant {
  const { dialect } = access;
  const ofTenant = sql`tenant_record_id = ${move.tenantRecordId}`;
  const onRows = <T>(work: (rows: MovedRowStatements) => Promise<T>): Promise<T> =>
    access.transact(async (runner) => {
      await becomeMover(runner);
      return work(new MovedRowStatements(runner, move));
    });
  return {
    takeFence: (first) => takeFence(access, move, first),
    raiseFence: (state) => raiseFence(access, move, state),
    changeFence: (from, to) => changeFence(access, move, { from, to }),
    stop: () =>
      changeFence(access, move, { from: ['HOLDING'], to: 'STOPPED', also: endOfWork(move.tenantRecordId) }),
    countUnderWay: async () => {
      const [row] = await access.rows(sql`
        select (select count(*) from bw_queue_entries where ${ofTenant} and processing_state = 'IN_PROCESSING')
          + (select count(*) from bw_push_leases where ${ofTenant})
          + (select count(*) from bw_sink_leases where ${ofTenant}) as found`);
      return numberIn(row, 'found');
    },
    open: () => openFence(access, move),
    removeFence: () => removeFence(access, move),
    chunks: (table, after) => onRows((rows) => rows.chunks(table, after)),
    digests: async (selections) => onRows((rows) => rows.digests(selections)),
    read: (selected) => onRows((rows) => rows.read(selected)),
    replace: async (selected, batch) => {
      try {
        await onRows((rows) => rows.replace(selected, batch));
        return 'REPLACED';
      } catch (error) {
        if (isConflict(dialect, error)) return 'CONFLICT';
        throw error;
      }
    },
    logged: async (limit) => access.readAs((row) => ({
      recordId: numberIn(row, 'record_id'),
      table: textIn(row, 'table_name'),
      key: textIn(row, 'row_key'),
    }))`
      select record_id, table_name, row_key from bw_tenant_move_log where ${ofTenant}
      order by record_id limit ${limit}`,
    loggedKeys: async (table) => access.readAs((row) => textIn(row, 'row_key'))`
      select distinct row_key from bw_tenant_move_log where ${ofTenant} and table_name = ${table}`,
    forgetLogged: async (recordIds) => {
      if (recordIds.length === 0) return;
      await access.run(sql`delete from bw_tenant_move_log where ${isIn('record_id', 'bigint', recordIds)}`);
    },
    lastRecordIds: () => lastRecordIds(access),
    raiseRecordIds: async (floors, cellNumber) => {
      const last = await lastRecordIds(access);
      const behind = Object.entries(floors).filter(([sequence, floor]) => (last[sequence] ?? 0) < floor);
      for (const [sequence, floor] of behind)
        await patiently(access, (runner) => raiseSequence(runner, { sequence, floor, cellNumber }));
    },
    leave: () => leaveCell(access, move),
    deleteSome: async (table, limit) =>
      table === tenantsTable.name ? 0 : onRows((rows) => rows.deleteSome(table, limit)),
  };
}

async function lastRecordIds(access: SystemAccess): Promise<LastRecordIds> {
  const columns = cellSequences.map((name) => `coalesce(pg_sequence_last_value('${name}'), 0) as ${name}`);
  const [row] = await access.rows(sql`select ${raw(columns.join(', '))}`);
  return Object.fromEntries(cellSequences.map((name) => [name, numberIn(row, name)]));
}

/**
 * Raises a sequence. The `alter` statement changes nothing, but locks the sequence until the commit, so that the
 * sequence never goes backward.
 */
async function raiseSequence(
  runner: Runner,
  {
    sequence,
    floor,
    cellNumber,
  }: { readonly sequence: string; readonly floor: number; readonly cellNumber: number },
) {
  await runner.run(sql`alter sequence ${raw(sequence)} increment by ${raw(String(CELL_NUMBERS))}`);
  const above = sql`greatest(${floor}, coalesce(pg_sequence_last_value(${sequence}::regclass), 0))`;
  await runner.run(sql`
    select setval(${sequence}::regclass,
      ${cellNumber} + ${CELL_NUMBERS} * ceil((${above} - ${cellNumber})::numeric / ${CELL_NUMBERS})::bigint)`);
}
