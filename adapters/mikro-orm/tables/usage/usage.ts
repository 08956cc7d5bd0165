import type { Instant, LocalDate } from '../../../../lib/values/time/index.ts';
import { bigint, type Column, date, instantAt, instantAtOrNull, text } from '../../sql/columns.ts';
import { RecordTable, TABLE_PREFIX, type TableSpec, TENANT_COLUMN } from '../record-table.ts';

/** Names of units, each of which stands once for all of its points. */
export const usageUnitsTable = new RecordTable<{ readonly name: string }>(
  { name: 'usage_units', ofTenant: true, uniques: [{ name: 'name', columns: ['tenant_record_id', 'name'] }] },
  { name: text('name') },
);

export interface StoredKey {
  readonly subscriptionRecordId: number;
  readonly trackingId: string;
  readonly fingerprint: string;
  /** The days that its points lie on: from the first to the last. */
  readonly firstDay: LocalDate;
  readonly lastDay: LocalDate;
  readonly createdBy: string;
  readonly createdDate: Instant;
  readonly voidedDate: Instant | null;
}

/** A row for each submission, which stays when it is voided. */
export const usageKeysTable = new RecordTable<StoredKey>(
  {
    name: 'usage_keys',
    ofTenant: true,
    uniques: [
      { name: 'tracking_id', columns: ['tenant_record_id', 'subscription_record_id', 'tracking_id'] },
    ],
    indexes: [
      // The few whose points do not count.
      {
        name: 'voided',
        columns: ['tenant_record_id', 'subscription_record_id', 'record_id'],
        where: 'voided_date is not null',
      },
    ],
  },
  {
    subscriptionRecordId: bigint('subscription_record_id'),
    trackingId: text('tracking_id'),
    fingerprint: text('fingerprint'),
    firstDay: date('first_day'),
    lastDay: date('last_day'),
    createdBy: text('created_by'),
    createdDate: instantAt('created_date'),
    voidedDate: instantAtOrNull('voided_date'),
  },
);

/** A bucket: what was used of a unit by a subscription on a day. In this order a stretch of days is read in one go. */
export const bucketColumns: readonly Column[] = [
  { name: 'subscription_record_id', type: 'bigint', nullable: false },
  { name: 'local_date', type: 'date', nullable: false },
  { name: 'unit_record_id', type: 'bigint', nullable: false },
];

export const bucketKey = bucketColumns.map(({ name }) => name).join(', ');

const tenantColumn: Column = { name: TENANT_COLUMN, type: 'bigint', nullable: false };

/** Written once, and the largest table there is: hence neither ids nor names, and no index but its key. */
export const usagePointsTable: TableSpec = {
  name: `${TABLE_PREFIX}usage_points`,
  columns: [
    tenantColumn,
    ...bucketColumns,
    // From 1 on, without gaps, and in the order of their commits.
    { name: 'ordinal', type: 'bigint', nullable: false },
    { name: 'recorded_for', type: 'bigint', nullable: false, isInstant: true },
    { name: 'is_date_only', type: 'boolean', nullable: false },
    { name: 'amount', type: 'decimal', nullable: false },
    { name: 'key_record_id', type: 'bigint', nullable: false },
  ],
  primaryKey: [TENANT_COLUMN, ...bucketColumns.map(({ name }) => name), 'ordinal'],
  uniques: [],
  indexes: [],
};

/** What the points of a bucket come to. Without points that count the sum is 0, and what is nullable null. */
export const aggregateColumns: readonly Column[] = [
  { name: 'amount_sum', type: 'decimal', nullable: false },
  { name: 'amount_max', type: 'decimal', nullable: true },
  { name: 'amount_min', type: 'decimal', nullable: true },
  // Those of its points with the latest time, of which the last one that was stored.
  { name: 'last_recorded_for', type: 'bigint', nullable: true, isInstant: true },
  { name: 'last_amount', type: 'decimal', nullable: true },
];

/** A row for each bucket that has points. */
export const usageDaysTable: TableSpec = {
  name: `${TABLE_PREFIX}usage_days`,
  columns: [
    tenantColumn,
    ...bucketColumns,
    { name: 'account_record_id', type: 'bigint', nullable: false },
    ...aggregateColumns,
    // The highest ordinal: voided points count.
    { name: 'point_count', type: 'bigint', nullable: false },
    // How often points of it were voided.
    { name: 'version', type: 'integer', nullable: false },
    // Points up to this ordinal are archived; null = none.
    { name: 'archived_count', type: 'bigint', nullable: true },
  ],
  primaryKey: [TENANT_COLUMN, ...bucketColumns.map(({ name }) => name)],
  uniques: [],
  indexes: [
    {
      name: 'account',
      columns: [TENANT_COLUMN, 'account_record_id', 'local_date', 'subscription_record_id', 'unit_record_id'],
    },
  ],
};
