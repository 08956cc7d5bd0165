import { usageStretches } from '../../../lib/usage/roll-up/usage-buckets.ts';
import { expect, formatLocalDate, parseWireInstant, timeZone } from '../../support/unit.ts';

function stretchOf(from: string, to: string, zone: string): string {
  const [start, end] = [parseWireInstant(from), parseWireInstant(to)];
  if (start === undefined || end === undefined) throw new Error(`${from} ${to}`);
  const [stretch] = usageStretches([{ start, end }], timeZone(zone));
  if (stretch === undefined) throw new Error('no stretch');
  const { wholeDays, cutDays } = stretch;
  const whole =
    wholeDays === null ? 'none' : `${formatLocalDate(wholeDays.first)}..${formatLocalDate(wholeDays.last)}`;
  return [whole, ...cutDays.map(formatLocalDate)].join(' ');
}

describe('usage stretches', () => {
  for (const [zone, from, to, days, why] of [
    ['UTC', '2026-04-01', '2026-05-01', '2026-04-01..2026-04-30', 'whole days only'],
    ['UTC', '2026-04-01', '2026-04-02', '2026-04-01..2026-04-01', 'one day'],
    [
      'UTC',
      '2026-04-01T06:00:00Z',
      '2026-04-03T07:00:00Z',
      '2026-04-02..2026-04-02 2026-04-01 2026-04-03',
      'cut at both ends',
    ],
    ['UTC', '2026-04-01T06:00:00Z', '2026-04-01T07:00:00Z', 'none 2026-04-01', 'part of one day'],
    ['UTC', '2026-04-01T06:00:00Z', '2026-04-02', 'none 2026-04-01', 'the rest of a day'],
    ['UTC', '2026-04-01', '2026-04-01', 'none', 'nothing'],
    [
      'America/New_York',
      '2026-04-01T04:00:00Z',
      '2026-05-01T04:00:00Z',
      '2026-04-01..2026-04-30',
      'days of the zone',
    ],
    [
      'America/New_York',
      '2026-04-01',
      '2026-04-03',
      '2026-04-01..2026-04-01 2026-03-31 2026-04-02',
      'days of UTC',
    ],
    [
      'America/New_York',
      '2026-03-08T05:00:00Z',
      '2026-03-12T04:00:00Z',
      '2026-03-10..2026-03-11 2026-03-07 2026-03-08 2026-03-09',
      'a start close to a clock change',
    ],
    [
      // 00:01 to 23:01 of the previous day, which continues after the next one has begun.
      'America/St_Johns',
      '2005-10-30T02:30:30Z',
      '2005-11-03T03:30:00Z',
      '2005-11-01..2005-11-02 2005-10-29 2005-10-30 2005-10-31',
      'a day that continues after the next one has begun',
    ],
    [
      'UTC',
      '0001-01-01',
      '9999-12-31T23:59:59.999Z',
      '0001-01-03..9999-12-29 0001-01-01 0001-01-02 9999-12-30 9999-12-31',
      'all time',
    ],
  ] as const)
    it(`are ${days} from ${from} to ${to} in ${zone} (${why})`, () =>
      expect(stretchOf(from, to, zone)).to.equal(days));
});
