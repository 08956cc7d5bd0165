import { withDiscounts } from '../../lib/coupons/index.ts';
import type { NewInvoiceItem } from '../../lib/invoicing/invoices/new-item.ts';
import type { BillingEvent, Redemption } from '../../lib/records/index.ts';
import { redemption } from '../support/coupons.ts';
import { SubscriptionLedger } from '../support/invoicing/subscription-ledger.ts';
import {
  eventsOf,
  type Fact,
  firstDifference,
  type History,
  histories,
} from '../support/lives/invoicing-history.ts';
import { fc, forRuns, historyRuns } from '../support/property.ts';
import { addDays, expect, formatLocalDate, parseLocalDate, sum } from '../support/unit.ts';

const coupons = fc.array(
  fc.record({
    percentOff: fc.constantFrom('12.5', '33.33', '100', null),
    amount: fc.constantFrom('0.01', '3.33', '1000'),
    appliesTo: fc.constantFrom('RECURRING', 'BOTH'),
    perQuantity: fc.boolean(),
    duration: fc.oneof(
      fc.constant('FOREVER' as const),
      fc.record({ periods: fc.integer({ min: 1, max: 4 }) }),
      fc.record({ months: fc.integer({ min: 1, max: 4 }) }),
    ),
    day: fc.integer({ min: 0, max: 60 }),
  }),
  { minLength: 1, maxLength: 3 },
);
type Coupon = (typeof coupons extends fc.Arbitrary<infer C> ? C : never)[number];

function redeemed({ percentOff, amount, day, ...terms }: Coupon, { start, currency }: History): Redemption {
  const amountOff = percentOff === null ? { [currency]: amount } : null;
  const date = formatLocalDate(addDays(parseLocalDate(start), day));
  return redemption({ ...terms, percentOff, amountOff, redeemed: date });
}

/** Bills a history with coupons. The ledger compares each run with the full history and with the stored data. */
function billed(history: History, redemptions: readonly Redemption[]): readonly NewInvoiceItem[] {
  const { currency, fixedDays, plans, start } = history;
  const ledger = new SubscriptionLedger({
    currency,
    config: { prorationFixedDays: fixedDays },
    periodOfPhase: (planName) => plans.find(({ name }) => name === planName)?.period ?? null,
  });
  const eventsWith = (facts: readonly Fact[]): readonly BillingEvent[] =>
    withDiscounts(eventsOf(history, facts), redemptions, currency);
  let facts: readonly Fact[] = [];
  let today = parseLocalDate(start);
  ledger.change(eventsWith(facts)).run(today);
  for (const step of history.steps) {
    if (step.do === 'ADD') facts = [...facts, step.fact];
    if (step.do === 'REMOVE' && facts.length > 0)
      facts = facts.filter((_, place) => place !== step.index % facts.length);
    const events = eventsWith(facts);
    const from = firstDifference(ledger.events, events);
    if (from !== null) ledger.change(events, from);
    today = addDays(today, 17);
    ledger.run(today);
  }
  return ledger.items;
}

describe('discounts of random histories', () => {
  it('equal the difference between the charged amount of an item and its amount without coupons (coupons §4)', () => {
    let compared = 0;
    forRuns(historyRuns, [histories, coupons], (history, terms) => {
      const items = billed(
        history,
        terms.map((each) => redeemed(each, history)),
      );
      const keyOf = ({ itemType, planName, phaseName, startDate, endDate, quantity }: NewInvoiceItem) =>
        [itemType, planName, phaseName, startDate, endDate, quantity].join(' ');
      const listed = Map.groupBy(billed(history, []), keyOf);
      for (const item of items) {
        const { itemType, amount, rate, discounts, listRate } = item;
        expect(discounts === null).to.equal(listRate === null);
        if (discounts === null) continue;
        expect(itemType).to.be.oneOf(['RECURRING', 'FIXED']);
        expect(rate === null || rate.lessThan(listRate ?? 0)).to.equal(true);
        for (const each of discounts) expect(each.amount.isNegative()).to.equal(false);
        const listAmount = amount.plus(sum(discounts.map((each) => each.amount))).toFixed();
        const alike = (listed.get(keyOf(item)) ?? []).map((each) => each.amount.toFixed());
        if (alike.length === 0) continue;
        compared += 1;
        expect(alike).to.include(listAmount);
      }
    });
    expect(compared).to.be.greaterThan(historyRuns);
  }).timeout(0);
});
