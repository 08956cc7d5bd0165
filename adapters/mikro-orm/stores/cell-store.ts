import type { CellNumbering, CellStore, PlaceChoice, TakenMove } from '../../../lib/ports/storage/index.ts';
import { type Cell, ChangeType, PlaceState, type TenantPlace } from '../../../lib/records/index.ts';
import { billingError, ErrorCode } from '../../../lib/values/errors/index.ts';
import { CELL_NUMBERS, MOVE_SILENT_MS } from '../../../lib/values/limits.ts';
import { WriteScope } from '../audit/audited-writes.ts';
import { idIn, numberIn, orNullIn, type Row, textIn } from '../sql/columns.ts';
import type { Runner, SystemAccess } from '../sql/runner.ts';
import { isIn, nothing, raw, rowsAs, type Sql, sql } from '../sql/sql.ts';
import { cellsTable, tenantPlacesTable } from '../tables/cells.ts';
import { tenantTables } from '../tables/entities.ts';
import { tables } from '../tables/index.ts';
import { queueHistoryTable } from '../tables/queue.ts';
import { insertInto, namesOf, selectOfAll, TenantScope } from '../tables/record-access.ts';
import { recordIdColumn } from '../tables/record-table.ts';
import { tenantsTable } from '../tables/system.ts';

/** Tenant id of rows that do not belong to a tenant (platform §17 rule 2). */
const noTenant = 0;
const revisionCounter = 'places_revision';
const numberCounter = 'cell_number';

/** Maximum number of rows that are counted exactly. For more rows, the statistics of the table are used. */
const EXACT_COUNTS = 10_000;

/**
 * Tables whose tenant rows are stored only in cells. The tenant rows of all other tables are also stored in the
 * directory.
 */
const cellTables = tenantTables().filter(
  (table) => table !== tenantsTable.name && table !== tenantPlacesTable.name,
);

/**
 * Tables whose record ids depend on the number of the cell. The table of tenants is excluded, because the directory
 * assigns its record ids.
 */
const numberedTables = tables
  .filter(({ name, columns }) => cellTables.includes(name) && columns.includes(recordIdColumn))
  .map(({ name }) => name);
const sequenceOf = (table: string) => `${table}_record_id_seq`;
export const cellSequences: readonly string[] = numberedTables.map(sequenceOf);

export function cellStore(access: SystemAccess): CellStore {
  const { nowMs } = access.dialect;
  const counter = async (name: string) => {
    const [row] = await access.rows(counterValue(name));
    return row === undefined ? null : numberIn(row, 'value');
  };
  /** Changes the place of a tenant if it still has the given state and revision. Otherwise returns false. */
  const change = async ({ tenantRecordId, revision }: TakenMove, from: PlaceState, assignments: Sql) =>
    access.transact((runner) =>
      changePlace(runner, { tenantRecordId, from, assignments, also: sql`and revision = ${revision}` }),
    );
  return {
    revision: async () => (await counter(revisionCounter)) ?? 0,
    list: async () => cellsOf(access),
    register: async ({ name, adopt }) => {
      refuseSqlite(access);
      return access.transact(async (runner) => {
        // Take a separate lock, because a new cell has no row to lock.
        await runner.run(sql`lock table bw_cells in share row exclusive mode`);
        const cells = await cellsOf(runner);
        const known = cells.find((cell) => cell.name === name);
        if (known !== undefined) return known;
        const number = (cells.at(-1)?.number ?? -1) + 1;
        if (number >= CELL_NUMBERS)
          throw billingError(ErrorCode.MISSING_OR_INVALID_FIELD, `There are already ${CELL_NUMBERS} cells`);
        const above = Math.max(0, ...cells.map(({ recordIdFloor }) => recordIdFloor));
        const cell = { name, number, recordIdFloor: await adopt({ number, above }) };
        const [inserted] = await runner.readAs(cellsTable)`
          ${insertInto(noTenant, cellsTable, [cell])} returning ${raw(runner.dialect.selectList(cellsTable))}`;
        await raiseRevision(runner);
        return inserted ?? { ...cell, recordId: 0 };
      });
    },
    places: async (choice) => access.readAs(placeOf)`
      select t.record_id as tenant, t.id, ${cellOf} as cell, p.other_cell, coalesce(p.state, 'SETTLED') as state,
        coalesce(p.revision, 0) as revision,
        case when p.state in ('MOVING', 'CLEANING') and p.mover_seen_ms < ${nowMs} - ${MOVE_SILENT_MS}
          then 1 else 0 end as is_interrupted
      from bw_tenants t left join bw_tenant_places p on p.tenant_record_id = t.record_id
      where ${placeCondition(choice)} order by t.record_id`,
    countTenants: async () => {
      const rows = await access.rows(sql`
        select ${cellOf} as cell, count(*) as tenants
        from bw_tenants t left join bw_tenant_places p on p.tenant_record_id = t.record_id group by 1`);
      return new Map(rows.map((row) => [textIn(row, 'cell'), numberIn(row, 'tenants')]));
    },
    insertTenant: async (tenant, cell) =>
      access.transact(async (runner) => {
        const [recordId = 0] = await new TenantScope(runner, noTenant).insert(tenantsTable, [tenant]);
        const place = { cell, otherCell: null, state: 'NEW', revision: 0, moverSeenMs: null } as const;
        await new TenantScope(runner, recordId).insertAll(tenantPlacesTable, [place]);
        return { ...tenant, recordId };
      }),
    settle: async (tenantRecordId) => {
      await access.run(sql`
        update bw_tenant_places set state = 'SETTLED' where tenant_record_id = ${tenantRecordId} and state = 'NEW'`);
    },
    beginMove: async (tenantRecordId, to) =>
      access.transact(async (runner) => {
        await placeUnplaced(runner, tenantRecordId);
        const assignments = sql`state = 'MOVING', other_cell = ${to}, mover_seen_ms = ${nowMs}`;
        return changePlace(runner, {
          tenantRecordId,
          from: 'SETTLED',
          assignments,
          also: sql`and cell <> ${to}`,
        });
      }),
    takeMove: async (tenantRecordId) =>
      access.transact(async (runner) => {
        const revision = await raiseRevision(runner);
        const { affected } = await runner.run(sql`
          update bw_tenant_places set revision = ${revision}
          where tenant_record_id = ${tenantRecordId} and state in ('MOVING', 'CLEANING')`);
        return affected === 1 ? revision : null;
      }),
    renewMove: async (tenantRecordId) => {
      await access.run(sql`
        update bw_tenant_places set mover_seen_ms = ${nowMs} where tenant_record_id = ${tenantRecordId}`);
    },
    switchMove: (move) =>
      change(move, 'MOVING', sql`state = 'CLEANING', cell = other_cell, other_cell = cell`),
    undoMove: (move) => change(move, 'MOVING', sql`state = 'CLEANING'`),
    endMove: (move) => change(move, 'CLEANING', sql`state = 'SETTLED', other_cell = null`),

    number: () => counter(numberCounter),
    contents: async () => {
      const any = cellTables.map((table) => `select 1 from ${table} where tenant_record_id <> 0`);
      const [row] = await access.rows(sql`
        select case when exists (${raw(any.map((each) => `(${each} limit 1)`).join(' union all '))})
          then 1 else 0 end as filled`);
      const [last] = await access.rows(
        sql`select id, record_id from bw_tenants order by record_id desc limit 1`,
      );
      return {
        hasTenantData: numberIn(row, 'filled') === 1,
        lastTenant:
          last === undefined ? null : { id: idIn(last, 'id'), recordId: numberIn(last, 'record_id') },
      };
    },
    adopt: async (numbering) => {
      refuseSqlite(access);
      return access.transact((runner) => adopt(runner, numbering));
    },
    receiveTenant: async (tenant, authorship) =>
      access.transact(async (runner) => {
        const { recordId, id } = tenant;
        const columns = [recordIdColumn, ...tenantsTable.written];
        const names = raw(namesOf(columns));
        const row = [recordId, ...tenantsTable.encode(noTenant, tenant)];
        await runner.run(sql`
          insert into bw_tenants (${names}) select ${names} from ${rowsAs('r', columns, [row])} where true
          on conflict (record_id) do nothing`);
        await runner.run(sql`
          select 1 from bw_tenants where record_id = ${recordId} ${raw(runner.dialect.forUpdate)}`);
        // The row may also exist because this database is the directory. Only the first receipt of the row is audited.
        const [audited] = await runner.rows(sql`
          select 1 as audited from bw_audit_log
          where tenant_record_id = ${recordId} and ${isIn('target_id', 'uuid', [id])} limit 1`);
        if (audited !== undefined) return;
        const scope = new WriteScope(runner, recordId, { authorship });
        scope.noteBareChange('TENANT', { id, recordId, changeType: ChangeType.INSERT });
        await scope.changes.flush(scope, authorship);
      }),
    countAccounts: async () => {
      refuseSqlite(access);
      const [row] = await access.rows(sql`
        select case when reltuples > ${EXACT_COUNTS} then reltuples::bigint
          else (select count(*) from bw_accounts) end as total
        from pg_class where oid = to_regclass('bw_accounts')`);
      return numberIn(row, 'total');
    },
  };
}

/**
 * SQL for the name of the tenant's cell. Tenants that are older than the first cell have no place yet; they belong to
 * the first cell.
 */
const cellOf = sql`coalesce(p.cell, (select c.name from bw_cells c where c.number = 0))`;

function placeOf(row: Row): TenantPlace {
  return {
    tenant: { id: idIn(row, 'id'), recordId: numberIn(row, 'tenant') },
    cell: textIn(row, 'cell'),
    otherCell: orNullIn(row, 'other_cell', textIn),
    state: PlaceState[textIn(row, 'state') as PlaceState],
    revision: numberIn(row, 'revision'),
    isInterrupted: numberIn(row, 'is_interrupted') === 1,
  };
}

function placeCondition(choice: PlaceChoice): Sql {
  if ('ids' in choice) return sql`${isIn('t.id', 'uuid', choice.ids)}`;
  if ('recordIds' in choice) return sql`${isIn('t.record_id', 'bigint', choice.recordIds)}`;
  if ('states' in choice) return sql`${isIn('p.state', 'text', choice.states)}`;
  return sql`p.revision > ${choice.changedAfter}`;
}

async function cellsOf(runner: Pick<Runner, 'dialect' | 'readAs'>): Promise<readonly Cell[]> {
  const cells = await selectOfAll(runner, cellsTable, sql`1 = 1`);
  return cells.toSorted((one, other) => one.number - other.number);
}

const counterValue = (name: string) => sql`
  select value from bw_counters where tenant_record_id = ${noTenant} and name = ${name}`;

/**
 * Increments the revision and returns it. Changes of places run one after another, because each change locks this row.
 */
async function raiseRevision(runner: Runner): Promise<number> {
  const [row] = await runner.rows(sql`
    insert into bw_counters (tenant_record_id, name, value) values (${noTenant}, ${revisionCounter}, 1)
    on conflict (tenant_record_id, name) do update set value = bw_counters.value + 1 returning value`);
  return numberIn(row, 'value');
}

interface PlaceChange {
  readonly tenantRecordId: number;
  readonly from: PlaceState;
  readonly assignments: Sql;
  /** Further condition. */
  readonly also?: Sql;
}

async function changePlace(runner: Runner, change: PlaceChange): Promise<boolean> {
  const { tenantRecordId, from, assignments, also = nothing } = change;
  const revision = await raiseRevision(runner);
  const { affected } = await runner.run(sql`
    update bw_tenant_places set ${assignments}, revision = ${revision}
    where tenant_record_id = ${tenantRecordId} and state = ${from} ${also}`);
  return affected === 1;
}

/** Inserts the place of a tenant that is older than the first cell. */
async function placeUnplaced(runner: Runner, tenantRecordId: number) {
  await runner.run(sql`
    insert into bw_tenant_places (tenant_record_id, cell, state, revision)
    select ${tenantRecordId}, c.name, 'SETTLED', 0 from bw_cells c where c.number = 0
    on conflict (tenant_record_id) do nothing`);
}

/**
 * Raises the sequences to record ids whose remainder identifies the cell. The sequences are locked until the commit.
 */
async function adopt(runner: Runner, { number, above }: CellNumbering): Promise<number> {
  await runner.run(sql`
    insert into bw_counters (tenant_record_id, name, value) values (${noTenant}, ${numberCounter}, ${number})
    on conflict (tenant_record_id, name) do update set value = excluded.value`);
  for (const sequence of cellSequences) {
    await runner.run(sql`alter sequence ${raw(sequence)} increment by ${raw(String(CELL_NUMBERS))}`);
  }
  const last = cellSequences.map((sequence) => `coalesce(pg_sequence_last_value('${sequence}'), 0)`);
  const [row] = await runner.rows(sql`select greatest(${raw(last.join(', '))}) as highest`);
  const own = numberIn(row, 'highest');
  const floor = number + CELL_NUMBERS * Math.ceil((Math.max(above, own, 1) - number) / CELL_NUMBERS);
  const start = number === 0 ? floor : floor + CELL_NUMBERS * own;
  const starts = cellSequences.map((sequence) => `setval('${sequence}', ${start})`);
  await runner.rows(sql`select ${raw(starts.join(', '))}`);
  // System rows can have the same record ids as rows of the first cell.
  // The system rows are renumbered, so that rows that move here keep their ids.
  const renumbered = number === 0 ? [] : [...numberedTables, queueHistoryTable.name];
  for (const table of renumbered)
    await runner.run(sql`
      update ${raw(table)} set record_id = ${floor} + ${raw(String(CELL_NUMBERS))} * record_id
      where tenant_record_id = ${noTenant} and record_id <= ${own}`);
  return start;
}

/** @throws BillingError MISSING_OR_INVALID_FIELD (60003) if the database is SQLite. */
export function refuseSqlite({ dialect }: SystemAccess) {
  if (dialect.kind === 'postgresql') return;
  throw billingError(
    ErrorCode.MISSING_OR_INVALID_FIELD,
    'Cells need PostgreSQL databases. Pass postgresql(url).',
  );
}
