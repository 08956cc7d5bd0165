import type { OverdueAccount } from '../../../lib/records/index.ts';
import { overdueAccountFields } from '../../../lib/records/index.ts';
import { columnsOf } from './described-columns.ts';
import { RecordTable } from './record-table.ts';

export const overdueAccountsTable = new RecordTable<OverdueAccount>(
  {
    name: 'overdue_accounts',
    ofTenant: true,
    uniques: [{ name: 'account', columns: ['tenant_record_id', 'account_id'] }],
  },
  columnsOf(overdueAccountFields),
);
