import { storedFiguresFields } from '../../../lib/records/index.ts';
import { columnsOf } from './described-columns.ts';
import { RecordTable } from './record-table.ts';

export const storedFiguresTable = new RecordTable('kept_figures', columnsOf(storedFiguresFields), {
  uniques: { name: 'tenant_record_id, name' },
});
