import { type ToldThreshold, toldThresholdFields } from '../../../../lib/records/index.ts';
import { bigint, fieldsOf, type ValuesOf } from '../../sql/columns.ts';
import { columnsOf } from '../described-columns.ts';
import { RecordTable } from '../record-table.ts';

const markFields = fieldsOf({ subscriptionRecordId: bigint, version: bigint });

/** The number of recordings per subscription, for tenants with usage thresholds. */
export const usageMarksTable = new RecordTable<ValuesOf<typeof markFields>>('usage_marks', markFields, {
  uniques: { subscription: 'tenant_record_id, subscription_record_id' },
});

/** Thresholds that were announced, one row each. */
export const usageThresholdsTable = new RecordTable<ToldThreshold>(
  'usage_thresholds',
  columnsOf(toldThresholdFields, { start: 'starts_at' }),
  {
    uniques: {
      bound: 'tenant_record_id, subscription_record_id, usage_name, starts_at, measure, measured, bound',
    },
    indexes: { age: 'over_at' },
  },
);
