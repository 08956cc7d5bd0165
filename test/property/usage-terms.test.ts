import { rateUsage } from '../../lib/usage/rating/rate-usage.ts';
import { readUsageTerms, termsOf, type UsageTerms } from '../../lib/usage/rating/usage-terms.ts';
import { DEFAULT_USAGE_CONFIG } from '../../lib/usage/settlement/usage-config.ts';
import { day } from '../support/invoicing/billing-events.ts';
import { expect, fc, forAll, forRuns, historyRuns, propertyRuns } from '../support/property.ts';
import { meteredPoints, meteredSections, quantities, thousandths } from '../support/usage/arbitrary-usage.ts';
import { BookedUsageLife } from '../support/usage/booked-usage-life.ts';
import { EvaluatedUsageLife } from '../support/usage/evaluated-usage-life.ts';
import {
  billedAndVoided,
  configs,
  eventsOf,
  histories,
  play,
  steps,
  zones,
} from '../support/usage/played-usage.ts';
import { type OraclePoint, pricedByMeter } from '../support/usage/pricing-oracle.ts';

/** Each history is played twice and takes longer than most. */
const runs = Math.ceil(historyRuns / 4);

/** In whole cents and thousandths, as in the oracle's arithmetic. */
const agreed = fc.record({
  free: fc.option(fc.bigInt({ min: 1n, max: 90_000n })),
  percent: fc.option(fc.bigInt({ min: 1n, max: 100n })),
  minimum: fc.option(fc.bigInt({ min: 0n, max: 8_000n })),
  aboveMinimum: fc.option(fc.bigInt({ min: 0n, max: 20_000n })),
});
type Agreed = typeof agreed extends fc.Arbitrary<infer One> ? One : never;

function entryOf({ free, percent, minimum, aboveMinimum }: Agreed, unit: string): object {
  const cents = (amount: bigint) => ({ USD: thousandths(amount * 10n).toFixed() });
  return {
    ...(free === null ? {} : { freeQuantity: { [unit]: thousandths(free).toFixed() } }),
    ...(percent === null ? {} : { percentOff: Number(percent) }),
    ...(minimum === null ? {} : { minimumAmount: cents(minimum) }),
    ...(aboveMinimum === null ? {} : { maximumAmount: cents((minimum ?? 0n) + aboveMinimum) }),
  };
}

/** Returns the points without the free amount, which is deducted in their order. */
function withoutFree(points: readonly OraclePoint[], unit: string, free: bigint): readonly OraclePoint[] {
  let left = free;
  return points.map((point) => {
    if (point.unit !== unit) return point;
    const taken = point.amount < left ? point.amount : left;
    left -= taken;
    return { ...point, amount: point.amount - taken };
  });
}

/** Returns the price in hundred-thousandths. */
function priced(amount: bigint, { percent, minimum, aboveMinimum }: Agreed): bigint {
  const reduced = amount * (100n - (percent ?? 0n));
  const most = aboveMinimum === null ? null : ((minimum ?? 0n) + aboveMinimum) * 1_000n;
  const limited = most !== null && reduced > most ? most : reduced;
  const least = (minimum ?? 0n) * 1_000n;
  return limited < least ? least : limited;
}

describe('usage terms in random histories', () => {
  it('charge usage beyond the free quantity, less the discount, within the minimum and maximum (usage §12)', () => {
    let bounded = 0;
    forAll([meteredSections('ALL_TIERS'), meteredPoints, agreed], ({ section, tiers }, points, terms) => {
      const units = new Set(tiers[0]?.map(({ unit }) => unit));
      const own = points.filter(({ unit }) => units.has(unit));
      const document = readUsageTerms(JSON.stringify({ [section.name]: entryOf(terms, 'gb') }));
      const rated = rateUsage({
        section,
        quantities: quantities(section, points),
        currency: 'USD',
        overflow: 'LAST_TIER',
        terms: termsOf(document, section.name, day('2026-04-01')),
      });
      const { amount } = pricedByMeter(tiers, withoutFree(own, 'gb', terms.free ?? 0n), true);
      const oracle = priced(amount, terms);
      expect(rated.exact.times(100_000).toFixed()).to.equal(String(oracle));
      expect(rated.amount.isNegative()).to.equal(false);
      if (oracle !== amount * 100n) bounded += 1;
    });
    expect(bounded, 'amounts that terms change').to.be.above(propertyRuns / 10);
  });

  it('bill the same from minimal reads as from all data, with facts that explain each item (usage §12)', () => {
    let items = 0;
    forRuns(
      runs,
      [fc.constantFrom(...zones), histories, fc.tuple(steps, configs, agreed, agreed)],
      (zone, first, [list, given, calls, peaks]) => {
        const config = { ...DEFAULT_USAGE_CONFIG, ...given, beyondLookBack: 'REPORT' as const };
        const events = eventsOf(first, zone);
        const evaluated = new EvaluatedUsageLife(events, { zone, config });
        const full = new BookedUsageLife(events, { zone, config });
        const terms = documentOf(calls, peaks);
        for (const life of [evaluated, full]) life.terms = terms;
        play([evaluated, full], [...list, ...billedAndVoided], {
          zone,
          bill: (target) => {
            const invoice = evaluated.bill(target);
            expect(invoice).to.eql(full.bill(target));
            expect(evaluated.bill(target).items, 'once more').to.eql([]);
            full.bill(target);
            items += invoice.items.length;
          },
          rewritten: () => {
            evaluated.from = null;
          },
        });
      },
    );
    expect(items, 'items billed').to.be.above(runs);
  }).timeout(0);

  it('charge the same regardless of how the arrivals are split (usage §12)', () =>
    forRuns(runs, [steps, configs, fc.tuple(agreed, agreed)], (list, given, [calls, peaks]) => {
      const config = { ...DEFAULT_USAGE_CONFIG, ...given, lateMode: 'DELTA' as const, lookBackPeriods: -1 };
      const zone = zones[0] ?? expect.fail('no zone');
      const events = eventsOf({ hour: 0, sections: 1, changes: [] }, zone);
      const [split, atOnce] = [
        new BookedUsageLife(events, { config }),
        new BookedUsageLife(events, { config }),
      ];
      for (const life of [split, atOnce]) life.terms = documentOf(calls, peaks);
      const played = list.filter(({ do: what }) => what !== 'REWRITE' && what !== 'VOID_INVOICE');
      play([split, atOnce], [...played, { do: 'BILL', on: 120 }], {
        zone,
        bill: (target) => {
          split.bill(target);
          if (target === '2026-06-20') atOnce.bill(target);
        },
      });
      expect(split.total().toFixed(2)).to.equal(atOnce.total().toFixed(2));
    })).timeout(0);
});

function documentOf(calls: Agreed, peaks: Agreed): UsageTerms {
  const document = { 'calls-usage': entryOf(calls, 'calls'), 'peak-usage': entryOf(peaks, 'mails') };
  return readUsageTerms(JSON.stringify(document));
}
