import type { BillingEvent } from '../../../lib/records/index.ts';
import type { DayUsage, PartOfDay, PointRange } from '../../../lib/usage/collecting/usage-ledger.ts';
import { holds, piecesNeeded } from '../../../lib/usage/collecting/usage-ledger.ts';
import { usageWindow } from '../../../lib/usage/collecting/usage-window.ts';
import type { BilledInterval } from '../../../lib/usage/settlement/billed-interval.ts';
import { day, text } from '../../support/invoicing/billing-events.ts';
import { decimal, expect, formatInstant, startOfDay, timeZone } from '../../support/unit.ts';
import { at, liveUsage, stdUsage } from '../../support/usage/sections.ts';
import { UTC_ZONE, usageEvent } from '../../support/usage/usage-catalog.ts';

const NEW_YORK = timeZone('America/New_York');
const daysOfApril = Array.from({ length: 30 }, (_, index) => `2026-04-${String(index + 1).padStart(2, '0')}`);

function dayOf(date: string, count = 1_000_000): DayUsage {
  return { unit: 'calls', localDate: day(date), sum: decimal(count), max: decimal(1), count, version: 0 };
}

/** Returns a range of ordinals: up to a number, or after and up to a number. */
function range(
  date: string,
  ordinals: number | readonly [number, number],
  part: PartOfDay = 'ALL',
): PointRange {
  const [after, upTo] = typeof ordinals === 'number' ? [0, ordinals] : ordinals;
  return { unit: 'calls', localDate: day(date), part, after, upTo };
}

function billed(
  dates: readonly [start: string, end: string],
  consumed: readonly PointRange[],
): BilledInterval {
  const [startDate, endDate] = [day(dates[0]), day(dates[1])];
  const instants = { start: startOfDay(startDate, UTC_ZONE), end: startOfDay(endDate, UTC_ZONE) };
  return { usageName: 'std-usage', instants, startDate, endDate, entries: [], consumed };
}

/** Returns the split days: date, then the times of its parts, then ordinals. */
function splits(
  events: readonly BillingEvent[],
  options: {
    readonly days?: readonly DayUsage[];
    readonly billed?: readonly BilledInterval[];
    readonly zone?: typeof UTC_ZONE;
  } = {},
): readonly string[] {
  const { days = daysOfApril.map((date) => dayOf(date)), billed: intervals = [], zone = UTC_ZONE } = options;
  const { whole, split } = piecesNeeded({ days, events, zone, billed: intervals });
  expect(whole.length + split.length).to.equal(days.length);
  return split.map(({ localDate, bounds, ordinals }) =>
    [text(localDate), ...bounds.map((bound) => formatInstant(bound).slice(5, 23)), ...ordinals].join(' '),
  );
}

const created = (when: string) => usageEvent('CREATE', when, { usages: [stdUsage] });

describe('usage reads in a run', () => {
  it('use day sums for a month that starts at midnight, regardless of the number of points (usage §11)', () =>
    expect(splits([created('2026-04-01')])).to.eql([]));

  it('split only the days that billing divides, at the exact instants (usage §11)', () => {
    const paused = [
      created('2026-04-01T06:00:00Z'),
      usageEvent('START_BILLING_DISABLED', '2026-04-10T12:00:00Z'),
      usageEvent('END_BILLING_DISABLED', '2026-04-10T18:00:00Z', { usages: [stdUsage] }),
    ];
    expect(splits(paused)).to.eql([
      '2026-04-01 04-01T00:00:00.000 04-01T06:00:00.000 04-02T00:00:00.000',
      '2026-04-10 04-10T00:00:00.000 04-10T12:00:00.000 04-10T18:00:00.000 04-11T00:00:00.000',
    ]);
  });

  it('treat the last instant of a subscription as a separate part (usage §6.4)', () =>
    expect(splits([created('2026-04-01'), usageEvent('CANCEL', '2026-04-16')])).to.eql([
      '2026-04-16 04-16T00:00:00.000 04-16T00:00:00.001 04-17T00:00:00.000',
    ]));

  it('use days in the account’s time zone (usage §7.2)', () => {
    const events = [usageEvent('CREATE', '2026-04-02T02:00:00Z', { usages: [stdUsage], zone: NEW_YORK })];
    expect(splits(events, { zone: NEW_YORK })).to.eql([
      '2026-04-01 04-01T04:00:00.000 04-02T02:00:00.000 04-02T04:00:00.000',
    ]);
  });

  it('split billed days by ordinals if points have arrived since those days were billed (usage §11.3)', () => {
    const consumed = [
      range('2026-04-01', 3),
      range('2026-04-02', 5),
      range('2026-04-03', 2),
      range('2026-04-03', [2, 6]),
    ];
    const days = [
      dayOf('2026-04-01', 3),
      dayOf('2026-04-02', 9),
      dayOf('2026-04-03', 6),
      dayOf('2026-04-04', 4),
    ];
    expect(
      splits([created('2026-04-01')], { days, billed: [billed(['2026-04-01', '2026-05-01'], consumed)] }),
    ).to.eql(['2026-04-02 5', '2026-04-03 2']);
  });

  it('omit days without valid points, so that these days are not billed (usage §7.7 rule 4)', () => {
    const days = [{ ...dayOf('2026-04-02', 3), sum: decimal(0), max: null }, dayOf('2026-04-03', 0)];
    const { whole, split } = piecesNeeded({
      days,
      events: [created('2026-04-01')],
      zone: UTC_ZONE,
      billed: [],
    });
    expect(split).to.eql([]);
    expect(whole.map(({ localDate }) => text(localDate))).to.eql(['2026-04-03']);
  });

  it('distinguish the ordinals of a void invoice from the ordinals of a later invoice (usage §11.3)', () => {
    const intervals = [billed(['2026-04-01', '2026-05-01'], [range('2026-04-03', [2, 6])])];
    expect(splits([created('2026-04-01')], { days: [dayOf('2026-04-03', 6)], billed: intervals })).to.eql([
      '2026-04-03 2',
    ]);
  });

  it('split a day if only day points of that day were billed, regardless of current cuts (usage §11.3)', () => {
    const intervals = [billed(['2026-04-01', '2026-05-01'], [range('2026-04-03', 2, 'DAY_POINTS')])];
    expect(splits([created('2026-04-01')], { days: [dayOf('2026-04-03', 2)], billed: intervals })).to.eql([
      '2026-04-03 04-03T00:00:00.000 04-04T00:00:00.000',
    ]);
  });

  it('keep a day divided if that day was divided when billed (usage §7.3 step 2)', () => {
    const noon = at('2026-04-05T12:00:00Z');
    const consumed = [range('2026-04-05', 4, { from: noon, to: at('2026-04-06T00:00:00Z') })];
    const intervals = [billed(['2026-04-05', '2026-05-01'], consumed)];
    expect(splits([created('2026-04-01')], { days: [dayOf('2026-04-05', 4)], billed: intervals })).to.eql([
      '2026-04-05 04-05T00:00:00.000 04-05T12:00:00.000 04-06T00:00:00.000',
    ]);
  });

  it('consume each piece of usage completely or not at all (usage §11.3)', () => {
    const part = (from: string, to: string) => ({
      from: at(`2026-04-05T${from}:00Z`),
      to: at(`2026-04-05T${to}:00Z`),
    });
    const own = range('2026-04-05', [2, 5], part('12:00', '18:00'));
    const cases: readonly [PointRange, boolean][] = [
      [own, true],
      [range('2026-04-05', 5), true],
      [range('2026-04-05', 4), false],
      [range('2026-04-05', [3, 9]), false],
      [range('2026-04-06', 5), false],
      [{ ...range('2026-04-05', 5), unit: 'mails' }, false],
      [range('2026-04-05', 5, 'DAY_POINTS'), false],
      [range('2026-04-05', 5, part('11:00', '18:00')), true],
      [range('2026-04-05', 5, part('13:00', '18:00')), false],
      [range('2026-04-05', 5, part('12:00', '17:00')), false],
    ];
    for (const [by, expected] of cases) expect(holds(by, own), JSON.stringify(by)).to.equal(expected);
    expect(holds(range('2026-04-05', 5, 'DAY_POINTS'), range('2026-04-05', 5, 'DAY_POINTS'))).to.equal(true);
    expect(holds(range('2026-04-05', 5, part('12:00', '18:00')), range('2026-04-05', 5))).to.equal(false);
  });
});

describe('run usage windows', () => {
  const from = (
    intervals: readonly BilledInterval[],
    lookBackPeriods = 1,
    { usages = [stdUsage], readFrom = '2026-04-01' as string | null } = {},
  ) => {
    const events = [usageEvent('CREATE', '2026-02-20', { usages })];
    const date = usageWindow({
      events,
      zone: UTC_ZONE,
      config: { lookBackPeriods },
      billed: intervals,
      from: readFrom === null ? null : day(readFrom),
    });
    return date === null ? null : text(date);
  };
  const february = (consumed: readonly PointRange[]) => billed(['2026-02-20', '2026-03-01'], consumed);
  const april = billed(['2026-04-01', '2026-05-01'], [range('2026-04-03', 1)]);

  it('start at the look-back (usage §7.1)', () => {
    expect(from([])).to.equal('2026-02-20');
    expect(from([april], -1)).to.equal('2026-02-20');
    expect(from([april], 0)).to.equal('2026-05-01');
    expect(from([february([range('2026-02-21', 1)]), april])).to.equal('2026-04-01');
    expect(from([april], 1, { usages: [] })).to.equal(null);
  });

  it('include unbilled usage before the look-back (usage §7.1 rule 3)', () => {
    expect(from([april], 1, { readFrom: null })).to.equal('2026-02-20');
    expect(from([february([]), april], 1, { readFrom: null })).to.equal('2026-03-01');
  });

  it('start at the earliest look-back of several sections (usage §7.1)', () =>
    expect(from([april], 1, { usages: [stdUsage, liveUsage] })).to.equal('2026-02-20'));

  it('include an earlier period that charged late points of a later period (usage §7.7)', () =>
    expect(from([february([range('2026-04-05', 1)]), april])).to.equal('2026-03-01'));
});
