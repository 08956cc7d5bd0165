import { toldThresholdFields } from '../../../../lib/records/index.ts';
import { bigint, fieldsOf } from '../../sql/columns.ts';
import { columnsOf } from '../described-columns.ts';
import { RecordTable } from '../record-table.ts';

/** The number of recordings per subscription, for tenants with usage thresholds. */
export const usageMarksTable = new RecordTable(
  'usage_marks',
  fieldsOf({ subscriptionRecordId: bigint, version: bigint }),
  {
    uniques: { subscription: 'tenant_record_id, subscription_record_id' },
  },
);

/** Thresholds that were announced, one row each. */
export const usageThresholdsTable = new RecordTable(
  'usage_thresholds',
  columnsOf(toldThresholdFields, { start: 'starts_at' }),
  {
    uniques: {
      bound: 'tenant_record_id, subscription_record_id, usage_name, starts_at, measure, measured, bound',
    },
    indexes: { age: 'over_at' },
  },
);
