import type { BillingEvent } from '../../../lib/records/index.ts';
import { lookBackStart } from '../../../lib/usage/intervals/look-back.ts';
import {
  billedTimes,
  countsAt,
  isWithin,
  knownUnits,
  nextUsageDate,
  periodShare,
  usageIntervals,
  usageRuns,
} from '../../../lib/usage/intervals/usage-intervals.ts';
import { type BillingPeriod, formatInstant, startOfDay, timeZone } from '../../../lib/values/time/index.ts';
import { day, text } from '../../support/invoicing/billing-events.ts';
import { BillingError, expect } from '../../support/unit.ts';
import { at, consumable, liveUsage, plusUsage, stdUsage, trialUsage } from '../../support/usage/sections.ts';
import { UTC_ZONE, usageEvent } from '../../support/usage/usage-catalog.ts';

const NEW_YORK = timeZone('America/New_York');

interface Options {
  readonly zone?: typeof UTC_ZONE;
  readonly lookBack?: string;
}

function intervalsOf(events: readonly BillingEvent[], target: string, options: Options = {}) {
  const { zone = UTC_ZONE, lookBack } = options;
  const [first] = events;
  if (first === undefined) return [];
  const from =
    lookBack === undefined ? { at: first.effectiveDate, date: first.localDate } : dated(lookBack, zone);
  return usageRuns(events, day(target)).flatMap((run) =>
    usageIntervals(run, { targetDate: day(target), lookBack: from, zone }).map((interval) => ({
      run,
      interval,
    })),
  );
}

function dated(date: string, zone = UTC_ZONE) {
  return { at: startOfDay(day(date), zone), date: day(date) };
}

/** Returns the usage name and the dates of its intervals; `!` if the last instant is included. */
function intervalLines(
  events: readonly BillingEvent[],
  target: string,
  options: Options = {},
): readonly string[] {
  return intervalsOf(events, target, options).map(
    ({ run, interval: { start, end, includesEnd } }) =>
      `${run.section.name} ${text(start.date)} ${text(end.date)}${includesEnd ? '!' : ''}`,
  );
}

function boundaries(
  events: readonly BillingEvent[],
  target: string,
  options: Options = {},
): readonly string[] {
  const found = intervalsOf(events, target, options).map(({ interval }) => interval);
  return [
    ...found.slice(0, 1).map(({ start }) => text(start.date)),
    ...found.map(({ end }) => text(end.date)),
  ];
}

function section(period: BillingPeriod) {
  return consumable('own', [[['calls', '1', '-1', '1']]], { period });
}

const created = (when: string, usages = [stdUsage], bcd = 1) => usageEvent('CREATE', when, { usages, bcd });

describe('usage intervals and cycle dates', () => {
  const cases: readonly [period: BillingPeriod, bcd: number, start: string, target: string, string][] = [
    ['MONTHLY', 31, '2026-01-31', '2026-04-30', '2026-01-31 2026-02-28 2026-03-31 2026-04-30'],
    ['QUARTERLY', 15, '2026-01-20', '2026-07-15', '2026-01-20 2026-04-15 2026-07-15'],
    ['MONTHLY', 1, '2026-04-10', '2026-06-01', '2026-04-10 2026-05-01 2026-06-01'],
    ['MONTHLY', 1, '2026-04-10', '2026-05-31', '2026-04-10 2026-05-01'],
    ['MONTHLY', 15, '2026-03-20', '2026-04-14', ''],
    ['ANNUAL', 29, '2024-02-29', '2026-03-01', '2024-02-29 2025-02-28 2026-02-28'],
    ['WEEKLY', 15, '2026-03-20', '2026-04-09', '2026-03-20 2026-03-27 2026-04-03'],
    ['THIRTY_DAYS', 15, '2026-03-20', '2026-05-20', '2026-03-20 2026-04-19 2026-05-19'],
    ['DAILY', 15, '2026-03-20', '2026-03-22', '2026-03-20 2026-03-21 2026-03-22'],
  ];
  for (const [period, bcd, start, target, expected] of cases)
    it(`are ${expected || 'empty so far'} for ${period} on day ${bcd} from ${start} to ${target} (usage E17)`, () =>
      expect(boundaries([created(start, [section(period)], bcd)], target).join(' ')).to.equal(expected));

  it('follow a new bill cycle day (usage §6.2 rule 5)', () => {
    const days = (period: BillingPeriod) => [
      created('2026-01-20', [section(period)], 15),
      usageEvent('BCD_CHANGE', '2026-05-03', { usages: [section(period)], bcd: 10 }),
    ];
    expect(boundaries(days('MONTHLY'), '2026-06-30').slice(-4)).to.eql([
      '2026-03-15',
      '2026-04-15',
      '2026-05-10',
      '2026-06-10',
    ]);
    expect(boundaries(days('QUARTERLY'), '2026-12-31')).to.eql([
      '2026-01-20',
      '2026-04-15',
      '2026-05-10',
      '2026-08-10',
      '2026-11-10',
    ]);
  });

  it('count weeks from the start of the run, regardless of changes (usage §6.2 rule 3)', () => {
    const events = [
      created('2026-01-01', [section('WEEKLY')]),
      usageEvent('BCD_CHANGE', '2026-01-05', { usages: [section('WEEKLY')], bcd: 5 }),
    ];
    expect(boundaries(events, '2026-01-16')).to.eql(['2026-01-01', '2026-01-08', '2026-01-15']);
  });

  it('keep the quarters after a change with the same bill cycle day (usage §6.2 rule 5)', () => {
    const events = [
      created('2026-01-20', [section('QUARTERLY')], 15),
      usageEvent('QUANTITY_CHANGE', '2026-05-01', { usages: [section('QUARTERLY')], bcd: 15, quantity: 3 }),
    ];
    expect(boundaries(events, '2026-10-15')).to.eql(['2026-01-20', '2026-04-15', '2026-07-15', '2026-10-15']);
  });

  it('continue with the first cycle date after the target (usage §7.9 rule 3)', () => {
    const next = (events: readonly BillingEvent[], target: string) =>
      usageRuns(events, day(target)).map((run) => {
        const date = nextUsageDate(run, day(target));
        return date === null ? null : text(date);
      });
    const open = [created('2026-03-20', [stdUsage], 15)];
    expect(next(open, '2026-03-20')).to.eql(['2026-04-15']);
    expect(next(open, '2026-04-15')).to.eql(['2026-05-15']);
    expect(next([...open, usageEvent('CANCEL', '2026-04-20')], '2026-04-20')).to.eql([null]);
    expect(next([...open, usageEvent('CANCEL', '2026-04-20')], '2026-04-19')).to.eql(['2026-05-15']);
  });
});

describe('usage intervals', () => {
  const cases: Readonly<
    Record<string, readonly [events: readonly BillingEvent[], target: string, expected: string[]]>
  > = {
    'end with the phase of their section (usage E8)': [
      [created('2026-04-01', [trialUsage]), usageEvent('PHASE', '2026-04-15', { usages: [liveUsage] })],
      '2026-05-01',
      ['trial-usage 2026-04-01 2026-04-15', 'live-usage 2026-04-15 2026-05-01'],
    ],
    'restart when a plan changes on the day it began (usage E10)': [
      [created('2026-01-01'), usageEvent('CHANGE', '2026-01-01T02:00:00Z', { usages: [plusUsage] })],
      '2026-02-01',
      ['std-usage 2026-01-01 2026-01-01', 'plus-usage 2026-01-01 2026-02-01'],
    ],
    'stop while billing is blocked (usage E13)': [
      [
        created('2026-08-01'),
        usageEvent('START_BILLING_DISABLED', '2026-09-01'),
        usageEvent('END_BILLING_DISABLED', '2026-09-05', { usages: [stdUsage], bcd: 5 }),
      ],
      '2026-10-05',
      ['std-usage 2026-08-01 2026-09-01', 'std-usage 2026-09-05 2026-10-05'],
    ],
    'ignore a block and unblock at the same instant (usage §6.1)': [
      [
        created('2026-08-01'),
        usageEvent('START_BILLING_DISABLED', '2026-08-10'),
        usageEvent('END_BILLING_DISABLED', '2026-08-10', { usages: [stdUsage] }),
      ],
      '2026-09-01',
      ['std-usage 2026-08-01 2026-09-01'],
    ],
    'include the exact instant of a cancellation in the last interval (usage E12)': [
      [created('2026-05-01'), usageEvent('CANCEL', '2026-05-16')],
      '2026-06-01',
      ['std-usage 2026-05-01 2026-05-16!'],
    ],
    'include only the last instant before a cancellation (usage §6.4)': [
      [created('2026-04-01'), usageEvent('CANCEL', '2026-05-16')],
      '2026-06-01',
      ['std-usage 2026-04-01 2026-05-01', 'std-usage 2026-05-01 2026-05-16!'],
    ],
    'contain one instant if the subscription is canceled at its start (usage §6.3 rule 3)': [
      [created('2026-05-01'), usageEvent('CANCEL', '2026-05-01')],
      '2026-06-01',
      ['std-usage 2026-05-01 2026-05-01!'],
    ],
    'are absent for a section left at its start (usage §6.3 rule 3)': [
      [created('2026-05-01'), usageEvent('CHANGE', '2026-05-01', { usages: [plusUsage] })],
      '2026-06-01',
      ['plus-usage 2026-05-01 2026-06-01'],
    ],
    'get no extra interval from a cancellation on a cycle date (usage §6.3 rule 3)': [
      [created('2026-05-01'), usageEvent('CANCEL', '2026-06-01')],
      '2026-07-01',
      ['std-usage 2026-05-01 2026-06-01!'],
    ],
    'have no boundary at a change to the same plan and version (usage §6.1)': [
      [created('2026-05-01'), usageEvent('CHANGE', '2026-05-10', { usages: [stdUsage] })],
      '2026-06-01',
      ['std-usage 2026-05-01 2026-06-01'],
    ],
    'close and reopen at a new override price (usage §4.1 rule 5)': [
      [
        created('2026-05-01'),
        usageEvent('CHANGE', '2026-05-10', { usages: [{ ...stdUsage, priceIdentity: 'other' }] }),
      ],
      '2026-06-01',
      ['std-usage 2026-05-01 2026-05-10', 'std-usage 2026-05-10 2026-06-01'],
    ],
    'are separate for each section of a phase (usage §4 rule 4)': [
      [created('2026-05-01', [stdUsage, section('WEEKLY')])],
      '2026-06-01',
      [
        ...[
          '2026-05-01 2026-05-08',
          '2026-05-08 2026-05-15',
          '2026-05-15 2026-05-22',
          '2026-05-22 2026-05-29',
        ].map((dates) => `own ${dates}`),
        'std-usage 2026-05-01 2026-06-01',
      ],
    ],
    'ignore events after the target date (usage §6)': [
      [created('2026-05-01'), usageEvent('CANCEL', '2026-05-16')],
      '2026-05-15',
      [],
    ],
  };
  for (const [title, [events, target, expected]] of Object.entries(cases))
    it(title, () => expect(intervalLines(events, target)).to.eql(expected));

  it('do not cut the cycle day at an event on that day (usage §6.3 rule 2)', () => {
    const events = [
      usageEvent('CREATE', '2026-04-01T06:00:00Z', { usages: [stdUsage] }),
      usageEvent('BCD_CHANGE', '2026-05-01T10:00:00Z', { usages: [stdUsage], bcd: 2 }),
    ];
    expect(
      intervalsOf(events, '2026-05-02').map(({ interval }) => formatInstant(interval.end.at).slice(0, 16)),
    ).to.eql(['2026-05-01T00:00', '2026-05-02T00:00']);
  });

  const days: Readonly<
    Record<string, readonly [start: string, on: string, bcd: [number, number], ends: string[]]>
  > = {
    'split at the instant of an event that sets its own day as bill cycle day': [
      '2026-04-01',
      '2026-05-10T10:00',
      [1, 10],
      ['2026-05-01T00:00', '2026-05-10T10:00', '2026-06-10T00:00'],
    ],
    'are not split on the first day of a period by an event that sets its own day': [
      '2026-01-30',
      '2026-02-28T10:00',
      [30, 28],
      ['2026-02-28T00:00', '2026-03-28T00:00'],
    ],
    'are not split on the start day by an event that sets its own day': [
      '2026-04-01T06:00:00Z',
      '2026-04-01T10:00',
      [15, 1],
      ['2026-05-01T00:00'],
    ],
  };
  for (const [title, [start, on, [before, after], expected]] of Object.entries(days))
    it(`${title} (usage §6.3 rule 2)`, () => {
      const events = [
        created(start, [stdUsage], before),
        usageEvent('BCD_CHANGE', `${on}:00Z`, { usages: [stdUsage], bcd: after }),
      ];
      const ends = intervalsOf(events, '2026-06-10').map(({ interval }) =>
        formatInstant(interval.end.at).slice(0, 16),
      );
      expect(ends.slice(0, expected.length)).to.eql(expected);
    });

  it('drop boundaries before the look-back (usage §6.3 rule 2)', () => {
    expect(intervalLines([created('2024-05-01')], '2026-05-01', { lookBack: '2026-03-01' })).to.eql([
      'std-usage 2026-03-01 2026-04-01',
      'std-usage 2026-04-01 2026-05-01',
    ]);
    expect(intervalLines([created('2024-05-01')], '2026-05-01', { lookBack: '2026-03-02' })).to.eql([
      'std-usage 2026-04-01 2026-05-01',
    ]);
  });

  it('are rejected, with a suggested fix, if a run must catch up on too many periods (usage §6.3)', () => {
    const events = [created('1990-01-01', [section('DAILY')])];
    expect(intervalsOf(events, '2017-05-17')).to.have.length(9_998);
    expect(() => intervalsOf(events, '2017-06-17'))
      .to.throw(BillingError, 'choose an earlier target date')
      .with.property('code', 4005);
  });

  it('use days in the time zone as boundaries, with the offset of each date (usage E14)', () => {
    const events = [usageEvent('CREATE', '2026-02-01T17:00:00Z', { usages: [stdUsage], zone: NEW_YORK })];
    const found = intervalsOf(events, '2026-05-01', { zone: NEW_YORK }).map(({ interval }) => interval);
    expect(found.map(({ start }) => formatInstant(start.at))).to.eql([
      '2026-02-01T17:00:00.000Z',
      '2026-03-01T05:00:00.000Z',
      '2026-04-01T04:00:00.000Z',
    ]);
    const [, march, april] = found;
    expect(march && isWithin(march, at('2026-04-01T04:30:00Z'))).to.equal(false);
    expect(april && isWithin(april, at('2026-04-01T04:30:00Z'))).to.equal(true);
  });
});

describe('points in usage intervals', () => {
  const events = [
    usageEvent('CREATE', '2026-04-01T06:00:00Z', { usages: [stdUsage] }),
    usageEvent('START_BILLING_DISABLED', '2026-04-10T12:00:00Z'),
    usageEvent('END_BILLING_DISABLED', '2026-04-20T15:00:00Z', { usages: [stdUsage] }),
    usageEvent('CANCEL', '2026-04-25T09:00:00Z'),
  ];
  const cases: readonly [title: string, when: string, expected: string][] = [
    ['on the start day', '2026-04-01', '2026-04-01T06:00'],
    ['during billing', '2026-04-05', '2026-04-05T00:00'],
    ['on the day of a pause', '2026-04-10', '2026-04-10T00:00'],
    ['during a pause', '2026-04-15', '2026-04-15T00:00'],
    ['on the day a pause ends', '2026-04-20', '2026-04-20T15:00'],
    ['on the day before billing starts', '2026-03-31', '2026-03-31T00:00'],
    ['after the end', '2026-04-26', '2026-04-26T00:00'],
  ];
  for (const [title, when, expected] of cases)
    it(`count at ${expected} for a date ${title} (usage §2.3 rule 3)`, () => {
      const point = { recordInstant: dated(when).at, localDate: day(when), dateOnly: true };
      expect(formatInstant(countsAt(point, billedTimes(events))).slice(0, 16)).to.equal(expected);
    });

  it('count at their instant if they have one (usage §2.3 rule 4)', () => {
    const point = {
      recordInstant: at('2026-04-01T00:00:00Z'),
      localDate: day('2026-04-01'),
      dateOnly: false,
    };
    expect(countsAt(point, billedTimes(events))).to.equal(point.recordInstant);
  });
});

describe('usage look-backs', () => {
  const begin = dated('2026-01-10');
  const from = (billed: string | null, periods: number, billingPeriod: BillingPeriod = 'MONTHLY') =>
    text(
      lookBackStart({
        billedThrough: billed === null ? null : day(billed),
        billingPeriod,
        periods,
        begin,
        zone: UTC_ZONE,
      }).date,
    );
  const cases: readonly [string | null, number, string, BillingPeriod?][] = [
    [null, 2, '2026-01-10'],
    ['2026-07-01', 2, '2026-05-01'],
    ['2026-07-01', 0, '2026-07-01'],
    ['2026-07-01', -1, '2026-01-10'],
    ['2026-02-01', 2, '2026-01-10'],
    ['2026-07-01', 2_147_483_647, '2026-01-10'],
    ['2026-07-01', 3, '2026-06-10', 'WEEKLY'],
    ['2026-07-01', 1, '2026-04-01', 'QUARTERLY'],
  ];
  for (const [billed, periods, expected, period] of cases)
    it(`are ${expected} for ${periods} ${period ?? 'MONTHLY'} periods, billed through ${billed} (usage §7.1)`, () =>
      expect(from(billed, periods, period)).to.equal(expected));
});

describe('units of usage intervals', () => {
  it('include the units of the events in force at their start or within them (usage §7.8)', () => {
    const gb = consumable('gb-usage', [[['gb', '1', '-1', '1']]]);
    const sms = consumable('sms-usage', [[['sms', '1', '-1', '1']]]);
    const events = [
      created('2026-04-01', [stdUsage]),
      usageEvent('CHANGE', '2026-05-10', { usages: [gb] }),
      usageEvent('CHANGE', '2026-06-01', { usages: [sms] }),
    ];
    const units = (start: string, end: string) =>
      [...knownUnits(events, { start: dated(start), end: dated(end), includesEnd: false })].sort();
    expect(units('2026-04-01', '2026-05-01')).to.eql(['calls']);
    expect(units('2026-05-01', '2026-06-01')).to.eql(['calls', 'gb']);
    expect(units('2026-05-10', '2026-06-01')).to.eql(['gb']);
    expect(units('2026-06-01', '2026-07-01')).to.eql(['sms']);
  });

  it('include the initial units of a subscription that is canceled at its start (usage §7.8)', () => {
    const events = [created('2026-04-01', [stdUsage]), usageEvent('CANCEL', '2026-04-01')];
    const [only] = intervalsOf(events, '2026-04-01');
    expect(only && [...knownUnits(events, only.interval)]).to.eql(['calls']);
  });
});

describe('shares of a period covered by an interval (usage §12.1 rule 10)', () => {
  const std = { usages: [stdUsage] };
  const quarterly = { usages: [{ ...stdUsage, billingPeriod: 'QUARTERLY' as const }] };
  const weekly = { usages: [{ ...stdUsage, billingPeriod: 'WEEKLY' as const }] };
  const cases: Readonly<
    Record<string, readonly [events: readonly BillingEvent[], shares: readonly string[]]>
  > = {
    'a start on a cycle date': [[usageEvent('CREATE', '2026-04-01', std)], ['whole', 'whole']],
    'a late start': [[usageEvent('CREATE', '2026-04-20', std)], ['11/30', 'whole']],
    'an end': [
      [usageEvent('CREATE', '2026-04-01', std), usageEvent('CANCEL', '2026-05-16')],
      ['whole', '15/31'],
    ],
    'a start and an end within a period': [
      [usageEvent('CREATE', '2026-04-05', std), usageEvent('CANCEL', '2026-04-15')],
      ['10/30'],
    ],
    'an end within a day': [
      [usageEvent('CREATE', '2026-04-05T01:00:00Z', std), usageEvent('CANCEL', '2026-04-05T09:00:00Z')],
      ['0/30'],
    ],
    'a bill cycle day that shortens a period': [
      [usageEvent('CREATE', '2026-04-01', std), usageEvent('BCD_CHANGE', '2026-04-05', { ...std, bcd: 15 })],
      ['14/30', 'whole'],
    ],
    'a bill cycle day that lengthens a period': [
      [usageEvent('CREATE', '2026-04-01', std), usageEvent('BCD_CHANGE', '2026-04-30', { ...std, bcd: 15 })],
      ['44/30'],
    ],
    'a quarter': [[usageEvent('CREATE', '2026-02-20', quarterly)], ['70/89']],
    weeks: [[usageEvent('CREATE', '2026-05-12', weekly)], ['whole', 'whole']],
  };
  for (const [title, [events, shares]] of Object.entries(cases))
    it(`are ${shares.join(', ')} after ${title}`, () => {
      const [first] = events;
      if (first === undefined) throw new Error('no event');
      const lookBack = { at: first.effectiveDate, date: first.localDate };
      const found = usageRuns(events, day('2026-06-01')).flatMap((run) =>
        usageIntervals(run, { targetDate: day('2026-06-01'), lookBack, zone: UTC_ZONE }).map((interval) => {
          const share = periodShare(run, interval);
          return share === null ? 'whole' : `${share.days}/${share.totalDays}`;
        }),
      );
      expect(found.slice(0, shares.length)).to.eql(shares);
    });
});
