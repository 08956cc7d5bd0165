import {
  formatLocalDate,
  formatLocalTime,
  instant,
  isTimeZone,
  localDateOf,
  localTimeOf,
  timeZone,
  UTC,
} from '../../../lib/values/time/index.ts';
import { MAX_CACHED_ZONES } from '../../../lib/values/time/time-zone.ts';
import { BillingError, expect } from '../../support/unit.ts';

const accepted = [
  'UTC',
  'Europe/Paris',
  'Pacific/Samoa',
  'US/Pacific',
  'Etc/GMT+5',
  'GMT',
  '+05:45',
  '-00:30',
  '+14:00',
];
const refused = [
  '',
  'Paris',
  'Europe/Nowhere',
  '+5:45',
  '+0545',
  '+05',
  '+24:00',
  '-05:60',
  '05:00',
  'Z',
  'UTC+1',
  ' UTC',
];

describe('a time zone', () => {
  for (const name of accepted)
    it(`may be ${name}, and keeps the given spelling`, () => {
      expect(isTimeZone(name)).to.equal(true);
      expect(timeZone(name)).to.equal(name);
    });

  for (const name of refused)
    it(`cannot be "${name}"`, () => {
      expect(isTimeZone(name)).to.equal(false);
      expect(() => timeZone(name))
        .to.throw(BillingError, 'IANA')
        .with.property('code', 60002);
    });

  it('cannot have a long or invalid name, which the error quotes only in part', () => {
    for (const name of ['x'.repeat(100_000), 'Europe/Paris\n', 'Europe\\Paris', 'Europé/Paris']) {
      expect(isTimeZone(name)).to.equal(false);
      expect(() => timeZone(name))
        .to.throw(BillingError)
        .with.property('message')
        .that.has.length.below(200);
    }
  });

  it('may be any zone known to the runtime', () => {
    for (const name of Intl.supportedValuesOf('timeZone')) expect(isTimeZone(name), name).to.equal(true);
    expect(Intl.supportedValuesOf('timeZone').length).to.be.below(MAX_CACHED_ZONES);
  });

  it('stays correct with more spellings than the cache holds', () => {
    const at = instant(Date.UTC(2024, 6, 1, 22, 30));
    const spellings = new Set<string>();
    for (let bits = 0; spellings.size < MAX_CACHED_ZONES + 50; bits += 1)
      spellings.add(withCase('Europe/Paris', bits));
    for (const name of spellings)
      expect(formatLocalDate(localDateOf(at, timeZone(name)))).to.equal('2024-07-02');
    expect(formatLocalDate(localDateOf(at, timeZone('America/New_York')))).to.equal('2024-07-01');
  });

  it('has no rules if it is a fixed offset', () => {
    const at = instant(Date.UTC(2024, 0, 1, 0, 0));
    expect(formatLocalTime(localTimeOf(at, timeZone('+05:45')))).to.equal('05:45:00');
    expect(formatLocalTime(localTimeOf(at, timeZone('-09:30')))).to.equal('14:30:00');
    expect(formatLocalDate(localDateOf(at, timeZone('-09:30')))).to.equal('2023-12-31');
    expect(formatLocalDate(localDateOf(at, UTC))).to.equal('2024-01-01');
  });
});

/**
 * Changes the case of the letters whose bit is set, to get spellings of one zone that the cache treats as different.
 */
function withCase(text: string, bits: number): string {
  return [...text]
    .map((letter, index) => ((bits >> index) & 1 ? letter.toUpperCase() : letter.toLowerCase()))
    .join('');
}
