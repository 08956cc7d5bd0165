import { withDiscounts } from '../../../lib/coupons/index.ts';
import type { NewInvoiceItem } from '../../../lib/invoicing/invoices/new-item.ts';
import type { BillingEvent } from '../../../lib/records/index.ts';
import { asCurrency, sum } from '../../../lib/values/money/index.ts';
import { type RedemptionTerms, redemption } from '../../support/coupons.ts';
import { event } from '../../support/invoicing/billing-events.ts';
import { type LedgerOptions, SubscriptionLedger } from '../../support/invoicing/subscription-ledger.ts';
import { expect } from '../../support/unit.ts';

const USD = asCurrency('USD');
const spring = { redeemed: '2026-01-01' };
const amountOff = (amount: string, terms: Partial<RedemptionTerms> = {}): RedemptionTerms => {
  const off = { percentOff: null, amountOff: { USD: amount }, code: 'TEN', name: 'Ten off' };
  return { ...off, redeemed: '2026-01-01', ...terms };
};
const monthly = (date: string, price = '30') => event('CREATE', date, { price });

function discounted(events: readonly BillingEvent[], terms: readonly RedemptionTerms[]) {
  return withDiscounts(events, terms.map(redemption), USD);
}

/** Returns an item as `amount of list amount: coupons`. */
function shown({ amount, discounts, listRate }: NewInvoiceItem): string {
  if (discounts === null) return `${amount} ${listRate}`;
  const listAmount = amount.plus(sum(discounts.map((each) => each.amount)));
  const taken = discounts.map(({ code, amount: off }) => `${code} ${off}`).join(', ');
  return `${amount} of ${listAmount} (${listRate}): ${taken}`;
}

function billed(
  events: readonly BillingEvent[],
  terms: readonly RedemptionTerms[],
  options: LedgerOptions & { readonly until?: string } = {},
): readonly string[] {
  const ledger = new SubscriptionLedger(options).change(discounted(events, terms));
  ledger.run(options.until ?? '2026-01-16');
  return ledger.items.map(shown);
}

describe('item discounts (coupons §4)', () => {
  it('add up to the list amount minus the charged amount, and are null without a coupon (C1)', () => {
    const terms = [{ ...spring, duration: 'ONCE' } as const];
    expect(billed([monthly('2026-01-01')], terms, { until: '2026-02-01' })).to.eql([
      '24 of 30 (30): SPRING 6',
      '30 null',
    ]);
  });

  it('are prorated with the period (C2)', () =>
    expect(billed([monthly('2026-01-16')], [{ ...spring, percentOff: '50' }])).to.eql([
      '7.74 of 15.48 (30): SPRING 7.74',
    ]));

  it('are in the order in which they apply, percentages first (C6)', () =>
    expect(billed([monthly('2026-01-01')], [amountOff('10'), { ...spring, percentOff: '50' }])).to.eql([
      '5 of 30 (30): SPRING 15, TEN 10',
    ]));

  it('never exceed the list price (C7)', () =>
    expect(billed([monthly('2026-01-01')], [amountOff('40')])).to.eql(['0 of 30 (30): TEN 30']));

  it('multiply amounts by the quantity if the coupon is per quantity (C11)', () => {
    const seats = [event('CREATE', '2026-01-01', { price: '30', quantity: 5 })];
    expect(billed(seats, [amountOff('2', { perQuantity: true })])).to.eql(['140 of 150 (150): TEN 10']);
    expect(billed(seats, [amountOff('2')])).to.eql(['148 of 150 (150): TEN 2']);
  });

  it('are rounded so that they add up exactly', () => {
    const third = (code: string) => ({ ...amountOff('3.333', { code }) });
    const terms = ['A', 'B', 'C'].map(third);
    expect(billed([monthly('2026-01-01', '10')], terms)).to.eql(['0 of 10 (10): A 3.34, B 3.33, C 3.33']);
    expect(billed([monthly('2026-01-16', '0.02')], [{ ...spring, percentOff: '1' }])).to.eql([
      '0.01 of 0.01 (0.02): SPRING 0',
    ]);
  });

  it('apply to fixed prices if the coupon covers them', () => {
    const setup = [event('CREATE', '2026-01-01', { fixed: '50', price: '30', quantity: 2 })];
    expect(billed(setup, [{ ...spring, appliesTo: 'BOTH' }])).to.eql([
      '80 of 100 (100): SPRING 20',
      '48 of 60 (60): SPRING 12',
    ]);
    expect(billed(setup, [spring])).to.eql(['100 null', '48 of 60 (60): SPRING 12']);
  });

  it('are null if the price is 0', () => {
    const free = [event('CREATE', '2026-01-01', { price: '0' })];
    expect(billed(free, [spring])).to.eql(['0 null']);
  });

  for (const [prorationFixedDays, expected] of [
    [0, '12.39 of 15.48 (30): SPRING 3.09'],
    [30, '12 of 15 (30): SPRING 3'],
  ] as const)
    it(`follow the billed part of a period with fixed proration days ${prorationFixedDays}`, () => {
      const config = { prorationFixedDays };
      const ledger = new SubscriptionLedger({ config }).change(discounted([monthly('2026-01-01')], [spring]));
      ledger.run('2026-01-01');
      const cancelled = [monthly('2026-01-01'), event('CANCEL', '2026-01-16')];
      ledger.change(discounted(cancelled, [spring]), '2026-01-16').run('2026-01-16');
      ledger.change(discounted([monthly('2026-01-01')], [spring]), '2026-01-16').run('2026-01-20');
      const [, repair, part] = ledger.items;
      expect(repair).to.deep.include({ itemType: 'REPAIR_ADJ', listRate: null, discounts: null });
      expect(part?.basis).to.deep.include({ kind: 'RECURRING', share: null });
      expect(part && shown(part)).to.equal(expected);
    });

  it('name the coupons of repaired days that are charged again', () => {
    const events = [monthly('2026-01-01')];
    const ledger = new SubscriptionLedger().change(discounted(events, []));
    ledger.run('2026-01-01');
    ledger.change(discounted(events, [spring]), '2026-01-01').run('2026-01-02');
    ledger.change(discounted(events, []), '2026-01-01').run('2026-01-03');
    const repairs = ledger.items.filter(({ itemType }) => itemType === 'REPAIR_ADJ');
    expect(repairs.map(({ basis }) => basis?.kind === 'REPAIR' && basis.coupons)).to.eql([['SPRING'], []]);
    expect(ledger.items.filter(({ itemType }) => itemType === 'RECURRING').map(shown)).to.eql([
      '30 null',
      '24 of 30 (30): SPRING 6',
      '30 null',
    ]);
  });
});
