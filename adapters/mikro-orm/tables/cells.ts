import { cellFields, tenantPlaceFields } from '../../../lib/records/index.ts';
import { columnsOf } from './described-columns.ts';
import { RecordTable } from './record-table.ts';

export const cellsTable = new RecordTable('cells', columnsOf(cellFields), {
  ofTenant: false,
  uniques: { name: 'name', number: 'number' },
});

export const tenantPlacesTable = new RecordTable('tenant_places', columnsOf(tenantPlaceFields), {
  uniques: { tenant: 'tenant_record_id' },
  indexes: { revision: 'revision', state: 'state' },
});
