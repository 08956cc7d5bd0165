import type { CreditNoteReads, CreditNoteWrites } from '../../../lib/ports/storage/index.ts';
import { isIn, sql } from '../sql/sql.ts';
import { creditNotesTable } from '../tables/credit-notes.ts';
import {
  insertInto,
  ofAccount,
  page,
  select,
  selectByIds,
  selectOrdered,
  type TenantScope,
} from '../tables/record-access.ts';
import { takeNumbers } from './counters.ts';

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
