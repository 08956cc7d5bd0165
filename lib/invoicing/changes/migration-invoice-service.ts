import { loadAccount, lockAccount } from '../../accounts/index.ts';
import type { IdGenerator, Ports } from '../../ports/index.ts';
import { type Account, type CallContext, InvoiceStatus } from '../../records/index.ts';
import { ZERO } from '../../values/money/index.ts';
import { localDateOf } from '../../values/time/index.ts';
import type { ConsultedOperations } from '../consulting/consulted-operations.ts';
import { invoiceAmounts } from '../invoices/invoice-amounts.ts';
import type { InvoiceReader, InvoiceView } from '../invoices/invoice-view.ts';
import { checkCurrency, statedItemAmount } from '../invoices/manual-items.ts';
import { checkMigrationItems, migrationItem } from '../invoices/migration-items.ts';
import { emptyInvoice, invoicingCurrency } from '../invoices/new-invoice.ts';
import type { MigrationInvoiceRequest } from '../operations/invoice-operations.ts';
import { changeInvoices } from './change-invoices.ts';

/** Invoices of the past that another system made (§9 rule 5). */
export class MigrationInvoiceService {
  readonly #ports: Pick<Ports, 'ids'>;
  readonly #invoices: InvoiceReader;
  readonly #operations: ConsultedOperations;

  constructor(ports: Pick<Ports, 'ids'>, invoices: InvoiceReader, operations: ConsultedOperations) {
    this.#ports = ports;
    this.#invoices = invoices;
    this.#operations = operations;
  }

  async createMigrationInvoice(context: CallContext, request: MigrationInvoiceRequest): Promise<InvoiceView> {
    checkMigrationItems(request.items);
    const { accountId } = request;
    const invoiceId = await this.#operations.run(context, {
      // They are stored as they are given.
      takesItems: false,
      find: (session) => loadAccount(session, accountId),
      lock: (session) => lockAccount(session, accountId),
      plan: async (_session, account, { ids }) => {
        const { invoice, newItems } = migrated(account, { request, context, ids });
        const proposed = { before: null, invoice, existing: [], newItems };
        return { accounts: [account], invoices: [proposed], proposed };
      },
      apply: async (session, { proposed: { invoice: after, newItems } }, { numbers }) => {
        await changeInvoices(
          session,
          { changes: [{ before: null, after, newItems }], numbers },
          this.#ports.ids,
        );
        return after.id;
      },
    });
    return this.#invoices.get(context, invoiceId);
  }
}

interface Migrating {
  readonly request: MigrationInvoiceRequest;
  readonly context: CallContext;
  readonly ids: IdGenerator;
}

function migrated(account: Account, { request, context, ids }: Migrating) {
  const currency = invoicingCurrency(account);
  for (const item of request.items) checkCurrency(item.currency, currency);
  const newItems = request.items.map((item) => {
    const amount = statedItemAmount(item, currency, context);
    return migrationItem(ids.next(), { ...item, amount });
  });
  const empty = emptyInvoice({
    id: ids.next(),
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
  return { invoice, newItems };
}
