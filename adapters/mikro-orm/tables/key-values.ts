import type { New, TenantKeyValue } from '../../../lib/records/index.ts';
import { boolean, instantAt, text, uuid } from '../sql/columns.ts';
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
  {
    id: uuid('id'),
    key: text('key'),
    value: text('value'),
    isSingle: boolean('is_single'),
    isActive: boolean('is_active'),
    createdDate: instantAt('created_date'),
    updatedDate: instantAt('updated_date'),
  },
);
