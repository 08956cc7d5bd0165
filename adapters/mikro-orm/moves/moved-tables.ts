import type { Column } from '../sql/columns.ts';
import { tenantPlacesTable } from '../tables/cells.ts';
import { tenantColumnOf } from '../tables/entities.ts';
import { tables } from '../tables/index.ts';
import { accessLogTable } from '../tables/monitoring.ts';
import { tenantMoveLogTable, tenantMovesTable } from '../tables/moves.ts';
import { pushLeasesTable, sinkLeasesTable } from '../tables/queue.ts';
import type { TableSpec } from '../tables/record-table.ts';

/** Tables of the directory, and tables that describe the cell's own work for tenants. Their rows are never moved. */
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
   * The first columns of the key, by which rows are divided into chunks. Text columns are excluded, because their order
   * depends on the database. Several rows may have the same values.
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

/** Returns the table with the name used in the port. */
export function movedTable(name: string): MovedTable {
  const table = byName.get(name);
  if (table === undefined) throw new TypeError(`Moves do not copy the table ${name}`);
  return table;
}
