import { keyValueFields } from '../../../lib/records/index.ts';
import { columnsOf } from './described-columns.ts';
import { RecordTable } from './record-table.ts';

export const keyValuesTable = new RecordTable('tenant_kvs', columnsOf(keyValueFields), {
  uniques: { id: 'id', single: 'tenant_record_id, key where is_active and is_single' },
  indexes: { key: 'tenant_record_id, key where is_active' },
});
