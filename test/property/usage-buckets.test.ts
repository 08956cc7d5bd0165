import { UsageGranularity, usageBuckets } from '../../lib/usage/roll-up/usage-buckets.ts';
import {
  dayOfMonth,
  instant,
  localDateOf,
  localTimeOf,
  startOfDay,
  type TimeZone,
  timeZone,
} from '../../lib/values/time/index.ts';
import { expect, fc, forAll } from '../support/property.ts';

/** Zones with DST of an hour and of half an hour, quarter-hour offsets, and a skipped day. */
const zones = [
  'UTC',
  'America/New_York',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Pacific/Apia',
  'Africa/Casablanca',
].map(timeZone);
const HOUR = 3_600_000;
const longest = { HOUR: 400 * HOUR, DAY: 300 * 24 * HOUR, MONTH: 4_000 * 24 * HOUR } as const;

/** Returns whether a part may start at this time: a full hour or a clock change, the start of a day, or of a month. */
function isBoundary(at: number, granularity: UsageGranularity, zone: TimeZone): boolean {
  const date = localDateOf(instant(at), zone);
  const isDay = startOfDay(date, zone) === at;
  if (granularity === UsageGranularity.DAY) return isDay;
  if (granularity === UsageGranularity.MONTH) return isDay && dayOfMonth(date) === 1;
  const second = localTimeOf(instant(at), zone);
  const before = localTimeOf(instant(at - 1_000), zone);
  return second % 3_600 === 0 || (second - before + 86_400) % 86_400 !== 1;
}

describe('usage timeline buckets in random zones', () => {
  it('are contiguous between the bounds, and start at clock and calendar boundaries (usage §3.3)', () =>
    forAll(
      [
        fc.constantFrom(...zones),
        fc.constantFrom(...Object.values(UsageGranularity)),
        fc.tuple(
          fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2040, 0) }),
          fc.double({ min: 0, max: 1, noNaN: true }),
        ),
      ],
      (zone, granularity, [from, share]) => {
        const [start, end] = [instant(from), instant(from + Math.floor(share * longest[granularity]))];
        const buckets = usageBuckets({ start, end, zone, granularity });
        const bounds = [start, ...buckets.map((bucket) => bucket.end)];
        expect(bounds.at(-1)).to.equal(end);
        expect(buckets.map((bucket) => bucket.start)).to.eql(bounds.slice(0, -1));
        for (const bucket of buckets) expect(bucket.end).to.be.greaterThan(bucket.start);
        for (const at of bounds.slice(1, -1)) {
          expect(
            isBoundary(at, granularity, zone),
            `${zone} ${granularity} ${new Date(at).toISOString()}`,
          ).to.equal(true);
        }
        const dates = buckets.map((bucket) => localDateOf(bucket.start, zone));
        if (granularity !== UsageGranularity.HOUR) expect(new Set(dates).size).to.equal(dates.length);
      },
    )).timeout(0);
});
