import type { HostInput, MigrationInvoiceRequest, MigrationItem, Uuid } from '../../lib/index.ts';
import { decimal, formatDecimal } from '../../lib/index.ts';
import { eachDatabaseByTurns } from '../support/databases.ts';
import { engineBefore, expect, expectCode, itemLines, newEvents, rowsOf } from '../support/index.ts';

eachDatabaseByTurns.describe('migration invoices (invoicing §9 rule 5)', (open) => {
  let newTypes: () => Promise<readonly string[]>;
  const engine = engineBefore(open, { now: '2024-01-01T00:00:00Z' });
  const { acme } = engine;
  before(async () => {
    newTypes = newEvents(engine.database);
  });

  const migrate = (accountId: Uuid, items: readonly HostInput<MigrationItem>[], more: object = {}) =>
    acme.invoices.createMigrationInvoice({ accountId, items, ...more });
  async function balancesOf(accountId: Uuid): Promise<readonly string[]> {
    const state = (await acme.accounts.balances([accountId])).get(accountId);
    return [state?.accountBalance, state?.accountCBA].map((each) => (each ? formatDecimal(each) : 'none'));
  }
  const listed = (accountId: Uuid, more: object = {}) =>
    acme.invoices.ofAccount({ accountId, withItems: true, ...more });

  it('are committed with the given items and a balance of 0, and trigger no payment', async () => {
    const account = await engine.payingAccount({ currency: 'USD', timeZone: 'America/New_York' });
    await newTypes();
    const invoice = await migrate(
      account.id,
      [
        {
          itemType: 'RECURRING',
          amount: '19.96',
          planName: 'gold',
          phaseName: 'gold-evergreen',
          productName: 'Gold',
          usageName: 'calls',
          description: 'of the old system',
          startDate: '2023-11-01',
          endDate: '2023-12-01',
          quantity: decimal(2),
          itemDetails: '{}',
        },
        { itemType: 'CREDIT_ADJ', amount: decimal(-5) },
        { itemType: 'CBA_ADJ', amount: '7.5' },
        { itemType: 'TAX', amount: decimal(1), currency: 'USD' },
      ],
      { targetDate: '2023-11-30' },
    );
    expect(invoice).to.include({
      status: 'COMMITTED',
      isMigration: true,
      targetDate: '2023-11-30',
      invoiceDate: '2023-12-31',
      commitDate: '2023-12-31',
    });
    const { amount, creditAdj, balance, rawBalance } = invoice;
    expect([amount, creditAdj, balance, rawBalance].map(formatDecimal)).to.eql(['15.96', '7.5', '0', '0']);
    expect(itemLines(invoice)).to.eql([
      'RECURRING 2023-11-01..2023-12-01 19.96',
      'CREDIT_ADJ -5',
      'CBA_ADJ 7.5',
      'TAX 1',
    ]);
    expect(invoice.items[0]).to.deep.include({
      planName: 'gold',
      phaseName: 'gold-evergreen',
      productName: 'Gold',
      usageName: 'calls',
      description: 'of the old system',
      quantity: decimal(2),
      itemDetails: '{}',
    });
    expect(await newTypes()).to.eql(['INVOICE_CREATION']);
    const [entry] = await rowsOf(
      engine.database,
      `select payload from bw_queue_entries where topic = 'INVOICE_CREATION' order by record_id desc`,
    );
    const payload = typeof entry?.payload === 'string' ? JSON.parse(entry.payload) : entry?.payload;
    expect(String(payload.amountOwed)).to.equal('0');
    const [recurring, credit] = await Promise.all(
      invoice.items.slice(0, 2).map(({ id }) => acme.invoices.explain(id)),
    );
    expect([recurring?.text, credit?.text]).to.eql([
      '19.96 USD, as given with the invoice of another system.',
      '-5.00 USD, as given with the invoice of another system.',
    ]);
    await engine.settle();
    expect(await acme.payments.ofAccount(account.id)).to.eql([]);
    expect(await balancesOf(account.id)).to.eql(['0', '0']);
    const history = await acme.audit.history({ type: 'INVOICE', id: invoice.id });
    expect(history.map(({ changeType, snapshot }) => [changeType, snapshot?.migrated])).to.eql([
      ['INSERT', true],
    ]);
  });

  it('are listed only if the request includes them, and never among the unpaid invoices', async () => {
    const { id } = await acme.createAccount({ currency: 'USD' });
    const migrated = await migrate(id, [{ itemType: 'EXTERNAL_CHARGE', amount: decimal(10) }]);
    expect(await listed(id)).to.eql([]);
    expect(await listed(id, { unpaidOnly: true })).to.eql([]);
    expect((await listed(id, { withMigration: true })).map((each) => each.id)).to.eql([migrated.id]);
    expect(migrated.targetDate).to.equal('2024-01-01');
    expect((await acme.accounts.timeline(id)).invoices).to.eql([]);
    expect((await acme.getInvoice(migrated.id)).isMigration).to.equal(true);
  });

  it('do not change the billing of a subscription, even for the same days or after a void', async () => {
    const { id } = await acme.createAccount({ currency: 'USD' });
    const { subscriptionId, bundleId } = await acme.createSubscription({
      accountId: id,
      planName: 'solo-now',
    });
    const days = { startDate: '2024-01-01', endDate: '2024-02-01' };
    const about = { subscriptionId, bundleId, planName: 'solo-now', phaseName: 'solo-now-evergreen' };
    const before = await migrate(id, [{ itemType: 'RECURRING', amount: '19.95', ...about, ...days }]);
    await engine.settle();
    const [billed] = await listed(id);
    expect(billed && itemLines(billed)).to.eql(['RECURRING 2024-01-01..2024-02-01 19.95']);
    const repair: HostInput<MigrationItem> = {
      itemType: 'REPAIR_ADJ',
      amount: decimal(-9),
      ...days,
      linkedItemId: billed?.items[0]?.id,
    };
    const repairs = [repair, { itemType: 'CBA_ADJ', amount: decimal(9) }] as const;
    const [after, standing] = [await migrate(id, repairs), await migrate(id, repairs)];
    expect(standing.items[0]?.linkedItemId).to.equal(billed?.items[0]?.id);
    expect(await engine.breaches()).to.eql([]);
    for (const invoice of [before, after]) await acme.invoices.void(invoice.id);
    await expectCode(acme.generateInvoice({ accountId: id }), 4007);
    expect(await acme.invoices.verifyCoverage(id)).to.eql([]);
    expect(await engine.breaches()).to.eql([]);
    expect((await acme.getSubscription(subscriptionId)).chargedThrough?.date).to.equal('2024-02-01');
    await acme.invoices.void(billed?.id as Uuid);
    expect(await balancesOf(id)).to.eql(['0', '0']);
  });

  it('use no account credit, cannot be adjusted or committed, and keep their credit items', async () => {
    const { id } = await acme.createAccount({ currency: 'USD' });
    const items = [{ accountId: id, amount: decimal(10) }];
    await acme.invoices.addCredits({ accountId: id, items, autoCommit: true });
    const invoice = await migrate(id, [
      { itemType: 'EXTERNAL_CHARGE', amount: decimal(4) },
      { itemType: 'CBA_ADJ', amount: decimal(-1) },
    ]);
    expect(await balancesOf(id)).to.eql(['-10', '10']);
    const [charge, cba] = invoice.items.map((item) => ({
      accountId: id,
      invoiceId: invoice.id,
      invoiceItemId: item.id,
    }));
    if (!charge || !cba) throw new Error('no items');
    await expectCode(acme.invoices.adjustItem(charge), 4012);
    await expectCode(acme.invoices.deleteCredit(cba), 4006);
    await expectCode(acme.invoices.commit(invoice.id), 4023);
  });

  it('are not added to the summary invoice of the paying parent', async () => {
    const parent = await acme.createAccount({ currency: 'USD' });
    const child = await acme.createAccount({
      currency: 'USD',
      parentAccountId: parent.id,
      isPaymentDelegatedToParent: true,
    });
    const invoice = await engine.settle(migrate(child.id, [{ itemType: 'RECURRING', amount: decimal(30) }]));
    expect(invoice).to.include({ parentAccountId: null, parentInvoiceId: null });
    expect(await listed(parent.id)).to.eql([]);
  });

  const one: HostInput<MigrationItem> = { itemType: 'TAX', amount: decimal(1) };
  const refused: readonly (readonly [string, number, Partial<HostInput<MigrationInvoiceRequest>>])[] = [
    ['an empty list of items', 60003, { items: [] }],
    ['an item without a type', 60003, { items: [one, { amount: decimal(1) }] }],
    ['an item of an unknown type', 60003, { items: [{ ...one, itemType: 'FEE' as 'TAX' }] }],
    ['an item without an amount', 60003, { items: [one, { itemType: 'TAX' }] }],
    ['a different currency', 3, { items: [one, { ...one, currency: 'EUR' }] }],
    [
      'an item that ends before it starts',
      4004,
      { items: [{ ...one, startDate: '2024-02-02', endDate: '2024-02-01' }] },
    ],
    ['a description that is too long', 60003, { items: [{ ...one, description: 'x'.repeat(256) }] }],
    ['a text that cannot be stored', 60003, { items: [{ ...one, usageName: 'a\0b' }] }],
    ['an unknown account', 3002, { accountId: someId(5), items: [one] }],
  ];
  for (const [what, code, request] of refused)
    it(`are rejected for ${what}, and nothing is stored`, async () => {
      const { id } = await acme.createAccount({ currency: 'USD' });
      await newTypes();
      await expectCode(acme.invoices.createMigrationInvoice({ accountId: id, items: [], ...request }), code);
      expect(await listed(id, { withMigration: true })).to.eql([]);
      expect(await newTypes()).to.eql([]);
    });

  it('keep the given references of items unchanged (R21)', async () => {
    const { id } = await acme.createAccount({ currency: 'USD' });
    const named = { bundleId: someId(2), subscriptionId: someId(3), linkedItemId: someId(4) };
    const recurring = { itemType: 'RECURRING', amount: decimal(1), rate: decimal('0.5'), ...named } as const;
    const { items } = await migrate(id, [recurring]);
    expect(items[0]).to.deep.include(named);
    expect(items[0]?.rate && formatDecimal(items[0].rate)).to.equal('0.5');
    expect(await engine.breaches()).to.eql([]);
  });

  it('require an account with a currency', async () => {
    const { id } = await acme.createAccount({});
    await expectCode(migrate(id, [one]), 3);
  });
});

function someId(last: number): Uuid {
  return `11111111-1111-4111-8111-${String(last).padStart(12, '1')}` as Uuid;
}
