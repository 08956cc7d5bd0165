import { readConsumed, writeConsumed } from '../../../adapters/mikro-orm/tables/usage/consumed-text.ts';
import type { PartOfDay, PointRange } from '../../../lib/records/index.ts';
import { fc, forRuns, historyRuns } from '../../support/property.ts';
import { addDays, expect, instant, parseLocalDate } from '../../support/unit.ts';

const first = parseLocalDate('2026-04-01');

const parts: fc.Arbitrary<PartOfDay> = fc.oneof(
  fc.constant<PartOfDay>('ALL'),
  fc.constant<PartOfDay>('DAY_POINTS'),
  fc.nat(9).map((hour) => ({ from: instant(hour * 1_000), to: instant((hour + 1) * 1_000) })),
);
const ranges = fc.array(
  fc
    .record({
      unit: fc.constantFrom('sms', 'a "b" | c', 'é'),
      on: fc.nat(60),
      part: parts,
      after: fc.constantFrom(0, 0, 3),
      more: fc.integer({ min: 1, max: 2 ** 40 }),
    })
    .map(
      ({ unit, on, part, after, more }): PointRange => ({
        unit,
        localDate: addDays(first, on),
        part,
        after,
        upTo: after + more,
      }),
    ),
  { maxLength: 40 },
);

describe('stored text of consumed usage points', () => {
  it('is unchanged after a round trip (usage §1.2)', () =>
    forRuns(historyRuns, [ranges], (written) => {
      expect(readConsumed(writeConsumed(written))).to.have.deep.members([...written]);
    }));

  it('contains one number for each day of a month, and no numbers for long periods without usage', () => {
    const month = Array.from({ length: 30 }, (_, index): PointRange => {
      return { unit: 'sms', localDate: addDays(first, index), part: 'ALL', after: 0, upTo: 5 };
    });
    expect(writeConsumed(month)).to.equal(`[["sms","2026-04-01"${',5'.repeat(30)}]]`);
    const far = month.filter((_range, index) => index === 0 || index === 2 || index === 29);
    expect(writeConsumed(far)).to.equal('[["sms","2026-04-01",5,0,5],["sms","2026-04-30",5]]');
  });
});
