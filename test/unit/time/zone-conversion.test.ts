import { expect } from 'chai';
import {
  addDuration,
  addMonths,
  dayOfMonth,
  daysBetween,
  formatInstant,
  formatLocalDate,
  formatLocalTime,
  type Instant,
  instant,
  instantAt,
  localDateOf,
  localTimeOf,
  parseLocalDate,
  startOfDay,
  timeZone,
} from '../../../lib/values/time/index.ts';

function at(text: string): Instant {
  return instant(Date.parse(text));
}

/** `toInstant` of subscriptions §2 rule 2 for an account with that zone and reference time, without fraction. */
function toInstant(date: string, zone: string, referenceTime: string): string {
  const reference = localTimeOf(at(referenceTime), timeZone(zone));
  return formatInstant(instantAt(parseLocalDate(date), reference, timeZone(zone))).replace('.000Z', 'Z');
}

function toDate(text: string, zone: string): string {
  return formatLocalDate(localDateOf(at(text), timeZone(zone)));
}

describe('zone conversion', () => {
  it('uses the offset of each date (subscriptions W1 "Zone rules")', () => {
    const zone = timeZone('America/Los_Angeles');
    const created = at('2017-03-02T07:30:00Z');
    const start = localDateOf(created, zone);
    const refLocalTime = localTimeOf(created, zone);
    expect([formatLocalDate(start), formatLocalTime(refLocalTime)]).to.eql(['2017-03-01', '23:30:00']);

    const phase = addDuration(start, { unit: 'DAYS', number: 30 });
    expect(formatLocalDate(phase)).to.equal('2017-03-31');
    expect(formatInstant(instantAt(phase, refLocalTime, zone))).to.equal('2017-04-01T06:30:00.000Z');
    expect(dayOfMonth(phase)).to.equal(31);
    expect(formatLocalDate(addMonths(phase, 1))).to.equal('2017-04-30');

    expect(toInstant('2017-07-10', zone, '2017-03-02T07:30:00Z')).to.equal('2017-07-11T06:30:00Z');
    expect(toDate('2017-07-11T07:15:00Z', zone)).to.equal('2017-07-11');
  });

  it('adds months to the local date (subscriptions W2)', () => {
    const zone = timeZone('America/New_York');
    const created = at('2023-03-01T03:47:56Z');
    const start = localDateOf(created, zone);
    const time = localTimeOf(created, zone);
    expect([formatLocalDate(start), formatLocalTime(time)]).to.eql(['2023-02-28', '22:47:56']);

    const phase = addDuration(start, { unit: 'MONTHS', number: 3 });
    expect(formatLocalDate(phase)).to.equal('2023-05-28');
    expect(formatInstant(instantAt(phase, time, zone))).to.equal('2023-05-29T02:47:56.000Z');
    expect(dayOfMonth(phase)).to.equal(28);
  });

  it('maps a gap to the first instant after it (subscriptions W22 a)', () => {
    const zone = 'America/New_York';
    const end = toInstant('2026-03-08', zone, '2026-01-10T07:30:00Z');
    expect(end).to.equal('2026-03-08T07:00:00Z');
    const start = toInstant('2026-03-07', zone, '2026-01-10T07:30:00Z');
    expect((Date.parse(end) - Date.parse(start)) / 3_600_000).to.equal(23.5);
    expect(
      daysBetween(localDateOf(at(start), timeZone(zone)), localDateOf(at(end), timeZone(zone))),
    ).to.equal(1);
  });

  it('maps a repeated hour to its first occurrence (subscriptions W22 b)', () =>
    expect(toInstant('2026-11-01', 'America/New_York', '2026-06-01T05:30:00Z')).to.equal(
      '2026-11-01T05:30:00Z',
    ));

  it('maps a gap that ends on a later date to the last second before it (subscriptions W22 c)', () => {
    expect(toInstant('2024-03-30', 'America/Nuuk', '2024-01-11T01:30:00Z')).to.equal('2024-03-31T00:59:59Z');
    expect(toDate('2024-03-31T00:59:59Z', 'America/Nuuk')).to.equal('2024-03-30');
    expect(toDate('2024-03-31T01:00:00Z', 'America/Nuuk')).to.equal('2024-03-31');
  });

  it('maps a missing date to the start of the next existing date (subscriptions W22 d)', () => {
    const reference = '2011-11-01T20:00:00Z';
    expect(toInstant('2011-12-30', 'Pacific/Apia', reference)).to.equal('2011-12-30T10:00:00Z');
    expect(toInstant('2011-12-31', 'Pacific/Apia', reference)).to.equal('2011-12-30T20:00:00Z');
    expect(toDate('2011-12-30T10:00:00Z', 'Pacific/Apia')).to.equal('2011-12-31');
  });

  it('uses the offset of each date (accounts E5 "Zone rules")', () => {
    expect(toDate('2025-07-01T22:30:00Z', 'Europe/Paris')).to.equal('2025-07-02');
    expect(toDate('2025-01-20T22:30:00Z', 'Europe/Paris')).to.equal('2025-01-20');
    expect(toInstant('2025-07-01', 'Europe/Paris', '2025-01-20T12:00:00Z')).to.equal('2025-07-01T11:00:00Z');
  });

  it('converts an instant to its local date (http-api 15.8 "Dates by dialect")', () =>
    expect(toDate('2024-03-05T03:30:00Z', 'America/Los_Angeles')).to.equal('2024-03-04'));

  it('maps every existing date to an instant of that date', () => {
    for (const zone of [
      'America/Nuuk',
      'America/Santiago',
      'Africa/Cairo',
      'Australia/Lord_Howe',
      'Asia/Kathmandu',
    ]) {
      const first = parseLocalDate('2023-12-31');
      for (const seconds of ['00:00:00', '00:30:00', '02:15:00', '23:30:00', '23:59:59']) {
        const time = localTimeOf(at(`2024-01-01T${seconds}Z`), timeZone('UTC'));
        for (let day = 1; day <= 366; day += 1) {
          const date = addDuration(first, { unit: 'DAYS', number: day });
          const there = localDateOf(instantAt(date, time, timeZone(zone)), timeZone(zone));
          expect(formatLocalDate(there), `${zone} ${seconds}`).to.equal(formatLocalDate(date));
        }
      }
    }
  });

  it('stays within the calendar at both ends, in every zone', () => {
    for (const [text, zone, date] of [
      ['9999-12-31T23:59:59Z', '+14:00', '9999-12-31'],
      ['9999-12-31T11:00:00Z', '-12:00', '9999-12-30'],
      ['0001-01-01T00:00:00Z', '-12:00', '0001-01-01'],
      ['0001-01-01T12:00:00Z', '+14:00', '0001-01-02'],
    ] as const)
      expect(toDate(text, zone), `${text} ${zone}`).to.equal(date);
    for (const [date, zone, text] of [
      ['9999-12-31', '-12:00', '9999-12-31T23:59:59Z'],
      ['9999-12-30', '-12:00', '9999-12-31T11:30:00Z'],
      ['9999-12-31', 'America/New_York', '9999-12-31T23:59:59Z'],
      ['0001-01-01', 'Asia/Tokyo', '0001-01-01T14:11:01Z'],
      ['0001-01-01', '+23:59', '0001-01-01T00:00:00Z'],
    ] as const) {
      const reference = zone === '+23:59' ? '2024-01-01T00:01:00Z' : '2024-01-01T23:30:00Z';
      const utc = formatInstant(
        instantAt(parseLocalDate(date), localTimeOf(at(reference), timeZone('UTC')), timeZone(zone)),
      );
      expect(utc.replace('.000Z', 'Z'), `${date} ${zone}`).to.equal(text);
    }
  });
});

describe('start of a day', () => {
  const cases: readonly (readonly [string, string, string, string])[] = [
    ['America/Santiago', '2024-09-08', '2024-09-08T04:00:00Z', '01:00:00'],
    ['Africa/Cairo', '2024-04-26', '2024-04-25T22:00:00Z', '01:00:00'],
    ['Asia/Beirut', '2024-03-31', '2024-03-30T22:00:00Z', '01:00:00'],
    ['America/Havana', '2024-03-10', '2024-03-10T05:00:00Z', '01:00:00'],
    ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00Z', '01:00:00'],
    ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00Z', '00:00:00'],
    ['Europe/Paris', '2024-03-31', '2024-03-30T23:00:00Z', '00:00:00'],
    ['America/Havana', '2024-11-03', '2024-11-03T04:00:00Z', '00:00:00'],
    ['America/St_Johns', '2010-11-07', '2010-11-07T02:30:00Z', '00:00:00'],
    ['Asia/Kathmandu', '2024-01-01', '2023-12-31T18:15:00Z', '00:00:00'],
    ['-09:30', '2024-01-01', '2024-01-01T09:30:00Z', '00:00:00'],
  ];
  for (const [zone, date, expected, localTime] of cases)
    it(`is ${expected} for ${date} in ${zone}, ${localTime} local time`, () => {
      const start = startOfDay(parseLocalDate(date), timeZone(zone));
      expect(formatInstant(start).replace('.000Z', 'Z')).to.equal(expected);
      expect(formatLocalTime(localTimeOf(start, timeZone(zone)))).to.equal(localTime);
    });
});
