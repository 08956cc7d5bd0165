import { overdueAccountFields } from '../../../lib/records/index.ts';
import { columnsOf } from './described-columns.ts';
import { RecordTable } from './record-table.ts';

export const overdueAccountsTable = new RecordTable('overdue_accounts', columnsOf(overdueAccountFields), {
  uniques: { account: 'tenant_record_id, account_id' },
});
