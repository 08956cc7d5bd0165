import type { EInvoiceDeliveryReads, EInvoiceDeliveryWrites } from '../../../lib/ports/storage/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { textOf } from '../sql/columns.ts';
import { isIn, sql } from '../sql/sql.ts';
import { creditNotesTable, eInvoiceDeliveriesTable } from '../tables/invoices.ts';
import type { TenantScope } from '../tables/record-access.ts';

export function eInvoiceDeliveryReads(scope: TenantScope): EInvoiceDeliveryReads {
  return {
    findByIds: async (ids) => scope.selectByIds(eInvoiceDeliveriesTable, ids),
    ofInvoice: async (invoiceId) => scope.selectBy(eInvoiceDeliveriesTable, 'invoiceId', [invoiceId]),
    notesSince: async (accountRecordIds, since) => {
      const condition = isIn('account_record_id', 'bigint', accountRecordIds);
      return scope.select(creditNotesTable, {
        ...sql`${condition} and created_date >= ${since}`,
        isAmongNone: accountRecordIds.length === 0,
      });
    },
  };
}

export function eInvoiceDeliveryWrites(scope: TenantScope): EInvoiceDeliveryWrites {
  return {
    insertNew: async (deliveries) => {
      if (deliveries.length === 0) return [];
      return scope.runner.readAs(({ id }) => textOf(id, 'id') as Uuid)`
        ${scope.insertInto(eInvoiceDeliveriesTable, deliveries)} on conflict do nothing returning id`;
    },
    update: async (attempts) => {
      if (attempts.length === 0) return;
      await scope.update(eInvoiceDeliveriesTable, {
        properties: [
          'state',
          'attempts',
          'failures',
          'attemptedDate',
          'nextAttemptDate',
          'receipt',
          'lastError',
        ],
        records: attempts,
      });
    },
  };
}
