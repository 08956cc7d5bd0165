import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import {
  dateOfParts,
  formatInstant,
  formatLocalDate,
  instantOfParts,
  isWireDateTime,
  parseLocalDate,
  parseWireDate,
  parseWireDateTime,
  parseWireInstant,
  parseWireMoment,
} from '../../../lib/values/time/index.ts';

function read(text: string): string | undefined {
  const at = parseWireDateTime(text);
  return at === undefined ? undefined : formatInstant(at);
}

describe('a date or date-time sent over HTTP', () => {
  it('is read in each accepted spelling (http-api 15.9 "Date input")', () => {
    expect(parseWireDate('2024-3-4')).to.equal(parseLocalDate('2024-03-04'));
    expect(parseWireDate('2013-08-1')).to.equal(parseLocalDate('2013-08-01'));
    expect(parseWireDate('2024-02-30')).to.equal(undefined);
    expect(parseWireDate('04/03/2024')).to.equal(undefined);
  });

  for (const text of [
    '',
    '2024',
    '2024-03',
    '24-03-04',
    '2024-003-04',
    '2024-03-04 ',
    '2024-03-04T00:00',
    '0000-01-01',
  ])
    it(`cannot be "${text}"`, () => expect(parseWireDate(text)).to.equal(undefined));
});

describe('a date-time sent over HTTP', () => {
  it('is read in three spellings of the same instant, and with a plus sign that arrives as a space (http-api 15.9 "Date input")', () => {
    for (const text of ['2024-03-04T19:30:00-08:00', '2024-03-04T19:30:00-0800', '2024-03-05T03:30'])
      expect(read(text), text).to.equal('2024-03-05T03:30:00.000Z');
    expect(read('2024-03-04T19:30:00 02:00')).to.equal('2024-03-04T17:30:00.000Z');
  });

  const accepted: readonly (readonly [string, string])[] = [
    ['2024-03-04T19', '2024-03-04T19:00:00.000Z'],
    ['2024-03-04T19Z', '2024-03-04T19:00:00.000Z'],
    ['2024-3-4T19:30Z', '2024-03-04T19:30:00.000Z'],
    ['2024-03-04T19:30:15.5', '2024-03-04T19:30:15.500Z'],
    ['2024-03-04T19:30:15.123999999Z', '2024-03-04T19:30:15.123Z'],
    ['2024-03-04T19:30-08', '2024-03-05T03:30:00.000Z'],
    ['2024-03-04T19:30:00+0545', '2024-03-04T13:45:00.000Z'],
    ['2024-03-04T19:30:00 02', '2024-03-04T17:30:00.000Z'],
    ['2024-03-04T19:30:00-08:00[America/Los_Angeles]', '2024-03-05T03:30:00.000Z'],
    ['2024-03-04T19:30[Europe/Paris]', '2024-03-04T19:30:00.000Z'],
    ['2024-12-31T23:59:59.999-23:59', '2025-01-01T23:58:59.999Z'],
    ['0001-01-01T00:00Z', '0001-01-01T00:00:00.000Z'],
    ['0099-06-01T12:00+01:00', '0099-06-01T11:00:00.000Z'],
  ];
  for (const [text, expected] of accepted)
    it(`is ${expected} for "${text}"`, () => expect(read(text)).to.equal(expected));

  const refused = [
    '2024-03-04',
    '2024-03-04T',
    '2024-03-04 19:30',
    '2024-03-04t19:30',
    '2024-03-04T24:00',
    '2024-03-04T19:60',
    '2024-03-04T19:30:60',
    '2024-03-04T9:30',
    '2024-03-04T19:30:15.',
    '2024-03-04T19.5',
    '2024-02-30T00:00',
    '2024-03-04T19:30+24:00',
    '2024-03-04T19:30+08:60',
    '2024-03-04T19:30+8',
    '2024-03-04T19:30ZZ',
    '2024-03-04T19:30Europe/Paris',
    '0001-01-01T00:00+01:00',
    '9999-12-31T23:59-01:00',
    `2024-03-04T19:30:15.${'1'.repeat(200)}`,
  ];
  for (const text of refused)
    it(`cannot be "${text.slice(0, 40)}"`, () => expect(read(text)).to.equal(undefined));

  it('is recognized as a date-time by its T', () => {
    expect(isWireDateTime('2024-03-04T19')).to.equal(true);
    expect(isWireDateTime('2024-03-04')).to.equal(false);
  });
});

describe('a parameter that takes a date or a date-time', () => {
  it('reports whether it is a date or a date-time', () => {
    expect(parseWireMoment('2024-3-4')).to.eql({ kind: 'DATE', date: parseLocalDate('2024-03-04') });
    expect(parseWireMoment('2024-03-04T19:30Z')).to.eql({
      kind: 'DATE_TIME',
      at: Date.UTC(2024, 2, 4, 19, 30),
    });
    expect(parseWireMoment('2024-13-04')).to.equal(undefined);
    expect(parseWireMoment('Tomorrow')).to.equal(undefined);
  });

  it('may be epoch milliseconds, or a date read as 00:00 UTC, if an instant is expected', () => {
    expect(parseWireInstant(1_709_609_400_000)).to.equal(1_709_609_400_000);
    expect(parseWireInstant('2024-03-05T03:30')).to.equal(1_709_609_400_000);
    expect(parseWireInstant('2024-3-5')).to.equal(Date.UTC(2024, 2, 5));
    for (const value of [1.5, Number.NaN, 1e18, '', 'x']) expect(parseWireInstant(value)).to.equal(undefined);
  });
});

describe('a wire text with an explicit offset', () => {
  const lib = fileURLToPath(new URL('../../../lib', import.meta.url));

  it('is parsed by date-fns-tz only in the wire reader, with toDate', () => {
    const imports = readdirSync(lib, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .flatMap((path) => {
        const lines = readFileSync(join(lib, path), 'utf8').split('\n');
        return lines.filter((line) => /^import\b.*'date-fns/.test(line)).map((line) => `${path}: ${line}`);
      });
    expect(imports).to.eql([
      `${join('values', 'time', 'wire.ts')}: import { toDate } from 'date-fns-tz/toDate';`,
    ]);
  });

  it('is parsed correctly for every date', () => {
    for (let year = 1; year < 10_000; year += 37) {
      const text = `${String(year).padStart(4, '0')}-02-28T23:30:00.000Z`;
      expect(formatLocalDate(parseLocalDate(text.slice(0, 10)))).to.equal(text.slice(0, 10));
      expect(read(text.replace('Z', '+00:00'))).to.equal(text);
    }
  });
});

describe('a numeric date or date-time from typed clients', () => {
  const instantText = (parts: readonly number[]) => {
    const at = instantOfParts(parts);
    return at === undefined ? undefined : formatInstant(at);
  };

  it('is read as a date from numbers for year, month and day', () => {
    expect(dateOfParts([2012, 9, 25])).to.equal(parseLocalDate('2012-09-25'));
    expect(dateOfParts([2024, 2, 29])).to.equal(parseLocalDate('2024-02-29'));
  });

  it('is read as a UTC instant from seven numbers or a date', () => {
    expect(instantText([2012, 9, 25, 7, 30, 15, 250])).to.equal('2012-09-25T07:30:15.250Z');
    expect(instantText([2012, 9, 25, 23, 59, 59, 999])).to.equal('2012-09-25T23:59:59.999Z');
    expect(instantText([2012, 9, 25])).to.equal('2012-09-25T00:00:00.000Z');
  });

  for (const parts of [
    [],
    [2012],
    [2012, 9],
    [2023, 2, 29],
    [2012, 13, 1],
    [0, 1, 1],
    [2012.5, 9, 25],
    [2012, 9, 25.5],
    [2012, 9, 25, 7],
    [2012, 9, 25, 7, 30],
    [2012, 9, 25, 24, 0, 0, 0],
    [2012, 9, 25, 0, 60, 0, 0],
    [2012, 9, 25, 0, 0, 60, 0],
    [2012, 9, 25, 0, 0, 0, 1000],
    [2012, 9, 25, 0, 0, 0, -1],
    [2012, 9, 25, 0, 0, 0.5, 0],
    [2012, 9, 25, 0, 0, 0, 0, 0],
    [Number.NaN, 1, 1],
  ])
    it(`cannot be [${parts.join()}]`, () => {
      expect(instantOfParts(parts)).to.equal(undefined);
      expect(dateOfParts(parts)).to.equal(undefined);
    });
});
