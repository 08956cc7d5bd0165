import { thresholdAnnouncementFields } from '../../../../lib/records/index.ts';
import { bigint, type Column, date, fieldsOf, instantAt, instantAtOrNull, text } from '../../sql/columns.ts';
import { columnsOf } from '../described-columns.ts';
import {
  indexSpecs,
  RecordTable,
  TABLE_PREFIX,
  type TableSpec,
  TENANT_COLUMN,
  tenantColumn,
} from '../record-table.ts';

/** Names of units. Points refer to a unit by the record id of its name. */
export const usageUnitsTable = new RecordTable('usage_units', fieldsOf({ name: text }), {
  uniques: { name: 'tenant_record_id, name' },
});

const keyFields = fieldsOf({
  subscriptionRecordId: bigint,
  trackingId: text,
  fingerprint: text,
  /** The first and last day of the points. */
  firstDay: date,
  lastDay: date,
  createdBy: text,
  createdDate: instantAt,
  voidedDate: instantAtOrNull,
});

/** Usage submissions, including voided ones. */
export const usageKeysTable = new RecordTable('usage_keys', keyFields, {
  uniques: { tracking_id: 'tenant_record_id, subscription_record_id, tracking_id' },
  indexes: { voided: 'tenant_record_id, subscription_record_id, record_id where voided_date is not null' },
});

/**
 * Columns of a bucket, which contains the usage of one unit by one subscription on one day. Their order lets a scan
 * read consecutive days.
 */
export const bucketColumns: readonly Column[] = [
  { name: 'subscription_record_id', type: 'bigint', nullable: false },
  { name: 'local_date', type: 'date', nullable: false },
  { name: 'unit_record_id', type: 'bigint', nullable: false },
];

export const bucketNames = bucketColumns.map(({ name }) => name);
export const bucketKey = bucketNames.join(', ');

/**
 * Usage points. This is by far the largest table. Its rows are never changed, so they have no ids, no names and no
 * index except the key.
 */
export const usagePointsTable: TableSpec = {
  name: `${TABLE_PREFIX}usage_points`,
  columns: [
    tenantColumn,
    ...bucketColumns,
    // The numbers start at 1, follow the commit order and have no gaps.
    { name: 'ordinal', type: 'bigint', nullable: false },
    { name: 'recorded_for', type: 'bigint', nullable: false, isInstant: true },
    { name: 'is_date_only', type: 'boolean', nullable: false },
    { name: 'amount', type: 'decimal', nullable: false },
    { name: 'key_record_id', type: 'bigint', nullable: false },
  ],
  primaryKey: [TENANT_COLUMN, ...bucketNames, 'ordinal'],
  uniques: [],
  indexes: [],
};

/**
 * Columns with the totals of a bucket. If the bucket has no valid points, the sum is 0 and nullable columns are null.
 */
export const aggregateColumns: readonly Column[] = [
  { name: 'amount_sum', type: 'decimal', nullable: false },
  { name: 'amount_max', type: 'decimal', nullable: true },
  { name: 'amount_min', type: 'decimal', nullable: true },
  // These columns describe the latest point. If several points have the same time, the point that was stored last is
  // the latest.
  { name: 'last_recorded_for', type: 'bigint', nullable: true, isInstant: true },
  { name: 'last_amount', type: 'decimal', nullable: true },
];

/** Buckets that have points, one row each. */
export const usageDaysTable: TableSpec = {
  name: `${TABLE_PREFIX}usage_days`,
  columns: [
    tenantColumn,
    ...bucketColumns,
    { name: 'account_record_id', type: 'bigint', nullable: false },
    ...aggregateColumns,
    // This is the highest ordinal, including voided points.
    { name: 'point_count', type: 'bigint', nullable: false },
    // This is the number of times that points were voided.
    { name: 'version', type: 'integer', nullable: false },
    // Points up to this ordinal are archived. Null means that no point is archived.
    { name: 'archived_count', type: 'bigint', nullable: true },
  ],
  primaryKey: [TENANT_COLUMN, ...bucketNames],
  uniques: [],
  indexes: indexSpecs({
    account: 'tenant_record_id, account_record_id, local_date, subscription_record_id, unit_record_id',
  }),
};

/** The number of times that usage has been recorded, for each subscription of a tenant with usage thresholds. */
export const usageMarksTable = new RecordTable(
  'usage_marks',
  fieldsOf({ subscriptionRecordId: bigint, version: bigint }),
  {
    uniques: { subscription: 'tenant_record_id, subscription_record_id' },
  },
);

/** Thresholds for which an event has been emitted, one per row. */
export const usageThresholdsTable = new RecordTable(
  'usage_thresholds',
  columnsOf(thresholdAnnouncementFields, { start: 'starts_at' }),
  {
    uniques: {
      bound: 'tenant_record_id, subscription_record_id, usage_name, starts_at, measure, measured, bound',
    },
    indexes: { age: 'over_at' },
  },
);
