import type { AccountInput, Uuid } from '../../lib/index.ts';
import { formatDecimal, SystemTag } from '../../lib/index.ts';
import { pricedCatalog } from '../support/catalogs/priced-catalog.ts';
import type { TestEngine } from '../support/index.ts';
import { eachDatabaseByTurns, expect, expectCode, newEvents, openEngine, rowsOf } from '../support/index.ts';
import type { InvoiceView } from '../support/plain-views.ts';

eachDatabaseByTurns.describe('payment delegation to a parent', (open) => {
  let engine: TestEngine;
  let parent: Uuid;
  let child: Uuid;
  let newInvoiceEvents: () => Promise<readonly string[]>;

  async function begin(now: string, price: string, account: AccountInput = {}): Promise<void> {
    engine = await openEngine(open, { now, catalog: pricedCatalog({ effectiveDate: '2010-01-01', price }) });
    parent = (await engine.payingAccount({ currency: 'USD', externalKey: 'parent' })).id;
    child = await newChild('child', account);
    const events = newEvents(engine.database);
    newInvoiceEvents = async () => (await events()).filter((topic) => topic.startsWith('INVOICE_'));
  }

  async function newChild(externalKey: string, more: AccountInput = {}): Promise<Uuid> {
    const input = { currency: 'USD', externalKey, parentAccountId: parent, isPaymentDelegatedToParent: true };
    return (await engine.acme.createAccount({ ...input, ...more })).id;
  }

  const subscribe = async (accountId: Uuid) =>
    (await engine.subscribe({ accountId, planName: 'heat-monthly' })).subscriptionId;

  const charge = async (accountId: Uuid, amount: string) =>
    engine.acme.invoices.get((await engine.settle(engine.charge(accountId, amount))).id);

  async function adjust({ id: invoiceId, accountId, items }: InvoiceView, amount: string): Promise<void> {
    const invoiceItemId = items[0]?.id as Uuid;
    await engine.acme.invoices.adjustItem({ accountId, invoiceId, invoiceItemId, amount });
    await engine.settle();
  }

  /** Returns lines such as `DRAFT [PARENT_SUMMARY 34] owes 0`, in order of creation. */
  async function invoicesOf(accountId: Uuid): Promise<readonly string[]> {
    const all = await engine.invoicesOf(accountId);
    return all
      .toSorted((a, b) => a.invoiceNumber - b.invoiceNumber)
      .map(({ status, items, balance }) => {
        const lines = items.map(({ itemType, amount }) => `${itemType} ${formatDecimal(amount)}`);
        return `${status} [${lines.join(', ')}] owes ${formatDecimal(balance)}`;
      });
  }

  async function summaryAt(index: number): Promise<InvoiceView> {
    const all = await engine.invoicesOf(parent);
    const found = all.toSorted((a, b) => a.invoiceNumber - b.invoiceNumber).at(index);
    if (!found) throw new Error(`no summary ${index}`);
    return found;
  }

  /** Returns balance and credit of the parent, then of the child. */
  async function balances(): Promise<string> {
    const found = await Promise.all([parent, child].map(engine.balancesOf));
    return found.map((each) => each.join(' ')).join(', ');
  }

  const payments = () => engine.ledger.all().map(({ amount }) => amount && formatDecimal(amount));
  const hold = (accountId: Uuid, definition: Uuid) =>
    engine.acme.tags.add({ type: 'ACCOUNT', id: accountId }, [definition]);

  /** Delivers every event of the child's invoices once more. */
  async function redeliver(): Promise<void> {
    const before = [await invoicesOf(parent), await invoicesOf(child), await balances()];
    const changes = "select payload from bw_queue_history where topic = 'CHILD_INVOICE_CHANGE'";
    const rows = await rowsOf(engine.database, changes);
    const [state] = await rowsOf(engine.database, `select record_id from bw_accounts where id = '${child}'`);
    const author = { userName: 'test', reasonCode: null, comments: null, userTokenOf: () => child };
    const authorship = { ...author, createdDate: engine.clock.now() };
    await engine.storage.write(engine.tenant, authorship, async (session) => {
      session.publish(
        rows.map(({ payload }) => ({
          type: 'CHILD_INVOICE_CHANGE' as const,
          accountRecordId: Number(state?.record_id),
          payload: (typeof payload === 'string' ? JSON.parse(payload) : payload) as Record<string, unknown>,
        })),
      );
    });
    await engine.settle();
    expect([await invoicesOf(parent), await invoicesOf(child), await balances()]).to.eql(before);
  }

  it('leaves the debt to the parent, whose payment settles both balances (accounts E7 "Parent pays")', async () => {
    await begin('2025-02-03T10:00:00Z', '34.00');
    await hold(parent, SystemTag.AUTO_PAY_OFF);
    await subscribe(child);
    expect(await invoicesOf(child)).to.eql(['COMMITTED [RECURRING 34] owes 0']);
    expect(await invoicesOf(parent)).to.eql(['DRAFT [PARENT_SUMMARY 34] owes 0']);
    expect(await balances()).to.equal('0 0, 0 0');
    await engine.runTo('2025-02-03T23:59:59Z');
    expect(await balances()).to.equal('0 0, 0 0');
    await engine.runTo('2025-02-04T00:00:00Z');
    expect(await invoicesOf(parent)).to.eql(['COMMITTED [PARENT_SUMMARY 34] owes 34']);
    expect(await invoicesOf(child)).to.eql(['COMMITTED [RECURRING 34] owes 34']);
    expect(await balances()).to.equal('34 0, 34 0');
    await engine.settle(engine.acme.tags.remove({ type: 'ACCOUNT', id: parent }, [SystemTag.AUTO_PAY_OFF]));
    expect(await balances()).to.equal('0 0, 0 0');
    expect(payments()).to.eql(['34']);
    expect(await newInvoiceEvents()).to.eql([
      'INVOICE_CREATION',
      'INVOICE_CREATION',
      'INVOICE_PAYMENT_SUCCESS',
    ]);
    await redeliver();
  });

  it('lowers the draft summary after a cancellation (invoicing E16 "Child cancels before the parent commits")', async () => {
    await begin('2015-06-14T00:00:00Z', '249.95', { billCycleDayLocal: 14 });
    await hold(child, SystemTag.AUTO_INVOICING_OFF);
    const id = await subscribe(child);
    await engine.runTo('2015-06-16T08:00:00Z');
    await engine.settle(engine.acme.generateInvoice({ accountId: child }));
    expect(await invoicesOf(parent)).to.eql(['DRAFT [PARENT_SUMMARY 249.95] owes 0']);
    await engine.acme.subscriptions.cancel(id, { billingPolicy: 'IMMEDIATE' });
    await engine.settle(engine.acme.generateInvoice({ accountId: child }));
    expect(await invoicesOf(child)).to.eql([
      'COMMITTED [RECURRING 249.95, CBA_ADJ -233.29] owes 0',
      'COMMITTED [REPAIR_ADJ -233.29, CBA_ADJ 233.29] owes 0',
    ]);
    expect(await invoicesOf(parent)).to.eql(['DRAFT [PARENT_SUMMARY 16.66] owes 0']);
    await redeliver();
    await engine.runTo('2015-06-17T00:00:00Z');
    expect(payments()).to.eql(['16.66']);
    expect(await balances()).to.equal('0 0, 0 0');
  });

  it('opens a summary for a charge of 0, but not for a pure credit (invoicing §12 rule 1)', async () => {
    await begin('2025-02-03T10:00:00Z', '0.00');
    const credit = async (amount: string) => {
      const items = [{ amount: amount }];
      await engine.settle(engine.acme.invoices.addCredits({ accountId: child, items, autoCommit: true }));
    };
    await credit('5');
    expect(await invoicesOf(parent)).to.eql([]);
    await subscribe(child);
    expect(await invoicesOf(parent)).to.eql(['DRAFT [PARENT_SUMMARY 0] owes 0']);
    await credit('2');
    const links = await engine.acme.invoices.ofAccount({ accountId: child });
    expect(links.map(({ parentInvoiceId }) => parentInvoiceId !== null)).to.eql([false, true, true]);
    expect(
      links.map(({ parentAccountId }) => parentAccountId),
      'R52: one that is in no summary is its own',
    ).to.eql([null, parent, parent]);
  });

  it('creates one summary item per child and day, and collects a charge only once (invoicing §12 rule 2)', async () => {
    await begin('2025-02-03T10:00:00Z', '34.00');
    const second = await newChild('second');
    await charge(child, '10');
    const more = await charge(child, '5.5');
    await charge(second, '7');
    expect(await invoicesOf(parent)).to.eql(['DRAFT [PARENT_SUMMARY 15.5, PARENT_SUMMARY 7] owes 0']);
    const summary = await summaryAt(0);
    expect(summary.items.map(({ childAccountId, description }) => [childAccountId, description])).to.eql([
      [child, 'child summary'],
      [second, 'second summary'],
    ]);
    expect(summary).to.include({ isParentInvoice: true, targetDate: null });
    expect(formatDecimal(summary.amount)).to.equal('22.5');
    await adjust(more, '1.5');
    expect(await invoicesOf(parent)).to.eql(['DRAFT [PARENT_SUMMARY 14, PARENT_SUMMARY 7] owes 0']);
    await redeliver();
    await engine.runTo('2025-02-04T00:00:00Z');
    expect(payments()).to.eql(['21']);
  });

  it('passes adjustments of an open summary to the child, and gives the parent no credit (invoicing §12 rule 2)', async () => {
    await begin('2025-02-03T10:00:00Z', '34.00');
    const invoice = await charge(child, '10');
    await adjust(await summaryAt(0), '3');
    await adjust(await summaryAt(0), '5');
    await adjust(invoice, '1');
    expect(await invoicesOf(parent)).to.eql(['DRAFT [PARENT_SUMMARY 9, ITEM_ADJ -3, ITEM_ADJ -5] owes 0']);
    await adjust(invoice, '7');
    const followed = 'PARENT_SUMMARY 2, ITEM_ADJ -2, ITEM_ADJ 0';
    expect(await invoicesOf(parent)).to.eql([`DRAFT [${followed}] owes 0`]);
    expect(await engine.breaches()).to.eql([]);
    await redeliver();
    await charge(child, '4');
    await engine.runTo('2025-02-04T00:00:00Z');
    expect(await invoicesOf(parent)).to.eql(['COMMITTED [PARENT_SUMMARY 6, ITEM_ADJ -2, ITEM_ADJ 0] owes 0']);
    expect(payments()).to.eql(['4']);
    expect(await balances()).to.equal('0 0, 0 0');
    expect(await engine.breaches()).to.eql([]);
  });

  it('allows an early commit of the summary, and opens a new summary for the next charge (invoicing §12 rule 3)', async () => {
    await begin('2025-02-03T10:00:00Z', '34.00');
    await charge(child, '10');
    await engine.settle(engine.acme.invoices.commit((await summaryAt(0)).id));
    expect(payments()).to.eql(['10']);
    await charge(child, '3');
    expect(await invoicesOf(parent)).to.eql([
      'COMMITTED [PARENT_SUMMARY 10] owes 0',
      'DRAFT [PARENT_SUMMARY 3] owes 0',
    ]);
    await engine.runTo('2025-02-04T00:00:00Z');
    expect(payments()).to.eql(['10', '3']);
    const { invoiceDate, commitDate } = await summaryAt(1);
    expect([invoiceDate, commitDate]).to.eql(['2025-02-03', '2025-02-04']);
  });

  it("commits the summary at the tenant's time of day, or on the next day if that time has passed (invoicing §12 rule 3)", async () => {
    await begin('2025-02-03T10:00:00Z', '34.00');
    const value = '{"org.killbill.invoice.parent.commit.local.utc.time":"09:30:00"}';
    await engine.acme.keyValues.add('PER_TENANT_CONFIG', value);
    await charge(child, '10');
    await engine.runTo('2025-02-04T09:29:59Z');
    expect((await summaryAt(0)).status).to.equal('DRAFT');
    await engine.runTo('2025-02-04T09:30:00Z');
    expect((await summaryAt(0)).status).to.equal('COMMITTED');
  });

  it("lowers an unpaid summary if a child's debt falls, but does not raise it if the debt rises (invoicing §12 rule 4)", async () => {
    await begin('2025-02-03T10:00:00Z', '34.00');
    await hold(parent, SystemTag.AUTO_PAY_OFF);
    const invoice = await charge(child, '30');
    await engine.runTo('2025-02-04T00:00:00Z');
    await newInvoiceEvents();
    await adjust(invoice, '12');
    expect(await invoicesOf(parent)).to.eql(['COMMITTED [PARENT_SUMMARY 30, ITEM_ADJ -12] owes 18']);
    expect(await newInvoiceEvents()).to.eql(['INVOICE_ADJUSTMENT', 'INVOICE_ADJUSTMENT']);
    const [, adjustment] = (await summaryAt(0)).items;
    expect(adjustment?.description).to.equal('Adjustment for account child');
    expect(await balances()).to.equal('18 0, 18 0');
    await redeliver();
    // The child's credit does not pay what the parent owes.
    const items = [{ amount: '4' }];
    await engine.settle(engine.acme.invoices.addCredits({ accountId: child, items, autoCommit: true }));
    expect(await balances()).to.equal('18 0, 14 4');
    expect(await invoicesOf(child)).to.eql([
      'COMMITTED [EXTERNAL_CHARGE 30, ITEM_ADJ -12] owes 18',
      'COMMITTED [CREDIT_ADJ -4, CBA_ADJ 4] owes 0',
    ]);
  });

  it('credits the child for a decrease of its debt after the parent has paid (invoicing §12 rule 5)', async () => {
    await begin('2025-02-03T10:00:00Z', '34.00');
    const invoice = await charge(child, '30');
    await engine.runTo('2025-02-04T00:00:00Z');
    expect(payments()).to.eql(['30']);
    await adjust(invoice, '12');
    expect(await invoicesOf(parent)).to.eql(['COMMITTED [PARENT_SUMMARY 30] owes 0']);
    expect(await invoicesOf(child)).to.eql([
      'COMMITTED [EXTERNAL_CHARGE 30, ITEM_ADJ -12, CBA_ADJ 12] owes 0',
    ]);
    expect(await balances()).to.equal('0 0, -12 12');
    await redeliver();
  });

  it('credits the child even if the parent pays between the change and its event (invoicing §12 rule 5)', async () => {
    await begin('2025-02-03T10:00:00Z', '34.00');
    await hold(parent, SystemTag.AUTO_PAY_OFF);
    const invoice = await charge(child, '30');
    await engine.runTo('2025-02-04T00:00:00Z');
    const invoiceItemId = invoice.items[0]?.id as Uuid;
    const on = { accountId: child, invoiceId: invoice.id, invoiceItemId, amount: '12' };
    await engine.acme.invoices.adjustItem(on);
    const summary = await summaryAt(0);
    const items = [{ amount: '30' }];
    await engine.acme.invoices.addCredits({ accountId: parent, items, autoCommit: true });
    expect(formatDecimal((await engine.acme.getInvoice(summary.id)).balance)).to.equal('0');
    await engine.settle();
    expect(await balances()).to.equal('0 0, -12 12');
  });

  it('creates no credit if child and parent are closed before anything is paid (invoicing §12 rule 5)', async () => {
    await begin('2025-02-03T10:00:00Z', '34.00');
    await hold(parent, SystemTag.AUTO_PAY_OFF);
    await charge(child, '20');
    await engine.runTo('2025-02-04T00:00:00Z');
    for (const id of [child, parent])
      await engine.settle(engine.acme.accounts.close(id, { itemAdjustUnpaidInvoices: true }));
    expect(await balances()).to.equal('0 0, 0 0');
    expect(await invoicesOf(parent)).to.eql(['COMMITTED [PARENT_SUMMARY 20, ITEM_ADJ -20] owes 0']);
    expect(await invoicesOf(child)).to.eql(['COMMITTED [EXTERNAL_CHARGE 20, ITEM_ADJ -20] owes 0']);
    await redeliver();
  });

  it('does not credit the child for an amount that was already credited to the parent (invoicing §12 rule 5)', async () => {
    await begin('2025-02-03T10:00:00Z', '34.00');
    const [first, second] = [await charge(child, '10'), await charge(child, '20')];
    await engine.runTo('2025-02-04T00:00:00Z');
    expect(payments()).to.eql(['30']);
    await adjust(await summaryAt(0), '12');
    expect(await balances(), 'of the 30 that were paid').to.equal('-12 12, 0 0');
    await adjust(first, '7');
    expect(await balances()).to.equal('-12 12, -7 7');
    await adjust(second, '20');
    expect(await balances(), '18 are left for both').to.equal('-12 12, -18 18');
    await adjust(first, '3');
    expect(await balances(), 'and not more').to.equal('-12 12, -18 18');
    await redeliver();
  });

  it('excludes a voided invoice of a child, but prevents the void once the parent has paid (invoicing §12 rule 6)', async () => {
    await begin('2025-02-03T10:00:00Z', '34.00');
    const [first, second, third] = [
      await charge(child, '10'),
      await charge(child, '20'),
      await charge(child, '3'),
    ];
    await engine.settle(engine.acme.invoices.void(first.id));
    expect(await invoicesOf(parent)).to.eql(['DRAFT [PARENT_SUMMARY 23] owes 0']);
    await hold(parent, SystemTag.AUTO_PAY_OFF);
    await engine.runTo('2025-02-04T00:00:00Z');
    await engine.settle(engine.acme.invoices.void(second.id));
    expect(await invoicesOf(parent)).to.eql(['COMMITTED [PARENT_SUMMARY 23, ITEM_ADJ -20] owes 3']);
    await engine.settle(engine.acme.tags.remove({ type: 'ACCOUNT', id: parent }, [SystemTag.AUTO_PAY_OFF]));
    await expectCode(engine.acme.invoices.void(third.id), 'INVOICE_CAN_NOT_VOID_INVOICE_THAT_IS_PAID');
    expect((await engine.acme.getInvoice(third.id)).status).to.equal('COMMITTED');
  });

  it('leaves the children nothing to pay after the summary is voided or written off (invoicing §12 rule 7)', async () => {
    await begin('2025-02-03T10:00:00Z', '34.00');
    await hold(parent, SystemTag.AUTO_PAY_OFF);
    await charge(child, '10');
    await engine.runTo('2025-02-04T00:00:00Z');
    expect(await balances()).to.equal('10 0, 10 0');
    const unpaid = () => engine.acme.invoices.ofAccount({ accountId: child, unpaidOnly: true });
    expect(await unpaid()).to.have.length(1);
    const object = { type: 'INVOICE', id: (await summaryAt(0)).id } as const;
    await engine.acme.tags.add(object, [SystemTag.WRITTEN_OFF]);
    expect([await balances(), (await unpaid()).length]).to.eql(['0 0, 0 0', 0]);
    await engine.acme.tags.remove(object, [SystemTag.WRITTEN_OFF]);
    expect(await balances()).to.equal('10 0, 10 0');
    await engine.acme.invoices.void(object.id);
    expect([await balances(), (await unpaid()).length]).to.eql(['0 0, 0 0', 0]);
  });

  it("shows the items of the child's invoices on request (invoicing §12 rule 8)", async () => {
    await begin('2025-02-03T10:00:00Z', '34.00');
    await subscribe(child);
    await charge(child, '5');
    const { id } = await summaryAt(0);
    const [plain] = (await engine.acme.getInvoice(id)).items;
    expect(plain?.childItems).to.equal(null);
    const [item] = (await engine.acme.getInvoice(id, { withChildrenItems: true })).items;
    expect(
      item?.childItems?.map(({ itemType, amount, planName }) => [itemType, formatDecimal(amount), planName]),
    ).to.eql([
      ['RECURRING', '34', 'heat-monthly'],
      ['EXTERNAL_CHARGE', '5', null],
    ]);
  });

  it("covers a child's draft only once the draft is committed", async () => {
    await begin('2025-02-03T10:00:00Z', '34.00');
    await hold(child, SystemTag.AUTO_INVOICING_DRAFT);
    await subscribe(child);
    expect(await invoicesOf(parent)).to.eql([]);
    const [draft] = await engine.acme.invoices.ofAccount({ accountId: child });
    await engine.settle(engine.acme.invoices.commit(draft?.id as Uuid));
    expect(await invoicesOf(parent)).to.eql(['DRAFT [PARENT_SUMMARY 34] owes 0']);
  });

  it('prevents runs of the parent from using the summary as a draft', async () => {
    await begin('2025-02-03T10:00:00Z', '34.00');
    await hold(parent, SystemTag.AUTO_INVOICING_REUSE_DRAFT);
    await charge(child, '5');
    await subscribe(parent);
    expect(await invoicesOf(parent)).to.eql([
      'DRAFT [PARENT_SUMMARY 5] owes 0',
      'COMMITTED [RECURRING 34] owes 0',
    ]);
  });

  it('keeps the former parent responsible for existing invoices when the child leaves, and lets the child pay new invoices itself (accounts §7 rule 6)', async () => {
    await begin('2025-02-03T10:00:00Z', '34.00');
    await hold(parent, SystemTag.AUTO_PAY_OFF);
    await charge(child, '10');
    const changes = { parentAccountId: null };
    await engine.acme.updateAccount(child, { changes, treatNullAsReset: true });
    await charge(child, '4');
    await engine.runTo('2025-02-04T00:00:00Z');
    expect(await invoicesOf(parent)).to.eql(['COMMITTED [PARENT_SUMMARY 10] owes 10']);
    expect(await balances()).to.equal('10 0, 14 0');
    const [first] = await engine.acme.invoices.ofAccount({ accountId: child });
    expect(first?.parentAccountId).to.equal(parent);
  });

  it("adds several children to the summary simultaneously without waiting for each other's locks", async () => {
    await begin('2025-02-03T10:00:00Z', '34.00');
    const others = await Promise.all(['a', 'b', 'c', 'd'].map((key) => newChild(key)));
    const items = [{ amount: '1' }];
    await Promise.all(
      [child, ...others, parent].map((accountId) =>
        engine.acme.invoices.addCharges({ accountId, items, autoCommit: true }),
      ),
    );
    await engine.settle();
    const summaries = (await invoicesOf(parent)).filter((line) => line.startsWith('DRAFT'));
    expect(summaries).to.eql([
      `DRAFT [${Array.from({ length: 5 }, () => 'PARENT_SUMMARY 1').join(', ')}] owes 0`,
    ]);
  });
});
