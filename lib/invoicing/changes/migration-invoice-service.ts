import { lockAccount } from '../../accounts/index.ts';
import type { Ports } from '../../ports/index.ts';
import { type CallContext, InvoiceStatus } from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import { ZERO } from '../../values/money/index.ts';
import { localDateOf } from '../../values/time/index.ts';
import { invoiceAmounts } from '../invoices/invoice-amounts.ts';
import type { InvoiceReader, InvoiceView } from '../invoices/invoice-view.ts';
import { checkCurrency } from '../invoices/manual-items.ts';
import { checkMigrationItems, migrationItem } from '../invoices/migration-items.ts';
import { emptyInvoice, invoicingCurrency } from '../invoices/new-invoice.ts';
import type { MigrationInvoiceRequest } from '../operations/invoice-operations.ts';
import { changeInvoices } from './change-invoices.ts';

/** Invoices of the past that another system made (§9 rule 5). */
export class MigrationInvoiceService {
  readonly #ports: Pick<Ports, 'storage' | 'ids'>;
  readonly #invoices: InvoiceReader;

  constructor(ports: Pick<Ports, 'storage' | 'ids'>, invoices: InvoiceReader) {
    this.#ports = ports;
    this.#invoices = invoices;
  }

  async createMigrationInvoice(context: CallContext, request: MigrationInvoiceRequest): Promise<InvoiceView> {
    checkMigrationItems(request.items);
    const invoiceId = await this.#ports.storage.write(
      context.tenant,
      authorshipOf(context),
      async (session) => {
        const account = await lockAccount(session, request.accountId);
        const currency = invoicingCurrency(account);
        for (const item of request.items) checkCurrency(item.currency, currency);
        const newItems = request.items.map((item) =>
          migrationItem(item, { id: this.#ports.ids.next(), currency }),
        );
        const empty = emptyInvoice({
          id: this.#ports.ids.next(),
          account,
          targetDate: request.targetDate ?? localDateOf(context.createdDate, account.timeZone),
          status: InvoiceStatus.COMMITTED,
          now: context.createdDate,
        });
        const invoice = {
          ...empty,
          ...invoiceAmounts(newItems),
          rawBalance: ZERO,
          isMigration: true,
          parentAccountId: null,
          contributedAmount: null,
        };
        await changeInvoices(
          session,
          { changes: [{ before: null, after: invoice, newItems }] },
          this.#ports.ids,
        );
        return invoice.id;
      },
    );
    return this.#invoices.get(context, invoiceId);
  }
}
