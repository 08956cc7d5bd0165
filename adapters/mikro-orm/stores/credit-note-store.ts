import type {
  CreditNoteReads,
  CreditNoteWrites,
  OverdueReads,
  OverdueWrites,
} from '../../../lib/ports/storage/index.ts';
import { isIn, sql } from '../sql/sql.ts';
import { creditNotesTable } from '../tables/credit-notes.ts';
import { overdueAccountsTable } from '../tables/overdue.ts';
import {
  insertInto,
  ofAccount,
  page,
  select,
  selectByIds,
  selectOrdered,
  type TenantScope,
} from '../tables/record-access.ts';
import { takeNumbers } from './tenant-settings.ts';

export function creditNoteReads(scope: TenantScope): CreditNoteReads {
  return {
    findByIds: async (ids) => selectByIds(scope, creditNotesTable, ids),
    ofInvoice: async (invoiceId) => select(scope, creditNotesTable, isIn('invoice_id', 'uuid', [invoiceId])),
    pageOfAccount: async (accountId, request) =>
      page(scope, creditNotesTable, { request, within: sql`and ${ofAccount(scope, accountId)}` }),
    afterNumber: async (creditNoteNumber, limit) =>
      selectOrdered(scope, creditNotesTable, {
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
      if (notes.length > 0) await scope.runner.run(insertInto(scope, creditNotesTable, notes));
    },
    areWritten,
  };
}

export function overdueReads(scope: TenantScope): OverdueReads {
  return {
    findAccounts: async (accountIds) =>
      select(scope, overdueAccountsTable, isIn('account_id', 'uuid', accountIds)),
    page: async ({ afterAccountId, limit }) =>
      selectOrdered(scope, overdueAccountsTable, {
        condition: afterAccountId === null ? sql`true` : sql`account_id > ${afterAccountId}`,
        order: 'account_id',
        limit,
      }),
  };
}

export function overdueWrites(scope: TenantScope): OverdueWrites {
  return {
    saveAccounts: async (accounts) => {
      if (accounts.length === 0) return;
      await scope.runner.run(sql`${insertInto(scope, overdueAccountsTable, accounts)}
        on conflict (tenant_record_id, account_id)
        do update set is_invoicing_off_owned = excluded.is_invoicing_off_owned`);
    },
    disownInvoicingOff: async (accountIds) => {
      if (accountIds.length === 0) return;
      await scope.runner.run(sql`
        update bw_overdue_accounts set is_invoicing_off_owned = false
        where tenant_record_id = ${scope.tenantRecordId} and ${isIn('account_id', 'uuid', accountIds)}
          and is_invoicing_off_owned`);
    },
  };
}
