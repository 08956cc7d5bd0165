import { type Account, decimal, SystemTag, type Uuid } from '../../../lib/index.ts';
import type { TestEngine } from '../engine.ts';

export interface ChargedInvoice {
  readonly id: Uuid;
  readonly itemId: Uuid;
}

export class PaidInvoices {
  readonly #engine: TestEngine;
  readonly #account: Pick<Account, 'id'>;

  constructor(engine: TestEngine, account: Pick<Account, 'id'>) {
    this.#engine = engine;
    this.#account = account;
  }

  /** A committed invoice with one charge, paid automatically, or held by AUTO_PAY_OFF. */
  async add(amount: string, { isHeldBack = false } = {}): Promise<ChargedInvoice> {
    const { acme } = this.#engine;
    const { id: accountId } = this.#account;
    if (isHeldBack) await acme.tags.add({ id: accountId, type: 'ACCOUNT' }, [SystemTag.AUTO_PAY_OFF]);
    const items = [{ amount: decimal(amount) }];
    const [item] = await acme.invoices.addCharges({ accountId, items, autoCommit: true });
    await this.#engine.settle();
    if (!item) throw new Error('no charge was made');
    return { id: item.invoiceId, itemId: item.id };
  }

  /** A charged invoice with its payment. */
  async paid(amount: string): Promise<ChargedInvoice & { readonly paymentId: Uuid }> {
    const invoice = await this.add(amount);
    return { ...invoice, paymentId: (await this.paymentOf(invoice.id)).id };
  }

  async paymentOf(invoiceId: Uuid) {
    const [payment] = await this.#engine.acme.payments.invoicePaymentsOfInvoice(invoiceId);
    if (!payment) throw new Error('the invoice has no payment');
    return payment;
  }

  async balanceOf(invoiceId: Uuid): Promise<number> {
    return Number((await this.#engine.acme.invoices.get(invoiceId)).balance);
  }

  async adjustmentsOf(invoiceId: Uuid): Promise<readonly number[]> {
    const { items } = await this.#engine.acme.invoices.get(invoiceId);
    return items.filter(({ itemType }) => itemType === 'ITEM_ADJ').map(({ amount }) => Number(amount));
  }

  /** Type, status and amount of each transaction, such as `REFUND SUCCESS -5`. */
  async rowsOf(paymentId: Uuid): Promise<readonly string[]> {
    const { storage, tenant } = this.#engine;
    const rows = await storage.read(tenant, (session) =>
      session.payments.findInvoicePaymentsByPayments([paymentId]),
    );
    return rows.map(({ type, status, amount }) => `${type} ${status} ${Number(amount)}`);
  }

  async credit(): Promise<number> {
    const { id } = this.#account;
    return Number((await this.#engine.acme.accounts.balances([id])).get(id)?.accountCBA ?? 0);
  }
}
