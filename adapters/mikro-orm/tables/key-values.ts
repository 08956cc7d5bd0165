import type { New, TenantKeyValue } from '../../../lib/records/index.ts';
import { keyValueFields } from '../../../lib/records/index.ts';
import { columnsOf } from './described-columns.ts';
import { RecordTable } from './record-table.ts';

export const keyValuesTable = new RecordTable<New<TenantKeyValue>>(
  {
    name: 'tenant_kvs',
    ofTenant: true,
    uniques: [
      { name: 'id', columns: ['id'] },
      { name: 'single', columns: ['tenant_record_id', 'key'], where: 'is_active and is_single' },
    ],
    indexes: [{ name: 'key', columns: ['tenant_record_id', 'key'], where: 'is_active' }],
  },
  columnsOf(keyValueFields),
);
