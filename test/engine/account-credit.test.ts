import { decimal, formatDecimal, type ManualItem, SystemTag, type Uuid } from '../../lib/index.ts';
import { eachDatabaseByTurns } from '../support/databases.ts';
import { codeOf, engineBeforeEach, expect, expectCode, itemLines, newEvents } from '../support/index.ts';

const someId = (last: number) => `11111111-1111-4111-8111-${String(last).padStart(12, '1')}` as Uuid;

eachDatabaseByTurns.describe('account credit and charge handling', (open) => {
  let newInvoiceEvents: () => Promise<readonly string[]>;
  const engine = engineBeforeEach(open, { now: '2024-01-01T00:00:00Z' });
  beforeEach(async () => {
    const events = newEvents(engine.database);
    newInvoiceEvents = async () => (await events()).filter((topic) => topic.startsWith('INVOICE_'));
  });

  type More = Partial<ManualItem> & { autoCommit?: boolean };
  const charge = (accountId: Uuid, amount: string, { autoCommit = true, ...item }: More = {}) =>
    engine.acme.invoices.addCharges({ accountId, items: [{ amount, ...item }], autoCommit });
  const credit = (accountId: Uuid, amount: string, { autoCommit = true, ...item }: More = {}) =>
    engine.acme.invoices.addCredits({ accountId, items: [{ amount, ...item }], autoCommit });

  async function invoicesOf(accountId: Uuid): Promise<readonly string[]> {
    const invoices = await engine.acme.invoices.ofAccount({ accountId, withItems: true });
    return invoices
      .toSorted((a, b) => a.invoiceNumber - b.invoiceNumber)
      .map((invoice) => {
        const items = invoice.items.map(({ itemType, amount }) => `${itemType} ${formatDecimal(amount)}`);
        return `${items.join(', ')} = ${formatDecimal(invoice.amount)} owes ${formatDecimal(invoice.balance)}`;
      });
  }

  it('keeps balance and credit correct through charges, credits, a write-off and a draft (accounts E6 "Balance and credit")', async () => {
    const { id } = await engine.payingAccount({ currency: 'EUR' });
    await engine.settle(charge(id, '29.95'));
    expect(await engine.balancesOf(id)).to.eql(['0', '0']);
    await engine.acme.tags.add({ type: 'ACCOUNT', id }, [SystemTag.AUTO_PAY_OFF]);
    await credit(id, '10');
    expect(await engine.balancesOf(id)).to.eql(['-10', '10']);
    const [third] = await charge(id, '25');
    expect(await engine.balancesOf(id)).to.eql(['15', '0']);
    const invoice = { type: 'INVOICE', id: third?.invoiceId as Uuid } as const;
    await engine.acme.tags.add(invoice, [SystemTag.WRITTEN_OFF]);
    expect(await engine.balancesOf(id)).to.eql(['0', '0']);
    await engine.acme.tags.remove(invoice, [SystemTag.WRITTEN_OFF]);
    expect(await engine.balancesOf(id)).to.eql(['15', '0']);
    await charge(id, '40', { autoCommit: false });
    expect(await engine.balancesOf(id)).to.eql(['15', '0']);
    expect(await invoicesOf(id)).to.eql([
      'EXTERNAL_CHARGE 29.95 = 29.95 owes 0',
      'CREDIT_ADJ -10, CBA_ADJ 10 = 0 owes 0',
      'EXTERNAL_CHARGE 25, CBA_ADJ -10 = 25 owes 15',
      'EXTERNAL_CHARGE 40 = 40 owes 0',
    ]);
  });

  it('pays the unpaid invoice from credit, and the next invoice from the remaining credit (invoicing E14 "Credit and payment")', async () => {
    const { id } = await engine.acme.createAccount({ currency: 'USD' });
    await charge(id, '249.95');
    await newInvoiceEvents();
    const [given] = await credit(id, '300');
    expect(await engine.balancesOf(id)).to.eql(['-50.05', '50.05']);
    expect(given && formatDecimal(given.amount)).to.equal('-300');
    expect(await newInvoiceEvents()).to.eql(['INVOICE_CREATION', 'INVOICE_ADJUSTMENT']);
    await charge(id, '249.95');
    expect(await invoicesOf(id)).to.eql([
      'EXTERNAL_CHARGE 249.95, CBA_ADJ -249.95 = 249.95 owes 0',
      'CREDIT_ADJ -300, CBA_ADJ 300 = 0 owes 0',
      'EXTERNAL_CHARGE 249.95, CBA_ADJ -50.05 = 249.95 owes 199.9',
    ]);
  });

  it('pays from credit first and the rest by card in an invoice run, as predicted by the dry run', async () => {
    const { id } = await engine.payingAccount({ currency: 'USD' });
    await charge(id, '5');
    await credit(id, '20');
    await engine.acme.createSubscription({ accountId: id, planName: 'solo-now' });
    const dry = await engine.acme.invoices.dryRun({ accountId: id });
    await engine.settle(newInvoiceEvents());
    expect(await invoicesOf(id)).to.eql([
      'EXTERNAL_CHARGE 5, CBA_ADJ -5 = 5 owes 0',
      'CREDIT_ADJ -20, CBA_ADJ 20 = 0 owes 0',
      'RECURRING 19.95, CBA_ADJ -15 = 19.95 owes 0',
    ]);
    expect(await engine.balancesOf(id)).to.eql(['0', '0']);
    expect(engine.ledger.all().map(({ amount }) => amount && formatDecimal(amount))).to.eql(['4.95']);
    const [, , run] = await engine.acme.invoices.ofAccount({ accountId: id, withItems: true });
    expect(dry && itemLines(dry)).to.eql(run && itemLines(run));
    expect(run && itemLines(run)[1]).to.equal('CBA_ADJ 2024-01-01..2024-01-01 -15');
  });

  it('does not pay drafts from credit, and keeps excess credit on a draft until the draft is committed', async () => {
    const { id } = await engine.acme.createAccount({ currency: 'USD' });
    await credit(id, '10');
    const [item] = await charge(id, '40', { autoCommit: false });
    const invoiceId = item?.invoiceId as Uuid;
    await credit(id, '15', { invoiceId });
    expect((await invoicesOf(id)).at(-1)).to.equal('EXTERNAL_CHARGE 40, CREDIT_ADJ -15 = 25 owes 0');
    await credit(id, '30', { invoiceId });
    expect((await invoicesOf(id)).at(-1)).to.equal(
      'EXTERNAL_CHARGE 40, CREDIT_ADJ -15, CREDIT_ADJ -30, CBA_ADJ 5 = -5 owes 0',
    );
    expect(await engine.balancesOf(id)).to.eql(['-10', '10']);
  });

  it('gives credit for the adjustment of a paid item, up to the remaining amount of the item', async () => {
    const { id } = await engine.payingAccount({ currency: 'USD' });
    const [item] = await engine.settle(charge(id, '100'));
    const on = { accountId: id, invoiceId: item?.invoiceId as Uuid, invoiceItemId: item?.id as Uuid };
    await engine.acme.invoices.adjustItem({ ...on, amount: '30' });
    expect(await engine.balancesOf(id)).to.eql(['-30', '30']);
    await expectCode(engine.acme.invoices.adjustItem({ ...on, amount: '70.01' }), 4020);
    await engine.acme.invoices.adjustItem(on);
    expect(await invoicesOf(id)).to.eql([
      'EXTERNAL_CHARGE 100, ITEM_ADJ -30, CBA_ADJ 30, ITEM_ADJ -70, CBA_ADJ 70 = 0 owes 0',
    ]);
    await expectCode(engine.acme.invoices.adjustItem(on), 4007);
  });

  it('uses the requested day as the date of an item adjustment, and stores the adjusted item but no plan with the adjustment (R52)', async () => {
    const { id } = await engine.payingAccount({ currency: 'USD' });
    await engine.subscribe({ accountId: id, planName: 'solo-now' });
    const [invoice] = await engine.acme.invoices.ofAccount({ accountId: id, withItems: true });
    const [billed] = invoice?.items ?? [];
    if (invoice === undefined || billed === undefined) throw new Error('nothing is billed');
    const requestedDate = '2024-01-20';
    const on = { accountId: id, invoiceId: invoice.id, invoiceItemId: billed.id, requestedDate };
    await engine.acme.invoices.adjustItem({ ...on, amount: '5', itemDetails: '{}' });
    const adjusted = (await engine.acme.getInvoice(invoice.id)).items[1];
    expect(adjusted).to.deep.include({
      itemType: 'ITEM_ADJ',
      linkedItemId: billed.id,
      description: 'Invoice item adjustment',
      itemDetails: '{}',
      startDate: requestedDate,
      endDate: requestedDate,
      subscriptionId: null,
      rate: null,
      productName: null,
      planName: null,
      phaseName: null,
      usageName: null,
      catalogEffectiveDate: null,
    });
    expect(billed.planName).to.equal('solo-now');
  });

  it('uses no credit for an invoice while a payment of the invoice is pending', async () => {
    const { id } = await engine.payingAccount({ currency: 'USD' });
    engine.gateway.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_PENDING' });
    await engine.settle(charge(id, '50'));
    await credit(id, '20');
    expect(await engine.balancesOf(id)).to.eql(['30', '20']);
    await engine.acme.accounts.rebalanceCredit(id);
    expect(await engine.balancesOf(id)).to.eql(['30', '20']);
  });

  it('transfers credit to the parent, and rejects a transfer if the account has no credit or no parent (accounts E8 "Transfer credit")', async () => {
    const parent = await engine.acme.createAccount({ currency: 'USD' });
    const child = await engine.acme.createAccount({ currency: 'USD', parentAccountId: parent.id });
    await credit(child.id, '18.50');
    await newInvoiceEvents();
    await engine.acme.accounts.transferCreditToParent(child.id);
    expect(await newInvoiceEvents()).to.eql(['INVOICE_CREATION', 'INVOICE_CREATION']);
    expect((await invoicesOf(child.id)).at(-1)).to.equal('EXTERNAL_CHARGE 18.5, CBA_ADJ -18.5 = 18.5 owes 0');
    expect(await engine.balancesOf(child.id)).to.eql(['0', '0']);
    expect(await invoicesOf(parent.id)).to.eql(['CREDIT_ADJ -18.5, CBA_ADJ 18.5 = 0 owes 0']);
    expect(await engine.balancesOf(parent.id)).to.eql(['-18.5', '18.5']);
    const [, taken] = await engine.acme.invoices.ofAccount({ accountId: child.id, withItems: true });
    const [given] = await engine.acme.invoices.ofAccount({ accountId: parent.id, withItems: true });
    expect([taken?.parentInvoiceId, taken?.parentAccountId]).to.eql([given?.id, parent.id]);
    expect(taken?.items[0]?.description).to.equal('Charge to move credit from child to parent account');
    expect(taken?.items[0]?.endDate, 'R52').to.equal(taken?.items[0]?.startDate);
    expect(given?.items[0]?.description).to.equal(`Credit migrated from child account ${child.id}`);
    await expectCode(engine.acme.accounts.transferCreditToParent(child.id), 4027);
    await expectCode(engine.acme.accounts.transferCreditToParent(parent.id), 3009);
    expect(await invoicesOf(parent.id)).to.have.length(1);
  });

  it('pays the debt of the parent with transferred credit, and moves the credit only once in simultaneous transfers', async () => {
    const parent = await engine.acme.createAccount({ currency: 'USD' });
    const child = await engine.acme.createAccount({ currency: 'USD', parentAccountId: parent.id });
    await charge(parent.id, '10');
    await credit(child.id, '18.50');
    const transfer = () => engine.acme.accounts.transferCreditToParent(child.id);
    const both = await Promise.allSettled([transfer(), transfer()]);
    expect(both.map(({ status }) => status).sort()).to.eql(['fulfilled', 'rejected']);
    expect(await engine.balancesOf(child.id)).to.eql(['0', '0']);
    expect(await engine.balancesOf(parent.id)).to.eql(['-8.5', '8.5']);
  });

  it('moves credit between parents and children without deadlocks, regardless of the order of their record ids', async () => {
    const last = await engine.acme.createAccount({ currency: 'USD' });
    const middle = await engine.acme.createAccount({ currency: 'USD' });
    const first = await engine.acme.createAccount({ currency: 'USD', parentAccountId: middle.id });
    await engine.acme.updateAccount(middle.id, { changes: { parentAccountId: last.id } });
    for (const { id } of [first, middle]) await credit(id, '1');
    await Promise.all([first, middle].map(({ id }) => engine.acme.accounts.transferCreditToParent(id)));
    const totals = await Promise.all([first, middle, last].map(({ id }) => engine.balancesOf(id)));
    const [own, ...others] = totals.map(([, total]) => Number(total));
    expect(own).to.equal(0);
    expect(others.reduce((sum, each) => sum + each)).to.equal(2);
  });

  it('does not move credit to an account with a different currency', async () => {
    const parent = await engine.acme.createAccount({ currency: 'EUR' });
    const child = await engine.acme.createAccount({ currency: 'USD', parentAccountId: parent.id });
    await credit(child.id, '1');
    await expectCode(engine.acme.accounts.transferCreditToParent(child.id), 3);
    expect(await engine.balancesOf(child.id)).to.eql(['-1', '1']);
  });

  it('keeps the requested values, dates and descriptions of charged items', async () => {
    const { id } = await engine.acme.createAccount({ currency: 'USD', timeZone: 'America/New_York' });
    const requestedDate = '2024-03-05';
    const gold = { planName: 'gold', itemDetails: '{}' };
    const items = [{ amount: '1.01' }, { amount: '0', endDate: '2024-04-01', ...gold }];
    const request = { accountId: id, requestedDate, items };
    const [plain, planned] = await engine.acme.invoices.addCharges(request);
    expect(plain && itemLines({ items: [plain] } as never)).to.eql(['EXTERNAL_CHARGE 2024-03-05 1.01']);
    expect(plain?.description).to.equal('External charge');
    expect(planned).to.include({ description: 'gold (external charge)', ...gold });
    const [invoice] = await engine.acme.invoices.ofAccount({ accountId: id });
    expect(invoice).to.include({ status: 'DRAFT', targetDate: requestedDate, commitDate: null });
    expect(invoice?.invoiceDate).to.equal('2023-12-31');
  });

  for (const [what, [code, request]] of Object.entries({
    'no amount': [4015, { items: [{}] }],
    'an amount below 0': [4015, { items: [{ amount: '1' }, { amount: '-0.01' }] }],
    'another currency': [3, { items: [{ amount: '1', currency: 'EUR' }] }],
    'an end before its start': [
      4004,
      { items: [{ amount: '1', startDate: '2024-02-02', endDate: '2024-02-01' }] },
    ],
    'an unknown invoice': [4006, { items: [{ amount: '1' }, { amount: '1', invoiceId: someId(1) }] }],
    'a description that is too long': [60003, { items: [{ amount: '1', description: 'x'.repeat(256) }] }],
    'no items': [60003, { items: [] }],
  } as const))
    it(`rejects a charge with ${what} and stores nothing`, async () => {
      const { id } = await engine.acme.createAccount({ currency: 'USD' });
      await expectCode(engine.acme.invoices.addCharges({ accountId: id, ...request }), code);
      expect(await invoicesOf(id)).to.eql([]);
      if (code !== 4015) return;
      await expectCode(engine.acme.invoices.addCredits({ accountId: id, ...request }), 4009);
      await expectCode(engine.acme.invoices.addTaxes({ accountId: id, ...request }), 4015);
      expect(await invoicesOf(id)).to.eql([]);
    });

  it('stores all given references of charges and credits, and all references of a tax except the subscription (R21)', async () => {
    const { id } = await engine.acme.createAccount({ currency: 'USD' });
    const request = { accountId: id, planName: 'solo-now' };
    const { bundleId, subscriptionId } = await engine.acme.createSubscription(request);
    const [first] = await charge(id, '10', { bundleId, subscriptionId });
    const about = { bundleId, subscriptionId, linkedItemId: first?.id };
    const [second] = await charge(id, '1', about);
    expect(second).to.deep.include(about);
    const items = [{ amount: '2', bundleId, subscriptionId: someId(3), linkedItemId: first?.id }];
    const [tax] = await engine.acme.invoices.addTaxes({ accountId: id, items });
    expect(tax).to.deep.include({
      bundleId,
      subscriptionId: null,
      linkedItemId: first?.id,
      description: 'Tax',
    });
    const [given] = await credit(id, '1', about);
    expect(given).to.deep.include(about);
    expect(await engine.acme.invoices.explain(second?.id as Uuid)).to.include({ linkedItemId: first?.id });

    const unknown = { bundleId: someId(2), subscriptionId: someId(3), linkedItemId: someId(4) };
    const [free] = await charge(id, '1', unknown);
    expect(free).to.deep.include(unknown);
    const [foreign] = await charge((await engine.acme.createAccount({ currency: 'USD' })).id, '1', about);
    expect(foreign).to.deep.include(about);
    expect(await engine.acme.invoices.explain(free?.id as Uuid)).to.include({ linkedItemId: someId(4) });
    await engine.settle();
    expect(await engine.breaches()).to.eql([]);
    await engine.acme.invoices.void(first?.invoiceId as Uuid);
  });

  it('stores the given rate and quantity of charges, taxes and credits without deriving an amount from them (R47)', async () => {
    const { id } = await engine.acme.createAccount({ currency: 'USD' });
    const items = [{ amount: '5', rate: '0.333333333', quantity: '2.5' }];
    const { invoices } = engine.acme;
    for (const add of [invoices.addCharges, invoices.addTaxes, invoices.addCredits]) {
      const [made] = await add({ accountId: id, items });
      expect([made?.rate, made?.quantity].map(String)).to.eql(['0.333333333', '2.5']);
      expect(made && formatDecimal(made.amount.abs())).to.equal('5');
    }
  });

  it('puts the items without an invoice id on one new invoice per call, and leaves an existing draft uncommitted', async () => {
    const { id } = await engine.acme.createAccount({ currency: 'USD' });
    const [draft] = await charge(id, '1', { autoCommit: false });
    const invoiceId = draft?.invoiceId as Uuid;
    const items = [{ amount: '2' }, { amount: '3', invoiceId }, { amount: '4' }];
    const made = await engine.acme.invoices.addCharges({ accountId: id, items, autoCommit: true });
    expect(made.map(({ amount }) => formatDecimal(amount))).to.eql(['2', '3', '4']);
    expect(made[0]?.invoiceId).to.equal(made[2]?.invoiceId);
    expect(await invoicesOf(id)).to.eql([
      'EXTERNAL_CHARGE 1, EXTERNAL_CHARGE 3 = 4 owes 0',
      'EXTERNAL_CHARGE 2, EXTERNAL_CHARGE 4 = 6 owes 6',
    ]);
    expect((await engine.acme.getInvoice(invoiceId)).status).to.equal('DRAFT');
  });

  it('bills a future-dated charge immediately, without delaying the billing of later subscriptions', async () => {
    const { id } = await engine.acme.createAccount({ currency: 'USD' });
    const inJune = { requestedDate: '2024-06-01', items: [{ amount: '5' }], autoCommit: true };
    await engine.acme.invoices.addCharges({ accountId: id, ...inJune });
    expect(await engine.balancesOf(id)).to.eql(['5', '0']);
    await engine.subscribe({ accountId: id, planName: 'solo-now' });
    expect((await invoicesOf(id)).at(-1)).to.equal('RECURRING 19.95 = 19.95 owes 19.95');
  });

  it("rejects a charge on another account's draft", async () => {
    const { id } = await engine.acme.createAccount({ currency: 'USD' });
    const other = await engine.acme.createAccount({ currency: 'USD' });
    const [committed] = await charge(id, '1');
    const [draft] = await charge(other.id, '1', { autoCommit: false });
    await expectCode(charge(id, '1', { invoiceId: committed?.invoiceId }), 4024);
    await expectCode(charge(id, '1', { invoiceId: draft?.invoiceId }), 4006);
    expect(await invoicesOf(id)).to.have.length(1);
    expect(await invoicesOf(other.id)).to.eql(['EXTERNAL_CHARGE 1 = 1 owes 0']);
  });

  it('rejects an invalid adjustment with the error of the first failing check, and stores nothing', async () => {
    const { id } = await engine.acme.createAccount({ currency: 'USD' });
    const [item] = await charge(id, '10');
    const [given] = await credit(id, '1');
    const on = { accountId: id, invoiceId: item?.invoiceId as Uuid, invoiceItemId: item?.id as Uuid };
    const adjust = (more: object) => codeOf(engine.acme.invoices.adjustItem({ ...on, ...more }));
    expect(await adjust({ amount: decimal(0), invoiceId: someId(1) })).to.equal(4010);
    expect(await adjust({ amount: decimal('0.001') })).to.equal(60003);
    expect(await adjust({ invoiceId: someId(1), currency: 'EUR' })).to.equal(4006);
    const [draft] = await charge(id, '3', { autoCommit: false });
    await engine.acme.invoices.void(draft?.invoiceId as Uuid);
    expect(await adjust({ invoiceId: draft?.invoiceId, currency: 'EUR' })).to.equal(4031);
    expect(await adjust({ currency: 'EUR', invoiceItemId: someId(1) })).to.equal(3);
    expect(await adjust({ invoiceItemId: given?.id })).to.equal(4011);
    expect(await adjust({ invoiceId: given?.invoiceId, invoiceItemId: given?.id, amount: '9' })).to.equal(
      4021,
    );
    expect(await adjust({ amount: decimal('10.01') })).to.equal(4020);
    expect(await adjust({ accountId: someId(1) })).to.equal(3002);
    expect(await invoicesOf(id)).to.eql([
      'EXTERNAL_CHARGE 10, CBA_ADJ -1 = 10 owes 9',
      'CREDIT_ADJ -1, CBA_ADJ 1 = 0 owes 0',
    ]);
  });
});
