import type { Column } from '../../sql/columns.ts';
import { TABLE_PREFIX, type TableSpec, TENANT_COLUMN } from '../record-table.ts';
import { aggregateColumns, bucketColumns } from './usage.ts';

const tenantColumn: Column = { name: TENANT_COLUMN, type: 'bigint', nullable: false };

/** Which points of a bucket: with after < ordinal ≤ up to, and of which part of the day. */
export const rangeColumns: readonly Column[] = [
  { name: 'after_ordinal', type: 'bigint', nullable: false },
  // ALL, DAY_POINTS, or two instants in milliseconds with a blank between them.
  { name: 'part', type: 'text', nullable: false },
  { name: 'up_to_ordinal', type: 'bigint', nullable: false },
];

const bucketNames = bucketColumns.map(({ name }) => name);

/** What points came to that are archived: a row for each piece of a day that may be asked for. */
export const archivedPiecesTable: TableSpec = {
  name: `${TABLE_PREFIX}usage_archived_pieces`,
  columns: [
    tenantColumn,
    ...bucketColumns,
    ...rangeColumns,
    ...aggregateColumns.map((column) => ({ ...column, nullable: false })),
  ],
  primaryKey: [TENANT_COLUMN, ...bucketNames, 'after_ordinal', 'part'],
  uniques: [],
  indexes: [],
};

/** The tracking ids of archived points, also of those that do not count: a row for each piece that has points. */
export const archivedIdsTable: TableSpec = {
  name: `${TABLE_PREFIX}usage_archived_ids`,
  columns: [
    tenantColumn,
    ...bucketColumns,
    ...rangeColumns,
    // Of a part between two instants.
    { name: 'start_at', type: 'bigint', nullable: true, isInstant: true },
    { name: 'end_at', type: 'bigint', nullable: true, isInstant: true },
    // Of each submission its record id, its tracking id, and when it was voided.
    { name: 'tracking_ids', type: 'json', nullable: false },
  ],
  primaryKey: [TENANT_COLUMN, ...bucketNames, 'after_ordinal', 'part'],
  uniques: [],
  indexes: [],
};
