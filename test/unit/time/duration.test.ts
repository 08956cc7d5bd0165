import {
  addDuration,
  type Duration,
  durationEnd,
  formatInstant,
  formatLocalDate,
  instant,
  instantAt,
  isTimeUnit,
  localDateOf,
  localTimeOf,
  parseLocalDate,
  UNLIMITED_DURATION,
  UTC,
} from '../../../lib/values/time/index.ts';
import { BillingError, expect } from '../../support/unit.ts';

describe('a date plus a duration', () => {
  const cases: readonly (readonly [string, Duration, string])[] = [
    ['2024-01-01', { unit: 'DAYS', number: 30 }, '2024-01-31'],
    ['2024-01-31', { unit: 'MONTHS', number: 1 }, '2024-02-29'],
    ['2023-01-31', { unit: 'MONTHS', number: 1 }, '2023-02-28'],
    ['2024-01-31', { unit: 'MONTHS', number: 2 }, '2024-03-31'],
    ['2024-02-29', { unit: 'YEARS', number: 1 }, '2025-02-28'],
    ['2024-02-29', { unit: 'YEARS', number: 4 }, '2028-02-29'],
    ['2024-12-30', { unit: 'WEEKS', number: 2 }, '2025-01-13'],
  ];
  for (const [start, duration, expected] of cases)
    it(`is ${expected} for ${start} plus ${duration.number} ${duration.unit}`, () =>
      expect(formatLocalDate(addDuration(parseLocalDate(start), duration))).to.equal(expected));

  it('is rejected for UNLIMITED with code 2014', () =>
    expect(() => addDuration(parseLocalDate('2024-01-01'), UNLIMITED_DURATION))
      .to.throw(BillingError, 'UNLIMITED')
      .with.property('code', 2014));

  it('is absent if the duration is UNLIMITED or beyond the calendar', () => {
    const start = parseLocalDate('8999-12-31');
    const endOf = (duration: Duration) => {
      const end = durationEnd(start, duration);
      return end === undefined ? null : formatLocalDate(end);
    };
    expect(endOf({ unit: 'YEARS', number: 999 })).to.equal('9998-12-31');
    expect(endOf({ unit: 'YEARS', number: 1_000 })).to.equal(null);
    expect(endOf({ unit: 'MONTHS', number: 11_988 })).to.equal('9998-12-31');
    expect(endOf({ unit: 'MONTHS', number: 12_000 })).to.equal(null);
    expect(endOf({ unit: 'WEEKS', number: 52_000 })).to.equal('9996-08-06');
    expect(endOf({ unit: 'WEEKS', number: 60_000 })).to.equal(null);
    expect(endOf({ unit: 'DAYS', number: 1 })).to.equal('9000-01-01');
    expect(endOf({ unit: 'DAYS', number: 365_000 })).to.equal(null);
    expect(endOf(UNLIMITED_DURATION)).to.equal(null);
  });

  it('is rejected for an inexact unit name', () => {
    expect(isTimeUnit('WEEKS')).to.equal(true);
    expect(isTimeUnit('weeks')).to.equal(false);
    expect(isTimeUnit('constructor')).to.equal(false);
  });
});

describe('phase chain', () => {
  const start = instant(Date.parse('2024-01-01T08:00:00Z'));
  const trial: Duration = { unit: 'DAYS', number: 30 };
  const discount: Duration = { unit: 'MONTHS', number: 1 };

  it('starts each phase at the end of the previous phase (catalog W13 "Phase chain")', () =>
    expect(chain([trial, discount])).to.eql(['2024-01-01T08:00', '2024-01-31T08:00', '2024-02-29T08:00']));

  it('can start with a later phase (catalog W13 "Phase chain")', () =>
    expect(chain([discount])).to.eql(['2024-01-01T08:00', '2024-02-01T08:00']));

  function chain(durations: readonly Duration[]): readonly string[] {
    let date = localDateOf(start, UTC);
    const time = localTimeOf(start, UTC);
    const starts = [date];
    for (const duration of durations) {
      date = addDuration(date, duration);
      starts.push(date);
    }
    return starts.map((day) => formatInstant(instantAt(day, time, UTC)).slice(0, 16));
  }
});
