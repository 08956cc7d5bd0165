import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { defineCatalog } from '../../adapters/node/billwright.ts';
import { type Buyer, sellWithTax, taxPlugin } from '../../examples/tax-plugin.ts';
import { decimal, formatDecimal, type InvoicePlugin, SystemTag, type Uuid } from '../../lib/index.ts';
import { anyDatabase, expect, openEngine, type TestEngine } from '../support/index.ts';
import { documentsOf, taxLinesOf } from '../support/invoicing/documents-of-account.ts';
import { blocksOf, importingFrom } from './readme-examples.ts';

const root = resolve(import.meta.dirname, '../..');

const monthly = <P extends string>(product: P, price: `${number}`) => ({
  product,
  finalPhase: {
    type: 'EVERGREEN',
    recurring: { billingPeriod: 'MONTHLY', price: { EUR: price } },
  } as const,
});

const catalog = defineCatalog({
  name: 'Rooms',
  effectiveDate: '2024-01-01',
  recurringBillingMode: 'IN_ADVANCE',
  currencies: ['EUR'],
  products: { Desk: { category: 'BASE' }, Book: { category: 'BASE' } },
  plans: {
    room: monthly('Desk', '310.00'),
    desk: monthly('Desk', '100.00'),
    chair: monthly('Desk', '0.13'),
    snack: monthly('Desk', '1.00'),
    book: monthly('Book', '50.00'),
  },
  priceLists: { DEFAULT: ['room', 'desk', 'chair', 'snack', 'book'] },
  rules: { changePolicy: [{ policy: 'IMMEDIATE' }], cancelPolicy: [{ policy: 'IMMEDIATE' }] },
});

async function moduleOf(source: string): Promise<object> {
  const folder = await mkdtemp(join(tmpdir(), 'billwright-vat-'));
  const file = join(folder, 'vat.ts');
  await writeFile(file, importingFrom(root, source));
  const loaded = await import(file);
  await rm(folder, { recursive: true });
  return loaded;
}

/** Returns the plugin of the program in `lib/ports/README.md`. */
async function pluginOfReadme(): Promise<InvoicePlugin> {
  const [, program = ''] = await blocksOf('lib/ports/README.md', 'ts');
  const [plugin = ''] = program.split('const clock =');
  const { vat } = (await moduleOf(`${plugin}\nexport { vat };\n`)) as { readonly vat: InvoicePlugin };
  return vat;
}

/** Returns the plugin of `lib/ports/TAXES.md`. */
async function pluginOfTaxes(): Promise<InvoicePlugin> {
  const [source = ''] = await blocksOf('lib/ports/TAXES.md', 'ts');
  const { taxes } = (await moduleOf(source)) as {
    readonly taxes: (taxOf: () => Promise<object>) => InvoicePlugin;
  };
  return taxes(async () => ({ taxRate: '19', taxCategory: 'S' }));
}

describe('invoice plugin example', () => {
  it('charges taxes by country, explains each tax and credits taxes along with charges', async () =>
    expect(await sellWithTax()).to.eql([
      'Ada: RECURRING 100, TAX 19, CBA_ADJ -61.42; owed EUR 57.58',
      'Ada: REPAIR_ADJ -51.61, TAX -9.81, CBA_ADJ 61.42; owed EUR 0',
      '19.00 EUR for the 100.00 EUR charged for plan desk-monthly, phase desk-monthly-evergreen, added by the invoice plugin "vat": MwSt. 19 %.',
      'Chantal: RECURRING 100, TAX 0; owed EUR 100',
      'Ed: RECURRING 100, TAX 0; owed EUR 100',
    ]));
});

anyDatabase.describe('tax plugin in the documentation (invoicing §14 rule 9)', (open) => {
  let engine: TestEngine;
  let accountId: Uuid;
  let buyer: Buyer;

  async function begin(plugin: InvoicePlugin = taxPlugin(async () => buyer)): Promise<void> {
    engine = await openEngine(open, {
      now: '2024-01-01T08:00:00Z',
      catalog: null,
      invoicePlugins: [plugin],
      configuration: { 'org.service.invoice.creditNotes': 'true' },
    });
    await engine.acme.uploadCatalog(catalog);
    accountId = (await engine.payingAccount({ currency: 'EUR', billCycleDayLocal: 1 })).id;
  }
  beforeEach(() => {
    buyer = { country: 'DE' };
  });
  afterEach(async () => {
    for (const { net, tax, gross } of await documentsOf(engine, accountId))
      expect(gross.equals(net.plus(tax))).to.equal(true);
    expect(await engine.breaches()).to.eql([]);
  });

  const subscribe = (...plans: readonly string[]) =>
    engine.settle(
      Promise.all(plans.map((planName) => engine.acme.createSubscription({ accountId, planName }))),
    );
  const taxLines = async () => (await documentsOf(engine, accountId)).map((each) => taxLinesOf(each));
  const invoiceOf = async () => {
    const [invoice] = await engine.acme.invoices.ofAccount({ accountId, withItems: true });
    const charge = invoice?.items.find(({ itemType }) => itemType === 'RECURRING');
    return { invoiceId: invoice?.id ?? '', items: invoice?.items ?? [], chargeId: charge?.id ?? '' };
  };

  async function downgraded(): Promise<void> {
    const [subscription] = await subscribe('room');
    engine.clock.set('2024-01-16T08:00:00Z');
    const { subscriptionId = '' } = subscription ?? {};
    await engine.settle(engine.acme.subscriptions.changePlan(subscriptionId, { planName: 'desk' }));
  }

  for (const [name, pluginOf] of Object.entries({
    'the example': (): InvoicePlugin | undefined => undefined,
    'the README': pluginOfReadme,
    'the page about taxes': pluginOfTaxes,
  }))
    describe(`of ${name}`, () => {
      beforeEach(async () => begin(await pluginOf()));

      it('credits the tax of a repair after a downgrade, on the invoice and its credit note', async () => {
        await downgraded();
        expect(await taxLines()).to.eql([
          ['S 19 %: 310 + 58.9'],
          ['S 19 %: -108.39 + -20.59'],
          ['S 19 %: 160 + 30.4'],
        ]);
      });

      it('credits the tax of a repair after an adjustment and a cancellation', async () => {
        const [subscription] = await subscribe('desk');
        const { invoiceId, chargeId: invoiceItemId } = await invoiceOf();
        const adjustment = { accountId, invoiceId, invoiceItemId, amount: '10' };
        await engine.settle(engine.acme.invoices.adjustItem(adjustment));
        engine.clock.set('2024-01-16T08:00:00Z');
        const { subscriptionId = '' } = subscription ?? {};
        await engine.settle(engine.acme.subscriptions.cancel(subscriptionId, { billingPolicy: 'IMMEDIATE' }));
        expect(await taxLines()).to.eql([
          ['S 19 %: 90 + 17.1'],
          ['S 19 %: -51.61 + -9.81'],
          ['S 19 %: 10 + 1.9'],
          ['S 19 %: 51.61 + 9.81'],
        ]);
      });

      it('credits only the remaining tax for each of several adjustments', async () => {
        await subscribe('desk');
        const { invoiceId, chargeId: invoiceItemId } = await invoiceOf();
        for (const amount of ['40', '10'])
          await engine.settle(
            engine.acme.invoices.adjustItem({ accountId, invoiceId, invoiceItemId, amount }),
          );
        const [document] = await documentsOf(engine, accountId);
        expect(document && taxLinesOf(document)).to.eql(['S 19 %: 50 + 9.5']);
      });
    });

  it('credits the exact total tax across many small adjustments and refunds of a charge', async () => {
    await begin();
    await subscribe('snack');
    const { invoiceId, chargeId: invoiceItemId } = await invoiceOf();
    const adjustment = { accountId, invoiceId, invoiceItemId, amount: '0.1' };
    for (let times = 0; times < 5; times += 1)
      await engine.settle(engine.acme.invoices.adjustItem(adjustment));
    const [payment] = await engine.acme.payments.ofAccount(accountId);
    const paymentId = payment?.id ?? '';
    for (let times = 0; times < 5; times += 1) {
      const adjustments = [{ invoiceItemId, amount: '0.1' }];
      await engine.settle(engine.acme.invoicePayments.refund({ paymentId, isAdjusted: true, adjustments }));
    }
    const [document, ...notes] = await documentsOf(engine, accountId);
    expect(document && taxLinesOf(document)).to.eql(['S 19 %: 0 + 0']);
    const sumOfNotes = notes.reduce((total, { tax }) => total.plus(tax), decimal(0));
    expect([notes.length, formatDecimal(sumOfNotes)]).to.eql([10, '0.19']);
  });

  it('credits the exact total tax across many small repairs of a charge', async () => {
    await begin();
    const { subscriptionId } = await engine.subscribe({ accountId, planName: 'snack', quantity: 9 });
    for (let quantity = 8; quantity > 0; quantity -= 1) {
      engine.clock.set(`2024-01-${String(2 * (9 - quantity)).padStart(2, '0')}T08:00:00Z`);
      await engine.settle(engine.acme.subscriptions.changeQuantity(subscriptionId, { quantity }));
    }
    const { items } = await invoiceOf();
    const left = items.map(({ itemType, amount, repairable }) => `${itemType} ${amount} ${repairable}`);
    expect(left).to.have.members(['RECURRING 9 0.29', 'TAX 1.71 0.06']);
    for (const { roundingDifference } of await documentsOf(engine, accountId))
      expect(roundingDifference.abs().lessThanOrEqualTo('0.01')).to.equal(true);
  });

  it('does not increase a new tax by the amount that a user deducted from an earlier tax', async () => {
    await begin();
    const [charge] = await engine.acme.invoices.addCharges({ accountId, items: [{ amount: '100' }] });
    const { invoiceId = '' } = charge ?? {};
    const { items } = await engine.acme.invoices.get(invoiceId);
    const tax = items.find(({ itemType }) => itemType === 'TAX');
    const forgiven = { accountId, invoiceId, invoiceItemId: tax?.id ?? '', amount: '19' };
    await engine.acme.invoices.adjustItem(forgiven);
    await engine.acme.invoices.addCharges({ accountId, items: [{ invoiceId, amount: '10' }] });
    const [document] = await documentsOf(engine, accountId);
    expect(document && taxLinesOf(document)).to.eql(['S 19 %: 110 + 1.9 (-19)']);
  });

  it('adds up the taxes of each of two rates on one invoice, and rounds each total', async () => {
    await begin();
    const account = { type: 'ACCOUNT', id: accountId } as const;
    await engine.acme.tags.add(account, [SystemTag.AUTO_INVOICING_OFF]);
    await subscribe('chair', 'chair', 'book');
    await engine.acme.tags.remove(account, [SystemTag.AUTO_INVOICING_OFF]);
    await engine.settle();
    expect(await taxLines()).to.eql([['S 19 %: 0.26 + 0.05', 'S 7 %: 50 + 3.5']]);
  });

  it('rounds the total of the lines to whole yen', async () => {
    await begin();
    accountId = (await engine.acme.createAccount({ currency: 'JPY' })).id;
    const items = [{ amount: '1003' }, { amount: '1003' }];
    await engine.acme.invoices.addCharges({ accountId, items, autoCommit: true });
    expect(await taxLines()).to.eql([['S 19 %: 2006 + 381']]);
    const { items: billed } = await invoiceOf();
    const charge = billed.find(({ itemType }) => itemType === 'EXTERNAL_CHARGE');
    const adjusted = { accountId, invoiceId: charge?.invoiceId ?? '', invoiceItemId: charge?.id ?? '' };
    await engine.acme.invoices.adjustItem({ ...adjusted, amount: '103' });
    expect(await taxLines()).to.eql([['S 19 %: 1903 + 361 (-1)'], ['S 19 %: 103 + 20']]);
  });

  it('credits the tax with a refund that specifies only the charge', async () => {
    await begin();
    await subscribe('desk');
    const { chargeId: invoiceItemId } = await invoiceOf();
    const [payment] = await engine.acme.payments.ofAccount(accountId);
    const adjustments = [{ invoiceItemId, amount: '50' }];
    const paymentId = payment?.id ?? '';
    await engine.settle(engine.acme.invoicePayments.refund({ paymentId, isAdjusted: true, adjustments }));
    expect(await taxLines()).to.eql([['S 19 %: 50 + 9.5'], ['S 19 %: 50 + 9.5']]);
    expect(await engine.balancesOf(accountId)).to.eql(['0', '0']);
  });

  it('shows reverse charge as a tax of 0 with its text and a note, even after a repair', async () => {
    buyer = { country: 'FR', taxId: 'FR83404833048' };
    await begin();
    await downgraded();
    expect(await taxLines()).to.eql([['AE 0 %: 310 + 0'], ['AE 0 %: -108.39 + 0'], ['AE 0 %: 160 + 0']]);
    const [first] = await engine.acme.invoices.ofAccount({ accountId, withItems: true });
    expect(first?.note).to.equal('Reverse charge: the buyer owes the VAT');
    const taxes = first?.items.filter(({ itemType }) => itemType === 'TAX') ?? [];
    expect(taxes.map(({ amount, taxExemption }) => `${formatDecimal(amount)} ${taxExemption}`)).to.eql([
      '0 Reverse charge: the buyer owes the VAT',
    ]);
  });
});
