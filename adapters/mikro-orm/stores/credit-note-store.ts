import type {
  CreditNoteReads,
  CreditNoteWrites,
  OverdueReads,
  OverdueWrites,
} from '../../../lib/ports/storage/index.ts';
import { numberIn, textIn } from '../sql/columns.ts';
import { isIn, sql } from '../sql/sql.ts';
import { overdueAccountsTable } from '../tables/accounts.ts';
import { creditNotesTable } from '../tables/invoices.ts';
import type { TenantScope } from '../tables/record-access.ts';
import { takeNumbers } from './tenant-settings.ts';

export function creditNoteReads(scope: TenantScope): CreditNoteReads {
  return {
    findByIds: async (ids) => scope.selectByIds(creditNotesTable, ids),
    ofInvoices: async (invoiceIds) => scope.selectBy(creditNotesTable, 'invoiceId', invoiceIds),
    pageOfAccount: async (accountId, request) =>
      scope.page(creditNotesTable, { request, within: sql`and ${scope.ofAccount(accountId)}` }),
    afterNumber: async (creditNoteNumber, limit) =>
      scope.selectOrdered(creditNotesTable, {
        condition: sql`credit_note_number > ${creditNoteNumber}`,
        order: 'credit_note_number',
        limit,
      }),
  };
}

export function creditNoteWrites(scope: TenantScope, areWritten: () => Promise<boolean>): CreditNoteWrites {
  return {
    takeNumbers: async (count) => takeNumbers(scope, 'credit_note_number', count),
    insert: async (notes) => {
      await scope.insertAll(creditNotesTable, notes);
    },
    areWritten,
  };
}

export function overdueReads(scope: TenantScope): OverdueReads {
  return {
    findAccounts: async (accountIds) => scope.selectBy(overdueAccountsTable, 'accountId', accountIds),
    page: async ({ afterAccountId, limit }) =>
      scope.selectOrdered(overdueAccountsTable, {
        condition: afterAccountId === null ? sql`true` : sql`account_id > ${afterAccountId}`,
        order: 'account_id',
        limit,
      }),
    pageOverdue: async (stateName, request) => {
      const within =
        stateName === null ? sql`and state_name is not null` : sql`and state_name = ${stateName}`;
      return scope.page(overdueAccountsTable, { request, within });
    },
    countStates: async () =>
      scope.runner.read(
        sql`select state_name, count(*) as accounts from bw_overdue_accounts
          where ${scope.ofTenant} and state_name is not null group by state_name`,
        (row) => ({ stateName: textIn(row, 'state_name'), accounts: numberIn(row, 'accounts') }),
      ),
  };
}

export function overdueWrites(scope: TenantScope): OverdueWrites {
  return {
    saveAccounts: async (accounts) => {
      await scope.insertAll(
        overdueAccountsTable,
        accounts,
        sql`on conflict (tenant_record_id, account_id)
        do update set is_invoicing_off_owned = excluded.is_invoicing_off_owned,
          state_name = excluded.state_name`,
      );
    },
    disownInvoicingOff: async (accountIds) => {
      if (accountIds.length === 0) return;
      await scope.runner.run(sql`
        update bw_overdue_accounts set is_invoicing_off_owned = false
        where ${scope.ofTenant} and ${isIn('account_id', 'uuid', accountIds)}
          and is_invoicing_off_owned`);
    },
  };
}
