import { type ToldThreshold, toldThresholdFields } from '../../../../lib/records/index.ts';
import { bigint } from '../../sql/columns.ts';
import { columnsOf } from '../described-columns.ts';
import { RecordTable } from '../record-table.ts';

/** A row for each subscription of a tenant with thresholds: how often something was recorded for it. */
export const usageMarksTable = new RecordTable<{
  readonly subscriptionRecordId: number;
  readonly version: number;
}>(
  {
    name: 'usage_marks',
    ofTenant: true,
    uniques: [{ name: 'subscription', columns: ['tenant_record_id', 'subscription_record_id'] }],
  },
  { subscriptionRecordId: bigint('subscription_record_id'), version: bigint('version') },
);

/** A row for each threshold that was told of. */
export const usageThresholdsTable = new RecordTable<ToldThreshold>(
  {
    name: 'usage_thresholds',
    ofTenant: true,
    uniques: [
      {
        name: 'bound',
        columns: [
          'tenant_record_id',
          'subscription_record_id',
          'usage_name',
          'starts_at',
          'measure',
          'measured',
          'bound',
        ],
      },
    ],
    indexes: [{ name: 'age', columns: ['over_at'] }],
  },
  columnsOf(toldThresholdFields, { start: 'starts_at' }),
);
