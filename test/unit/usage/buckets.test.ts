import type { UsageGranularity } from '../../../lib/usage/roll-up/usage-buckets.ts';
import { hoursOfDays, usageBuckets } from '../../../lib/usage/roll-up/usage-buckets.ts';
import { expect, formatLocalDate, timeZone } from '../../support/unit.ts';
import { at } from '../../support/usage/sections.ts';

const short = (ms: number) => new Date(ms).toISOString().replace(/:00\.000Z$/, 'Z');

/** Each bucket as `start/end`, in UTC. */
function buckets(granularity: UsageGranularity, zone: string, bounds: string): readonly string[] {
  const [start = '', end = ''] = bounds.split('/');
  const found = usageBuckets({ start: at(start), end: at(end), zone: timeZone(zone), granularity });
  return found.map((bucket) => `${short(bucket.start)}/${short(bucket.end)}`);
}

describe('usage timeline buckets', () => {
  it('can be local days, with the first and last day cut at the bounds (usage §3.3)', () =>
    expect(buckets('DAY', 'America/New_York', '2026-03-07T12:00:00Z/2026-03-09T12:00:00Z')).to.eql([
      '2026-03-07T12:00Z/2026-03-08T05:00Z',
      '2026-03-08T05:00Z/2026-03-09T04:00Z',
      '2026-03-09T04:00Z/2026-03-09T12:00Z',
    ]));

  it('can be local months (usage §3.3)', () =>
    expect(buckets('MONTH', 'Asia/Tokyo', '2026-01-15T00:00:00Z/2026-03-10T00:00:00Z')).to.eql([
      '2026-01-15T00:00Z/2026-01-31T15:00Z',
      '2026-01-31T15:00Z/2026-02-28T15:00Z',
      '2026-02-28T15:00Z/2026-03-10T00:00Z',
    ]));

  it('can be hours of the local clock, even in zones where they differ from UTC hours (usage §3.3)', () =>
    expect(buckets('HOUR', 'Asia/Kolkata', '2026-03-01T10:10:00Z/2026-03-01T11:40:00Z')).to.eql([
      '2026-03-01T10:10Z/2026-03-01T10:30Z',
      '2026-03-01T10:30Z/2026-03-01T11:30Z',
      '2026-03-01T11:30Z/2026-03-01T11:40Z',
    ]));

  it('split a repeated hour in two, and shorten an hour cut by a half-hour change (usage §3.3)', () => {
    expect(buckets('HOUR', 'America/New_York', '2026-11-01T05:00:00Z/2026-11-01T08:00:00Z')).to.eql([
      '2026-11-01T05:00Z/2026-11-01T06:00Z',
      '2026-11-01T06:00Z/2026-11-01T07:00Z',
      '2026-11-01T07:00Z/2026-11-01T08:00Z',
    ]);
    // From 2:00 (+11:00) back to 1:30 (+10:30).
    expect(buckets('HOUR', 'Australia/Lord_Howe', '2026-04-04T14:00:00Z/2026-04-04T16:30:00Z')).to.eql([
      '2026-04-04T14:00Z/2026-04-04T15:00Z',
      '2026-04-04T15:00Z/2026-04-04T15:30Z',
      '2026-04-04T15:30Z/2026-04-04T16:30Z',
    ]);
    // From 0:01 back to 23:01 of the previous day, which continues for another hour.
    expect(buckets('HOUR', 'America/St_Johns', '2005-10-30T02:00:00Z/2005-10-30T04:30:00Z')).to.eql([
      '2005-10-30T02:00Z/2005-10-30T02:30Z',
      '2005-10-30T02:30Z/2005-10-30T02:31Z',
      '2005-10-30T02:31Z/2005-10-30T03:30Z',
      '2005-10-30T03:30Z/2005-10-30T04:30Z',
    ]);
  });

  it('are empty between equal bounds, and extend to the end of the calendar (usage §3.3)', () => {
    for (const granularity of ['HOUR', 'DAY', 'MONTH'] as const) {
      expect(buckets(granularity, 'UTC', '2026-03-01T10:10:00Z/2026-03-01T10:10:00Z')).to.eql([]);
      for (const zone of ['UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
        const [last] = buckets(granularity, zone, '9999-12-31T23:30:00Z/9999-12-31T23:59:59.999Z');
        expect(last).to.equal('9999-12-31T23:30Z/9999-12-31T23:59:59.999Z');
      }
    }
  });

  it('are limited to 10,000 per request (usage §3.3)', () => {
    expect(buckets('HOUR', 'UTC', '2026-01-01T00:00:00Z/2027-02-21T16:00:00Z')).to.have.length(10_000);
    expect(() => buckets('HOUR', 'UTC', '2026-01-01T00:00:00Z/2027-02-21T16:00:01Z')).to.throw(
      'more than 10000 buckets by HOUR',
    );
  });

  it('are read together for all hours of a day, except after a cut hour (usage §11)', () => {
    const zone = timeZone('Australia/Lord_Howe');
    const [start, end] = [at('2026-04-04T12:10:00Z'), at('2026-04-04T16:30:00Z')];
    const stretches = hoursOfDays(usageBuckets({ start, end, zone, granularity: 'HOUR' }), zone);
    expect(
      stretches.map(
        ({ day, first, ...own }) => `${formatLocalDate(day)} ${first} ${short(own.start)}/${short(own.end)}`,
      ),
    ).to.eql([
      '2026-04-04 0 2026-04-04T12:10Z/2026-04-04T13:00Z',
      '2026-04-05 1 2026-04-04T13:00Z/2026-04-04T15:30Z',
      '2026-04-05 4 2026-04-04T15:30Z/2026-04-04T16:30Z',
    ]);
  });
});
