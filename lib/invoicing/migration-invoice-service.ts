import { lockAccount } from '../accounts/lock-account.ts';
import type { Ports } from '../ports/index.ts';
import { type CallContext, InvoiceStatus } from '../records/index.ts';
import { authorshipOf } from '../runtime/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { ZERO } from '../values/money/index.ts';
import { type LocalDate, localDateOf } from '../values/time/index.ts';
import { changeInvoices } from './change-invoices.ts';
import { invoiceAmounts } from './invoice-amounts.ts';
import type { InvoiceReader, InvoiceView } from './invoice-view.ts';
import { checkCurrency } from './manual-items.ts';
import { checkMigrationItems, type MigrationItem, migrationItem } from './migration-items.ts';
import { emptyInvoice, invoicingCurrency } from './new-invoice.ts';

export interface MigrationInvoiceRequest {
  readonly accountId: Uuid;
  /** At least one. */
  readonly items: readonly MigrationItem[];
  /** Local date of the account; default today. */
  readonly targetDate?: LocalDate | null | undefined;
}

/** Invoices of the past that another system has made (§9 rule 5). */
export class MigrationInvoiceService {
  readonly #ports: Pick<Ports, 'storage' | 'ids'>;
  readonly #invoices: InvoiceReader;

  constructor(ports: Pick<Ports, 'storage' | 'ids'>, invoices: InvoiceReader) {
    this.#ports = ports;
    this.#invoices = invoices;
  }

  /**
   * Stores an invoice that another system has made, for reference: COMMITTED, its items as they are given, its balance 0. It
   * is never paid, and counts in no balance, credit, run or repair; `invoices.ofAccount` lists it `withMigration` only.
   * @returns the invoice with its items.
   * @throws BillingError MISSING_OR_INVALID_FIELD (60003) without items, or for an item without type or amount;
   * CURRENCY_INVALID (3), INVOICE_INVALID_DATE_SEQUENCE (4004), ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), BUSY (60018).
   */
  async create(context: CallContext, request: MigrationInvoiceRequest): Promise<InvoiceView> {
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
