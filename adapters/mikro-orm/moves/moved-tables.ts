import type { Column } from '../sql/columns.ts';
import { tenantPlacesTable } from '../tables/cells.ts';
import { tenantColumnOf } from '../tables/entities.ts';
import { tables } from '../tables/index.ts';
import { accessLogTable } from '../tables/monitoring.ts';
import { tenantMoveLogTable, tenantMovesTable } from '../tables/moves.ts';
import { pushLeasesTable, sinkLeasesTable } from '../tables/queue.ts';
import type { TableSpec } from '../tables/record-table.ts';

/** Tables about the cell's own work for tenants, and the directory. Their rows stay where they are. */
const ownTables: readonly TableSpec[] = [
  tenantPlacesTable,
  tenantMovesTable,
  tenantMoveLogTable,
  accessLogTable,
  pushLeasesTable,
  sinkLeasesTable,
];

export interface MovedTable {
  readonly name: string;
  /** Column with the record id of the tenant. */
  readonly tenant: string;
  readonly columns: readonly Column[];
  /** The primary key, without the tenant. */
  readonly key: readonly Column[];
  /**
   * The leading part of the key by which chunks are formed. Text is omitted, because its order depends on the
   * database. Rows may have the same values.
   */
  readonly order: readonly Column[];
}

export const movedTables: readonly MovedTable[] = tables.flatMap((table) => {
  const tenant = tenantColumnOf(table);
  if (tenant === null || ownTables.includes(table)) return [];
  const keys = [table.primaryKey].flat();
  const isOfTenants = keys.join() === tenant;
  const key = keys
    .filter((name) => isOfTenants || name !== tenant)
    .flatMap((name) => table.columns.filter((column) => column.name === name));
  const order = key.filter(({ type }) => type !== 'text');
  return [{ name: table.name, tenant, columns: table.columns, key, order }];
});

const byName = new Map(movedTables.map((table) => [table.name, table]));

/** Returns a table by the name that the port uses. */
export function movedTable(name: string): MovedTable {
  const table = byName.get(name);
  if (table === undefined) throw new TypeError(`Moves do not copy the table ${name}`);
  return table;
}
