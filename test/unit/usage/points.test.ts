import { sha256 } from '../../../adapters/node/index.ts';
import { readRecordDate } from '../../../lib/usage/recording/read-submission.ts';
import { endedFault } from '../../../lib/usage/recording/recording-faults.ts';
import { canonicalText, usagePoints } from '../../../lib/usage/recording/usage-points.ts';
import { formatInstant, formatLocalDate, instant, timeZone } from '../../../lib/values/time/index.ts';
import { decimal, expect, type Uuid } from '../../support/unit.ts';

const id = '0190163d-8694-739b-aea5-966c26f8ad91' as Uuid;

function recordOf(recordDate: string, amount = '1', unit = 'sms') {
  const read = readRecordDate(recordDate);
  if (read === undefined) throw new Error(recordDate);
  return { unit, recordDate: read, amount: decimal(amount) };
}

function pointsOf(zone: string, ...records: readonly ReturnType<typeof recordOf>[]) {
  return usagePoints(records, timeZone(zone));
}

describe('points of a usage submission', () => {
  it('can be dated with a Date, which is read as an instant', () => {
    const at = Date.UTC(2026, 3, 1, 8);
    expect(readRecordDate(new Date(at))).to.eql({ at: instant(at) });
    expect(readRecordDate(new Date(Number.NaN))).to.equal(undefined);
  });

  for (const [zone, recordDate, shown] of [
    ['UTC', '2026-04-01', '2026-04-01T00:00:00.000Z 2026-04-01 day'],
    ['UTC', '2026-04-01T00:00:00Z', '2026-04-01T00:00:00.000Z 2026-04-01'],
    ['America/New_York', '2026-04-01', '2026-04-01T04:00:00.000Z 2026-04-01 day'],
    ['America/New_York', '2026-03-01', '2026-03-01T05:00:00.000Z 2026-03-01 day'],
    ['America/New_York', '2026-04-01T04:30:00Z', '2026-04-01T04:30:00.000Z 2026-04-01'],
    ['America/New_York', '2026-04-01T03:59:59.999Z', '2026-04-01T03:59:59.999Z 2026-03-31'],
    ['America/New_York', '2026-03-08', '2026-03-08T05:00:00.000Z 2026-03-08 day'],
    ['America/New_York', '2026-03-09', '2026-03-09T04:00:00.000Z 2026-03-09 day'],
    ['America/New_York', '2026-11-01T05:30:00Z', '2026-11-01T05:30:00.000Z 2026-11-01'],
    ['America/New_York', '2026-11-01T06:30:00Z', '2026-11-01T06:30:00.000Z 2026-11-01'],
    // Midnight does not exist on this day.
    ['America/Santiago', '2026-09-06', '2026-09-06T04:00:00.000Z 2026-09-06 day'],
    // The whole day does not exist, because Samoa crossed the date line.
    ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00.000Z 2011-12-31 day'],
    ['+05:30', '2026-04-01', '2026-03-31T18:30:00.000Z 2026-04-01 day'],
    ['Asia/Tokyo', '2026-03-31T15:00:00Z', '2026-03-31T15:00:00.000Z 2026-04-01'],
  ] as const)
    it(`include ${shown} for the record date ${recordDate} in ${zone} (usage §2.3)`, () => {
      const [point] = pointsOf(zone, recordOf(recordDate));
      if (point === undefined) throw new Error('no point');
      const day = point.isDateOnly ? ' day' : '';
      expect(`${formatInstant(point.instant)} ${formatLocalDate(point.localDate)}${day}`).to.equal(shown);
    });

  it('count as after the service end only if they follow its exact instant (usage §2.1 rule 1)', () => {
    const points = pointsOf('UTC', recordOf('2026-05-01'), recordOf('2026-05-16T00:00:00Z'));
    const end = Date.parse('2026-05-16T00:00:00Z');
    const isRefused = (at: number | null) =>
      endedFault('00000000-0000-0000-0000-000000000001' as Uuid, {
        points,
        end: at === null ? null : instant(at),
      }) !== null;
    expect(isRefused(end)).to.equal(false);
    expect(isRefused(end - 1)).to.equal(true);
    expect(isRefused(null)).to.equal(false);
  });

  describe('compared points (usage §1.2)', () => {
    const first = recordOf('2026-04-01', '5');
    const second = recordOf('2026-04-02', '7', 'calls');

    it('are equal in any order and notation', () => {
      const one = canonicalText(id, pointsOf('UTC', first, second));
      expect(canonicalText(id, pointsOf('UTC', second, recordOf('2026-4-1', '5.00')))).to.equal(one);
      expect(one).to.equal(
        `["${id}",["calls",1775088000000,false,"7"],["sms",1775001600000,false,"5"]]`.replaceAll(
          'false',
          'true',
        ),
      );
    });

    it('are unequal if the subscription, unit, instant, type of date, amount or number of points differs', () => {
      const other = '0190163d-8694-739b-aea5-966c26f8ad92' as Uuid;
      const texts = [
        canonicalText(id, pointsOf('UTC', first)),
        canonicalText(other, pointsOf('UTC', first)),
        canonicalText(id, pointsOf('UTC', recordOf('2026-04-01', '5', 'calls'))),
        canonicalText(id, pointsOf('UTC', recordOf('2026-04-02', '5'))),
        canonicalText(id, pointsOf('UTC', recordOf('2026-04-01T00:00:00Z', '5'))),
        canonicalText(id, pointsOf('UTC', recordOf('2026-04-01', '6'))),
        canonicalText(id, pointsOf('UTC', first, first)),
        // A unit name that contains separators must not match two names.
        canonicalText(id, pointsOf('UTC', recordOf('2026-04-01', '5', 'sms",1'))),
      ];
      expect(new Set(texts).size).to.equal(texts.length);
    });

    it('keep a stable stored fingerprint', () => {
      const points = pointsOf(
        'UTC',
        recordOf('2026-04-02T00:00:00Z', '7.50', 'Anrufe für €'),
        recordOf('2026-04-01', '5'),
      );
      const fingerprint = '2f3e0ae48928a38d2ae709820f2fbcf16e029902a29a77f9a47c9dbd777843c4';
      expect(sha256(canonicalText(id, points))).to.equal(fingerprint);
    });
  });
});
