import {
  DocumentTextKind,
  defineCatalog,
  formatDecimal,
  type InvoicePlugin,
  type Uuid,
} from '../../lib/index.ts';
import { expectExplained } from '../support/explained-amount.ts';
import { eachDatabaseByTurns, expect, openEngine, type TestEngine } from '../support/index.ts';
import { readPdf } from '../support/pdf/pdf-text.ts';
import { redeemOnAccount } from '../support/redeemed-coupons.ts';
import { author } from '../support/storage/stored-records.ts';

const catalog = defineCatalog({
  name: 'Coupons',
  effectiveDate: '2025-01-01',
  recurringBillingMode: 'IN_ADVANCE',
  currencies: ['USD'],
  products: { Gold: { category: 'BASE' }, Max: { category: 'BASE' } },
  plans: {
    'gold-monthly': {
      product: 'Gold',
      finalPhase: {
        type: 'EVERGREEN',
        fixed: { USD: '50.00' },
        recurring: { billingPeriod: 'MONTHLY', price: { USD: '30.00' } },
      },
    },
    'max-monthly': {
      product: 'Max',
      finalPhase: {
        type: 'EVERGREEN',
        recurring: { billingPeriod: 'MONTHLY', price: { USD: '62.00' } },
      },
    },
  },
  priceLists: { DEFAULT: ['gold-monthly', 'max-monthly'] },
  rules: { changePolicy: [{ policy: 'IMMEDIATE' }], cancelPolicy: [{ policy: 'IMMEDIATE' }] },
});

const NOW = '2026-01-01T08:00:00Z';
const spring = { redeemed: '2026-01-01', duration: { periods: 3 }, appliesTo: 'BOTH' } as const;
const ten = { percentOff: null, amountOff: { USD: '10' }, code: 'TEN', name: 'Ten off' } as const;

eachDatabaseByTurns.describe('discounted items (coupons §4)', (open) => {
  let engine: TestEngine;
  let accountId: Uuid;

  beforeEach(async () => {
    engine = await openEngine(open, { now: NOW, catalog: null });
    await engine.acme.uploadCatalog(catalog);
    accountId = (await engine.acme.createAccount({ currency: 'USD', billCycleDayLocal: 1 })).id;
  });

  const subscribe = () => engine.subscribe({ accountId, planName: 'gold-monthly' });

  async function items() {
    const invoices = await engine.acme.invoices.ofAccount({ accountId, withItems: true });
    return invoices.flatMap((invoice) => invoice.items);
  }

  const shown = ({
    itemType,
    amount,
    rate,
    listRate,
    discounts,
  }: Awaited<ReturnType<typeof items>>[number]) => {
    const taken = discounts?.map(({ code, amount: off }) => `${code} ${formatDecimal(off)}`).join(', ');
    const rates = [rate, listRate].map((each) => each && formatDecimal(each)).join(' of ');
    return `${itemType} ${formatDecimal(amount)} (${rates}): ${taken ?? 'no coupon'}`;
  };

  it('contain and explain the list price and the discount of each coupon', async () => {
    await redeemOnAccount(engine, accountId, { ...ten, redeemed: '2026-01-01' }, spring);
    const { subscriptionId } = await subscribe();
    await engine.runTo('2026-01-11T08:00:00Z');
    await engine.settle(engine.acme.subscriptions.changePlan(subscriptionId, { planName: 'max-monthly' }));
    await engine.runTo('2026-04-01T12:00:00Z');
    const all = await items();
    expect(all.map(shown)).to.eql([
      'FIXED 40 ( of 50): SPRING 10',
      'RECURRING 14 (14 of 30): SPRING 6, TEN 10',
      'RECURRING 26.83 (39.6 of 62): SPRING 8.4, TEN 6.77',
      'REPAIR_ADJ -9.48 ( of ): no coupon',
      'RECURRING 39.6 (39.6 of 62): SPRING 12.4, TEN 10',
      'RECURRING 39.6 (39.6 of 62): SPRING 12.4, TEN 10',
      'RECURRING 52 (52 of 62): TEN 10',
    ]);
    const explanations = await Promise.all(all.map(({ id }) => engine.acme.invoices.explain(id)));
    for (const explanation of explanations) expectExplained(explanation);
    expect(explanations[1]?.text).to.equal(
      'Monthly list price of plan gold-monthly, phase gold-monthly-evergreen for 2026-01-01 to 2026-02-01, billed in advance: 30.00 USD since the start on 2026-01-01, by the catalog in effect from 2025-01-01. ' +
        'Coupon SPRING (Spring sale, 20 %, until 2026-04-01) takes off 6.00 USD. ' +
        'Coupon TEN (Ten off, 10.00 USD) takes off 10.00 USD. ' +
        'It is a whole period, from one bill cycle date to the next. ' +
        'The bill cycle day is 1, that of the account (billing alignment by default: ACCOUNT). ' +
        '30.00 USD − 6.00 USD = 24.00 USD, 24.00 USD − 10.00 USD = 14.00 USD.',
    );
    expect(explanations[0]?.text).to.include(
      'One-time list price of plan gold-monthly, phase gold-monthly-evergreen, charged on 2026-01-01',
    );
    expect(await engine.acme.invoices.verifyCoverage(accountId)).to.eql([]);
    expect(await engine.breaches()).to.eql([]);
  });

  it('explain the repair after a coupon is removed', async () => {
    const [redemption] = await redeemOnAccount(engine, accountId, spring);
    await subscribe();
    await engine.storage.write(engine.tenant, author(), async (session) => {
      if (redemption === undefined) throw new Error('no redemption');
      await session.coupons.endRedemptions([{ ...redemption, ended: redemption.redeemed }]);
      const cursors = await session.invoices.cursorsOfAccounts([accountId]);
      const dirty = { dirtyFrom: redemption.redeemed.date, ongoing: null };
      await session.invoices.saveCursors(cursors.map((cursor) => ({ ...cursor, ...dirty })));
    });
    await engine.settle(engine.acme.invoices.generate({ accountId }));
    const [, , charge, repair] = await items();
    expect([charge, repair].map((item) => item && shown(item))).to.eql([
      'RECURRING 30 (30 of ): no coupon',
      'REPAIR_ADJ -24 ( of ): no coupon',
    ]);
    const { text } = await engine.acme.invoices.explain(repair?.id ?? '');
    expect(text).to.include('Coupon SPRING no longer applies to these days.');
  });

  it('appear on the HTML page, in the PDF and in the template data', async () => {
    await redeemOnAccount(engine, accountId, spring);
    await subscribe();
    const [invoice] = await engine.acme.invoices.ofAccount({ accountId });
    const invoiceId = invoice?.id ?? '';
    const line = 'List price: $30.00 · Spring sale: -$6.00';
    expect(await engine.acme.invoices.html(invoiceId)).to.include(`<bdi>${line}</bdi>`);
    const { pages } = await readPdf(await engine.acme.invoices.pdf(invoiceId));
    expect(pages.flat().join('\n')).to.include(line);
    const text =
      '{{#invoice.items}}{{formattedListAmount}}{{#discounts}} {{code}} {{amount}}{{/discounts}};{{/invoice.items}}';
    await engine.acme.invoiceTexts.upload({ kind: DocumentTextKind.TEMPLATE, text });
    expect(await engine.acme.invoices.html(invoiceId)).to.equal('$50.00 SPRING 10;$30.00 SPRING 6;');
  });

  it('are the same in dry runs and previews as on the invoice', async () => {
    await redeemOnAccount(engine, accountId, spring);
    const preview = await engine.acme.subscriptions.preview({
      change: 'CREATE',
      accountId,
      planName: 'gold-monthly',
    });
    const expected = ['FIXED 40 ( of 50): SPRING 10', 'RECURRING 24 (24 of 30): SPRING 6'];
    expect(preview.dueNow?.items.map(shown)).to.eql(expected);
    await subscribe();
    expect((await items()).map(shown)).to.eql(expected);
    const next = { dryRunType: 'TARGET_DATE', accountId, targetDate: '2026-02-01' } as const;
    expect((await engine.acme.invoices.dryRun(next))?.items.map(shown)).to.eql(expected.slice(1));
  });

  it('are credited without a list price on the credit note of a void', async () => {
    engine = await openEngine(open, {
      now: NOW,
      catalog: null,
      configuration: { 'org.service.invoice.creditNotes': 'true' },
    });
    await engine.acme.uploadCatalog(catalog);
    accountId = (await engine.acme.createAccount({ currency: 'USD', billCycleDayLocal: 1 })).id;
    await redeemOnAccount(engine, accountId, spring);
    await subscribe();
    const [invoice] = await engine.acme.invoices.ofAccount({ accountId });
    await engine.settle(engine.acme.invoices.void(invoice?.id ?? ''));
    const [note] = await engine.acme.creditNotes.ofInvoice(invoice?.id ?? '');
    const page = await engine.acme.creditNotes.html(note?.id ?? '');
    expect(page).to.include('$24.00').and.not.include('List price');
  });

  it('contain no list price if an invoice plugin changes the amount', async () => {
    const plugin: InvoicePlugin = {
      name: 'rounder',
      getAdditionalInvoiceItems: async ({ items: given }) => ({
        items: given.map((item) => ({ ...item, amount: item.amount.dividedBy(10).ceil().times(10) })),
      }),
    };
    engine = await openEngine(open, { now: NOW, catalog: null, invoicePlugins: [plugin] });
    await engine.acme.uploadCatalog(catalog);
    accountId = (await engine.acme.createAccount({ currency: 'USD', billCycleDayLocal: 1 })).id;
    await redeemOnAccount(engine, accountId, spring);
    await subscribe();
    const all = await items();
    expect(all.map(shown)).to.eql(['FIXED 40 ( of 50): SPRING 10', 'RECURRING 30 (24 of ): no coupon']);
    const { text } = await engine.acme.invoices.explain(all[1]?.id ?? '');
    expect(text).to.include('Coupon SPRING (Spring sale, 20 %, until 2026-04-01) takes off 6.00 USD.');
  });
});
