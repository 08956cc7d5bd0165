import { type AccountInput, SystemTag, type Uuid } from '../../../lib/index.ts';
import { redeemOnAccount } from '../redeemed-coupons.ts';
import { american, french, german, type InvoicedBusinesses } from './invoiced-businesses.ts';
import type { TaxRule } from './tax-rules.ts';

type Story = (shop: InvoicedBusinesses) => Promise<Uuid>;

const standard: TaxRule = { category: 'S', rate: '19' };
const reduced: TaxRule = { category: 'S', rate: '7' };
const reverse: TaxRule = { category: 'AE', exemption: 'Autoliquidation' };
const within: TaxRule = { category: 'K' };
const exported: TaxRule = { category: 'G', exemption: 'Export outside the EU' };
const exempt: TaxRule = { category: 'E', exemption: 'VATEX-EU-132-1I Unterricht, § 4 Nr. 21 UStG' };
const zero: TaxRule = { category: 'Z' };
const outside: TaxRule = { category: 'O' };

/** Bills two months of a plan from the middle of the first one, with its repairs and its usage. */
function plan(
  input: AccountInput,
  rules: readonly TaxRule[],
  {
    planName = 'team-monthly',
    quantity = 1,
  }: { readonly planName?: string; readonly quantity?: number } = {},
): Story {
  return async (shop) => {
    const accountId = await shop.account(input, ...rules);
    await shop.subscribe(accountId, planName, quantity);
    await shop.engine.runTo('2026-05-01T12:00:00Z');
    return accountId;
  };
}

function charges(
  input: AccountInput,
  rules: readonly TaxRule[],
  ...amounts: readonly (readonly [string, string])[]
): Story {
  return async (shop) => {
    const accountId = await shop.account(input, ...rules);
    await shop.charge(accountId, ...amounts);
    return accountId;
  };
}

/** Histories of businesses whose invoices and credit notes have every kind of line, tax and total, by content. */
export const stories: Readonly<Record<string, Story>> = {
  'monthly plan, prorated, 19 %': plan(german, [standard]),
  'five seats, prorated': plan(german, [standard], { quantity: 5 }),
  'trial price, then a plan': plan(german, [standard], { planName: 'pro-monthly', quantity: 3 }),
  'annual plan': plan(german, [standard], { planName: 'team-annual' }),

  'coupons of a percentage and an amount': async (shop) => {
    const accountId = await shop.account(german, standard);
    const off = { percentOff: null, amountOff: { EUR: '10' }, code: 'TEN', name: 'Zehn & mehr' };
    const spring = { percentOff: '12.5', redeemed: '2026-03-01', appliesTo: 'BOTH' } as const;
    await redeemOnAccount(shop.engine, accountId, spring, { ...off, redeemed: '2026-03-01' });
    await shop.subscribe(accountId, 'team-monthly', 5);
    const subscriptionId = await shop.subscribe(accountId, 'pro-monthly');
    await shop.engine.runTo('2026-04-10T08:00:00Z');
    await shop.engine.settle(
      shop.acme.subscriptions.changePlan(subscriptionId, { planName: 'team-monthly' }),
    );
    await shop.engine.runTo('2026-05-01T12:00:00Z');
    return accountId;
  },

  'seats that change twice': async (shop) => {
    const accountId = await shop.account(german, standard);
    const subscriptionId = await shop.subscribe(accountId, 'team-monthly', 5);
    await shop.engine.runTo('2026-03-20T08:00:00Z');
    await shop.engine.settle(shop.acme.subscriptions.changeQuantity(subscriptionId, { quantity: 7 }));
    await shop.engine.runTo('2026-03-25T08:00:00Z');
    await shop.engine.settle(shop.acme.subscriptions.changeQuantity(subscriptionId, { quantity: 2 }));
    await shop.engine.runTo('2026-04-02T08:00:00Z');
    return accountId;
  },

  'plan change and cancellation with repairs': async (shop) => {
    const accountId = await shop.account(german, standard);
    const subscriptionId = await shop.subscribe(accountId, 'team-monthly');
    await shop.engine.runTo('2026-04-11T08:00:00Z');
    await shop.engine.settle(shop.acme.subscriptions.changePlan(subscriptionId, { planName: 'pro-monthly' }));
    await shop.engine.runTo('2026-04-21T08:00:00Z');
    await shop.engine.settle(shop.acme.subscriptions.cancel(subscriptionId, { billingPolicy: 'IMMEDIATE' }));
    return accountId;
  },

  'usage over two tiers, and hours': async (shop) => {
    const accountId = await shop.account(german, standard);
    const subscriptionId = await shop.subscribe(accountId, 'meter-monthly');
    const record = (unitType: string, amount: string) =>
      shop.acme.usage.record({
        subscriptionId,
        unitUsageRecords: [{ unitType, usageRecords: [{ recordDate: '2026-03-16', amount }] }],
      });
    await record('calls', '12400');
    await record('hours', '3');
    await shop.engine.runTo('2026-04-02T08:00:00Z');
    return accountId;
  },

  'two rates': charges(
    german,
    [standard, reduced],
    ['100', 'Work'],
    ['10.05', 'Reduced book'],
    ['33.33', 'More work'],
    ['7.77', 'Reduced paper'],
  ),
  'taxes rounded line by line': charges(
    german,
    [standard],
    ...Array.from({ length: 9 }, (_, index) => ['0.99', `Piece ${index + 1}`] as const),
  ),
  'three hundred lines': charges(
    german,
    [standard, reduced],
    ...Array.from(
      { length: 300 },
      (_, index) => [`${index}.37`, `${index % 3 ? 'Work' : 'Reduced'} ${index}`] as const,
    ),
  ),
  'hostile texts': charges(
    { ...german, name: '\u0007<b>&"\u202Eeman 🎉', company: ']]> & <script>' },
    [{ ...exempt, exemption: '<b>&"\u0001 reason' }],
    ['5', '<script>alert(1)</script> \u0000\u0008 & "\u202Etxet" 🎉'.replace('\u0000', '')],
  ),

  'an adjusted item': async (shop) => {
    const accountId = await shop.account(german, standard);
    const invoice = await shop.charge(accountId, ['100', 'Work'], ['50', 'Support']);
    await shop.adjust(invoice.id, '0.333');
    return accountId;
  },
  'an adjusted annual plan': async (shop) => {
    const accountId = await plan(german, [standard], { planName: 'team-annual' })(shop);
    const [invoice] = await shop.acme.invoices.ofAccount({ accountId });
    if (invoice !== undefined) await shop.adjust(invoice.id, '0.1');
    return accountId;
  },
  'a void invoice': async (shop) => {
    const accountId = await shop.account(german, standard, reduced);
    const invoice = await shop.charge(accountId, ['100', 'Work'], ['20', 'Reduced book']);
    await shop.engine.settle(shop.acme.invoices.void(invoice.id));
    return accountId;
  },
  'a total of zero': async (shop) => {
    const accountId = await shop.account(german, standard);
    const invoice = await shop.charge(accountId, ['100', 'Work']);
    await shop.adjust(invoice.id, '1');
    return accountId;
  },

  'account credit that pays a part': async (shop) => {
    const accountId = await shop.account(german, standard);
    const items = [{ amount: '30', description: 'Goodwill' }];
    await shop.engine.settle(shop.acme.invoices.addCredits({ accountId, items, autoCommit: true }));
    await shop.charge(accountId, ['100', 'Work']);
    return accountId;
  },
  'a credit on a draft': async (shop) => {
    const accountId = await shop.account(german, standard);
    const [charge] = await shop.acme.invoices.addCharges({
      accountId,
      items: [{ amount: '80', description: 'Work' }],
    });
    const invoiceId = charge?.invoiceId ?? accountId;
    await shop.acme.invoices.addCredits({
      accountId,
      items: [{ invoiceId, amount: '15', description: 'Discount' }],
    });
    await shop.engine.settle(shop.acme.invoices.commit(invoiceId));
    return accountId;
  },
  'a paid invoice': async (shop) => {
    const accountId = await shop.account(german, standard);
    const { name: pluginName } = shop.engine.gateway;
    await shop.acme.addPaymentMethod({ accountId, pluginName, isDefault: true });
    await shop.charge(accountId, ['100', 'Work']);
    return accountId;
  },
  'a written-off invoice': async (shop) => {
    const accountId = await shop.account(german, standard);
    const { id } = await shop.charge(accountId, ['100', 'Work']);
    await shop.engine.settle(shop.acme.tags.add({ type: 'INVOICE', id }, [SystemTag.WRITTEN_OFF]));
    return accountId;
  },
  'a note for the reader': async (shop) => {
    const accountId = await shop.account({ ...german, legalName: 'Kunde Aktiengesellschaft' }, standard);
    await shop.charge(accountId, ['12.5', 'Work\nin two lines']);
    return accountId;
  },

  'reverse charge to France': plan(french, [reverse], { quantity: 2 }),
  'supply within the EU': charges(french, [within], ['200', 'Licenses']),
  'supply within the EU, by plan': plan(french, [within]),
  'export to the US': plan(american, [exported]),
  'export to the US, with an adjusted item': async (shop) => {
    const accountId = await shop.account(american, exported);
    const invoice = await shop.charge(accountId, ['99.99', 'Work']);
    await shop.adjust(invoice.id, '0.5');
    return accountId;
  },
  'exempt course': charges(german, [exempt], ['300', 'Course']),
  'zero rate': charges(german, [zero], ['40', 'Donated goods']),
  'not subject to VAT': charges(german, [outside], ['40', 'Damages']),
  'a standard and an exempt line': charges(
    german,
    [standard, exempt],
    ['40', 'Work'],
    ['60', 'Reduced course'],
  ),

  'yen with 10 % and 8 %': charges(
    { ...american, country: 'JP', state: null, city: 'Tokyo', currency: 'JPY', taxId: 'T1234567890123' },
    [
      { category: 'S', rate: '10' },
      { category: 'S', rate: '8' },
    ],
    ['1001', 'Work'],
    ['333', 'Reduced food'],
    ['99', 'Reduced drink'],
  ),
  'a yen plan': plan(
    { ...american, country: 'JP', state: null, city: 'Tokyo', currency: 'JPY', taxId: 'T1234567890123' },
    [{ category: 'S', rate: '10' }],
    { planName: 'pro-monthly', quantity: 3 },
  ),

  'an invoice that the parent pays': async (shop) => {
    const parentAccountId = await shop.account(german);
    const child = { ...german, parentAccountId, isPaymentDelegatedToParent: true };
    const childId = await shop.account(child, standard);
    const invoice = await shop.charge(childId, ['100', 'Work']);
    const [summary] = await shop.acme.invoices.ofAccount({ accountId: parentAccountId });
    if (summary === undefined) throw new Error('the parent has no summary');
    await shop.engine.settle(shop.acme.invoices.commit(summary.id));
    await shop.adjust(invoice.id, '0.25');
    return childId;
  },
};
