import type { OverdueAccount } from '../../../lib/records/index.ts';
import { bigint, boolean, uuid } from '../sql/columns.ts';
import { RecordTable } from './record-table.ts';

export const overdueAccountsTable = new RecordTable<OverdueAccount>(
  {
    name: 'overdue_accounts',
    ofTenant: true,
    uniques: [{ name: 'account', columns: ['tenant_record_id', 'account_id'] }],
  },
  {
    accountId: uuid('account_id'),
    accountRecordId: bigint('account_record_id'),
    isInvoicingOffOwned: boolean('is_invoicing_off_owned'),
  },
);
