import { expect, isLongRun } from '../support/property.ts';
import { dateOf, ofEveryHistory, play } from '../support/usage/played-usage.ts';
import { UnbilledUsageLife } from '../support/usage/scanned-usage-life.ts';

const FAR = 400;

/** Late usage is too old in the end. */
const agedOf = (line: string): string => line.replace(/(LATE|COVERED)$/, 'BEYOND_LOOKBACK');

describe('uninvoiced usage', () => {
  it('is reported as not yet due if future runs bill it, and with another reason otherwise (usage §3.3)', () => {
    const met = new Map<string, number>();
    ofEveryHistory(({ zone, events, list, config: given }) => {
      const config = { ...given, beyondLookBack: 'REPORT' as const };
      const life = new UnbilledUsageLife(events, { zone, config });
      let today = dateOf(0);
      play([life], list, {
        zone,
        bill: (target) => {
          today = target;
          life.bill(target);
        },
      });
      const before = life.unbilled(today).filter((line) => !line.endsWith('OVERFLOW'));
      for (const line of before) {
        const reason = line.split(' ').at(-1) ?? '';
        met.set(reason, (met.get(reason) ?? 0) + 1);
      }
      const { items } = life.bill(dateOf(FAR));
      const after = life.unbilled(dateOf(FAR)).filter((line) => !line.endsWith('OVERFLOW'));
      const isDue = (line: string): boolean => line.endsWith('NOT_YET_DUE');
      // Late points that change no amount stay late until there is an invoice (usage §7.7 rule 1).
      const left = items.length === 0 ? before : before.filter((line) => !isDue(line));
      expect(after.map(agedOf)).to.eql(left.map(agedOf));
    });
    // COVERED is rare, so only the long run includes it.
    for (const reason of [
      'NOT_YET_DUE',
      'UNKNOWN_UNIT',
      'BLOCKED',
      'AFTER_END',
      'BEFORE_START',
      'BEYOND_LOOKBACK',
      'LATE',
      ...(isLongRun ? ['COVERED'] : []),
    ])
      expect(met.get(reason) ?? 0, reason).to.be.greaterThan(0);
  }).timeout(0);
});
