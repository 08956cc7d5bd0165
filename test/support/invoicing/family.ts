import { decimal, formatDecimal, SystemTag, type Uuid } from '../../../lib/index.ts';
import { pricedCatalog } from '../catalogs/priced-catalog.ts';
import type { OpenDatabase } from '../databases.ts';
import { openEngine, type TestEngine } from '../engine.ts';
import type { InvoiceView } from '../plain-views.ts';

/** A parent with a declined card and a child whose invoices it pays, 1.00 a day in March. */
export class Family {
  readonly engine: TestEngine;
  readonly parent: Uuid;
  readonly child: Uuid;

  constructor(engine: TestEngine, parent: Uuid, child: Uuid) {
    this.engine = engine;
    this.parent = parent;
    this.child = child;
  }

  static async begin(open: OpenDatabase, now = '2024-03-01T10:00:00Z'): Promise<Family> {
    const catalog = pricedCatalog({ effectiveDate: '2010-01-01', price: '31.00' });
    const engine = await openEngine(open, { now, catalog });
    const { id: parent } = await engine.payingAccount({ currency: 'USD' });
    const { id: child } = await engine.acme.createAccount({
      currency: 'USD',
      billCycleDayLocal: 1,
      parentAccountId: parent,
      isPaymentDelegatedToParent: true,
    });
    const family = new Family(engine, parent, child);
    await family.holdPayments(true);
    return family;
  }

  async subscribe(quantity = 1): Promise<{ readonly subscriptionId: Uuid; readonly bundleId: Uuid }> {
    const made = await this.engine.acme.createSubscription({
      accountId: this.child,
      planName: 'heat-monthly',
      quantity,
    });
    await this.engine.settle();
    return made;
  }

  async cancel(subscriptionId: Uuid): Promise<void> {
    await this.engine.acme.subscriptions.cancel(subscriptionId, { billingPolicy: 'IMMEDIATE' });
    await this.engine.settle();
  }

  async changeQuantity(subscriptionId: Uuid, quantity: number): Promise<void> {
    await this.engine.acme.subscriptions.changeQuantity(subscriptionId, { quantity });
    await this.engine.settle();
  }

  async add(operation: 'addCharges' | 'addCredits', accountId: Uuid, amount: string): Promise<void> {
    const items = [{ amount: decimal(amount) }];
    await this.engine.acme.invoices[operation]({ accountId, items, autoCommit: true });
    await this.engine.settle();
  }

  /** Sets the child's parent; null = none. */
  async moveTo(parentAccountId: Uuid | null): Promise<void> {
    const changes = { parentAccountId, isPaymentDelegatedToParent: parentAccountId !== null };
    await this.engine.acme.updateAccount(this.child, { changes, treatNullAsReset: true });
    await this.engine.settle();
  }

  async holdPayments(isHeld: boolean): Promise<void> {
    const of = { type: 'ACCOUNT', id: this.parent } as const;
    const { tags } = this.engine.acme;
    await (isHeld ? tags.add(of, [SystemTag.AUTO_PAY_OFF]) : tags.remove(of, [SystemTag.AUTO_PAY_OFF]));
    await this.engine.settle();
  }

  async writeOff(invoiceId: Uuid, isWrittenOff = true): Promise<void> {
    const of = { type: 'INVOICE', id: invoiceId } as const;
    const { tags } = this.engine.acme;
    await (isWrittenOff ? tags.add(of, [SystemTag.WRITTEN_OFF]) : tags.remove(of, [SystemTag.WRITTEN_OFF]));
    await this.engine.settle();
  }

  /** Adjusts the invoice's first item, by default by its whole remaining amount. */
  async adjust({ id: invoiceId, accountId, items }: InvoiceView, amount?: string): Promise<void> {
    const invoiceItemId = items[0]?.id as Uuid;
    const much = amount === undefined ? {} : { amount: decimal(amount) };
    await this.engine.acme.invoices.adjustItem({ accountId, invoiceId, invoiceItemId, ...much });
    await this.engine.settle();
  }

  async invoicesOf(accountId: Uuid): Promise<readonly InvoiceView[]> {
    const all = await this.engine.invoicesOf(accountId);
    return all.toSorted((a, b) => a.invoiceNumber - b.invoiceNumber);
  }

  async summary(index = 0): Promise<InvoiceView> {
    const summaries = (await this.invoicesOf(this.parent)).filter(({ isParentInvoice }) => isParentInvoice);
    const found = summaries.at(index);
    if (!found) throw new Error(`no summary ${index}`);
    return found;
  }

  /** Invoices of parent and child as lines: `DRAFT [PARENT_SUMMARY 34] owes 0`. */
  async invoiceLines(accountId: Uuid): Promise<readonly string[]> {
    return (await this.invoicesOf(accountId)).map(({ status, items, balance }) => {
      const lines = items.map(({ itemType, amount }) => `${itemType} ${formatDecimal(amount)}`);
      return `${status} [${lines.join(', ')}] owes ${formatDecimal(balance)}`;
    });
  }

  async balances(): Promise<string> {
    const found = await this.engine.acme.accounts.balances([this.parent, this.child]);
    const balanceOf = (id: Uuid): string => {
      const state = found.get(id);
      return state ? `${formatDecimal(state.accountBalance)} ${formatDecimal(state.accountCBA)}` : '0 0';
    };
    return `${balanceOf(this.parent)}, ${balanceOf(this.child)}`;
  }
}
