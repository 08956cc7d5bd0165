import type { BillingEvent } from '../../lib/records/index.ts';
import { addDays, type BillingPeriod, type LocalDate, parseLocalDate } from '../../lib/values/time/index.ts';
import { event } from '../support/invoicing/billing-events.ts';
import { SubscriptionLedger } from '../support/invoicing/subscription-ledger.ts';
import { decimal, expect, fc, forRuns, propertyRuns, sum } from '../support/property.ts';

interface Seats {
  readonly day: number;
  readonly quantity: number;
}

interface Subscribed {
  readonly start: LocalDate;
  readonly bcd: number;
  readonly period: BillingPeriod;
  readonly mode: BillingEvent['billingMode'];
  readonly price: string;
  readonly fixedDays: number;
  readonly seats: readonly Seats[];
}

/** Returns whether a run happens on the day. Every subscription also runs on the last day. */
type Schedule = (day: number) => boolean;

const start = fc.integer({ min: 0, max: 1_500 }).map((days) => addDays(parseLocalDate('2023-01-01'), days));

/** Returns changes of seats to different quantities, all within `most` days. */
function seatsWithin(most: number): fc.Arbitrary<readonly Seats[]> {
  return fc
    .uniqueArray(
      fc.record({ day: fc.integer({ min: 1, max: most }), quantity: fc.integer({ min: 1, max: 6 }) }),
      { selector: ({ day }) => day, minLength: 1, maxLength: 5 },
    )
    .map((all) => {
      let before = 1;
      return all
        .toSorted((one, other) => one.day - other.day)
        .filter(({ quantity }) => {
          const isOther = quantity !== before;
          before = quantity;
          return isOther;
        });
    });
}

const byMonth = {
  start,
  bcd: fc.integer({ min: 1, max: 31 }),
  mode: fc.constantFrom<BillingEvent['billingMode']>('IN_ADVANCE', 'IN_ARREAR'),
  fixedDays: fc.constantFrom(0, 0, 30),
};

/**
 * A price whose daily share is a whole number of cents in months of 28, 29, 30 and 31 days, so that nothing is rounded.
 */
const evenPrice = fc.integer({ min: 1, max: 20 }).map((n) => decimal('3775.80').times(n).toFixed(2));

const evenMonths: fc.Arbitrary<Subscribed> = fc.record({
  ...byMonth,
  period: fc.constant<BillingPeriod>('MONTHLY'),
  price: evenPrice,
  seats: seatsWithin(70),
});

const anyPeriods: fc.Arbitrary<Subscribed> = fc.record({
  ...byMonth,
  period: fc.constantFrom<BillingPeriod>('MONTHLY', 'QUARTERLY', 'ANNUAL', 'WEEKLY', 'THIRTY_DAYS'),
  price: fc.integer({ min: 1, max: 90_000 }).map((cents) => (cents / 100).toFixed(2)),
  seats: seatsWithin(150),
});

function eventsOf({ start, bcd, period, mode, price, seats }: Subscribed, upTo: number): BillingEvent[] {
  const terms = { price, bcd, period, mode };
  const changes = seats.filter(({ day }) => day <= upTo);
  return [
    event('CREATE', start, terms),
    ...changes.map(({ day, quantity }) => ({
      ...event('QUANTITY_CHANGE', addDays(start, day), { ...terms, quantity }),
      cycleStart: start,
    })),
  ];
}

/** Bills the subscription on the schedule's days. Each change becomes known on its own day. */
function billed(subscribed: Subscribed, runsOn: Schedule) {
  const { start, seats, fixedDays } = subscribed;
  const last = (seats.at(-1)?.day ?? 0) + 40;
  const ledger = new SubscriptionLedger({ config: { prorationFixedDays: fixedDays } });
  for (let day = 0; day <= last; day += 1) {
    const date = addDays(start, day);
    if (day === 0) ledger.change(eventsOf(subscribed, 0));
    else if (seats.some((change) => change.day === day)) ledger.change(eventsOf(subscribed, day), date);
    if (day === last || runsOn(day)) ledger.runIfDue(date);
  }
  return { total: sum(ledger.items.map(({ amount }) => amount)), items: ledger.items.length };
}

const days = fc.uniqueArray(fc.nat(190), { maxLength: 60 }).map((all) => new Set(all));

describe('cost of changing seat counts', () => {
  it('is the same for a month whether runs are daily, occasional or only at the end of the month (invoicing §5.4 rule 5)', () =>
    forRuns(Math.ceil(propertyRuns / 4), [evenMonths, days], (subscribed, some) => {
      const daily = billed(subscribed, () => true).total.toFixed();
      expect(billed(subscribed, () => false).total.toFixed(), 'at the end').to.equal(daily);
      expect(billed(subscribed, (day) => some.has(day)).total.toFixed(), 'on some days').to.equal(daily);
    })).timeout(0);

  it('differs in any period only by rounding of at most two cents per change (invoicing §5.4 rule 5)', () =>
    forRuns(Math.ceil(propertyRuns / 4), [anyPeriods, days], (subscribed, some) => {
      const daily = billed(subscribed, () => true);
      for (const other of [billed(subscribed, () => false), billed(subscribed, (day) => some.has(day))]) {
        const difference = daily.total.minus(other.total).abs();
        const most = decimal('0.01').times(2 * subscribed.seats.length);
        expect(difference.lessThanOrEqualTo(most), `${daily.total} or ${other.total}`).to.equal(true);
      }
    })).timeout(0);
});
