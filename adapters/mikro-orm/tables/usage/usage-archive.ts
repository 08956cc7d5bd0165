import type { Column } from '../../sql/columns.ts';
import { TABLE_PREFIX, type TableSpec, TENANT_COLUMN, tenantColumn } from '../record-table.ts';
import { aggregateColumns, bucketColumns, bucketNames } from './usage.ts';

/** Columns for a range of points (after < ordinal ≤ up to) in a bucket, within a part of the day. */
const rangeColumns: readonly Column[] = [
  { name: 'after_ordinal', type: 'bigint', nullable: false },
  // The text is ALL, DAY_POINTS, or two instants in milliseconds separated by a space.
  { name: 'part', type: 'text', nullable: false },
  { name: 'up_to_ordinal', type: 'bigint', nullable: false },
];

function archiveTable(name: string, columns: readonly Column[]): TableSpec {
  return {
    name: `${TABLE_PREFIX}${name}`,
    columns: [tenantColumn, ...bucketColumns, ...rangeColumns, ...columns],
    primaryKey: [TENANT_COLUMN, ...bucketNames, 'after_ordinal', 'part'],
    uniques: [],
    indexes: [],
  };
}

/** Totals of archived points. There is one row for each part of a day that can still be queried. */
export const archivedPiecesTable = archiveTable(
  'usage_archived_pieces',
  aggregateColumns.map((column) => ({ ...column, nullable: false })),
);

/** Tracking ids of archived points, including voided ones. There is one row for each part of a day that has points. */
export const archivedIdsTable = archiveTable('usage_archived_ids', [
  // This value is set only for parts between two instants.
  { name: 'start_at', type: 'bigint', nullable: true, isInstant: true },
  { name: 'end_at', type: 'bigint', nullable: true, isInstant: true },
  // For each submission, the text contains the record id, the tracking id and the time when it was voided.
  { name: 'tracking_ids', type: 'json', nullable: false },
]);
