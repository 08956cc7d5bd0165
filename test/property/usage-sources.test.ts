import { DEFAULT_USAGE_CONFIG } from '../../lib/usage/settlement/usage-config.ts';
import { expect, fc, forRuns, historyRuns } from '../support/property.ts';
import { EvaluatedUsageLife } from '../support/usage/evaluated-usage-life.ts';
import {
  billedAndVoided,
  configs,
  eventsOf,
  histories,
  play,
  type Step,
  steps,
  zones,
} from '../support/usage/played-usage.ts';
import { SuppliedUsageLife } from '../support/usage/supplied-usage-life.ts';

/** Each history is played twice and takes longer than most. */
const runs = Math.ceil(historyRuns / 4);

/**
 * Keeps steps that sources can represent: instants, and a history that is not rewritten, because only points show what
 * was billed of an earlier one.
 */
function asSourcesTell(list: readonly Step[]): readonly Step[] {
  return list
    .filter(({ do: what }) => what !== 'REWRITE')
    .map((step) =>
      step.do === 'RECORD' ? { ...step, moment: { ...step.moment, hour: step.moment.hour ?? 12 } } : step,
    );
}

describe('usage from a source', () => {
  it('is billed like recorded usage, whether as records or as sums (usage §9 rule 8)', () => {
    let items = 0;
    let credits = 0;
    forRuns(
      runs,
      [fc.constantFrom(...zones), histories, fc.tuple(steps, configs, fc.boolean())],
      (zone, first, [list, given, isAggregated]) => {
        const config = { ...DEFAULT_USAGE_CONFIG, ...given, lateMode: 'DELTA' as const };
        const options = {
          zone,
          config: {
            ...config,
            beyondLookBack: 'REPORT' as const,
            negativeDeltaOfSources: 'CREDIT' as const,
          },
        };
        const recorded = new EvaluatedUsageLife(eventsOf(first, zone), options);
        const supplied = new SuppliedUsageLife(eventsOf(first, zone), options);
        supplied.isAggregated = isAggregated;
        play([recorded, supplied], [...asSourcesTell(list), ...billedAndVoided], {
          zone,
          bill: (target) => {
            const invoice = supplied.bill(target);
            expect(invoice).to.eql(recorded.bill(target));
            expect(supplied.bill(target).items, 'once more').to.eql([]);
            recorded.bill(target);
            items += invoice.items.length;
            credits += invoice.items.filter((item) => item.credits !== undefined).length;
          },
        });
      },
    );
    expect(items, 'items billed').to.be.above(runs);
    expect(credits, 'credits').to.be.above(runs / 50);
  }).timeout(0);

  it('is dropped or billed with the next period if it is late, like recorded usage (usage §7.7)', () => {
    forRuns(
      runs,
      [
        fc.constantFrom(...zones),
        histories,
        fc.tuple(steps, configs, fc.constantFrom('IGNORE' as const, 'NEXT_PERIOD' as const)),
      ],
      (zone, first, [list, given, lateMode]) => {
        const config = { ...DEFAULT_USAGE_CONFIG, ...given, lateMode, beyondLookBack: 'REPORT' as const };
        // For a peak, a source cannot report which record was late, nor for a sum which record was voided.
        const events = eventsOf(
          { ...first, sections: 0, changes: first.changes.map((one) => ({ ...one, sections: 0 })) },
          zone,
        );
        const recorded = new EvaluatedUsageLife(events, { zone, config });
        const supplied = new SuppliedUsageLife(events, { zone, config });
        const played = asSourcesTell(list).filter(({ do: what }) => what !== 'VOID_POINTS');
        play([recorded, supplied], [...played, { do: 'BILL', on: 120 }], {
          zone,
          bill: (target) => expect(supplied.bill(target)).to.eql(recorded.bill(target)),
        });
      },
    );
  }).timeout(0);
});
