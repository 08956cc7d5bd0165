import { keptFiguresFields } from '../../../lib/records/index.ts';
import { columnsOf } from './described-columns.ts';
import { RecordTable } from './record-table.ts';

export const keptFiguresTable = new RecordTable('kept_figures', columnsOf(keptFiguresFields), {
  uniques: { name: 'tenant_record_id, name' },
});
