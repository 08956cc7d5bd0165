import { featureOverrideFields, featureStateFields, quotaUseFields } from '../../../lib/records/index.ts';
import { bigint, date, fieldsOf, instantAtOrNull, integer, text, uuid } from '../sql/columns.ts';
import { columnsOf } from './described-columns.ts';
import { RecordTable } from './record-table.ts';

export const featureOverridesTable = new RecordTable(
  'feature_overrides',
  columnsOf(featureOverrideFields, { from: 'starts_at', until: 'ends_at' }),
  {
    uniques: { id: 'id' },
    indexes: { account: 'tenant_record_id, account_record_id, record_id' },
  },
);

/**
 * Counters of quotas. The used amount is stored as a whole part and a fraction in units of 10⁻¹⁰. Both databases can
 * thus add and compare it exactly in one statement.
 */
export const quotaCountersTable = new RecordTable(
  'quota_counters',
  fieldsOf({
    accountRecordId: bigint,
    ownerId: uuid,
    feature: text,
    periodStart: date,
    usedWhole: bigint,
    usedFraction: bigint,
    announced: integer,
    keepUntil: instantAtOrNull,
  }),
  {
    uniques: { period: 'tenant_record_id, owner_id, feature, period_start' },
    indexes: { age: 'keep_until' },
  },
);

export const quotaUsesTable = new RecordTable('quota_uses', columnsOf(quotaUseFields, { key: 'use_key' }), {
  uniques: { id: 'id', key: 'tenant_record_id, account_record_id, feature, use_key' },
  indexes: { age: 'created_date' },
});

export const featureStatesTable = new RecordTable(
  'feature_states',
  columnsOf(featureStateFields, { values: 'feature_values' }),
  { uniques: { account: 'tenant_record_id, account_record_id' } },
);
