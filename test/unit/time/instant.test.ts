import {
  addMilliseconds,
  formatInstant,
  formatLocalTime,
  instant,
  isInstantMs,
  localTime,
  MIDNIGHT,
  maxInstant,
  minInstant,
  truncateToSecond,
} from '../../../lib/values/time/index.ts';
import { expect, InvariantError } from '../../support/unit.ts';

describe('an instant', () => {
  it('is formatted in UTC with three decimals and Z', () => {
    expect(formatInstant(instant(0))).to.equal('1970-01-01T00:00:00.000Z');
    expect(formatInstant(instant(Date.UTC(2024, 1, 29, 23, 59, 59, 7)))).to.equal('2024-02-29T23:59:59.007Z');
    expect(formatInstant(instant(-62_135_596_800_000))).to.equal('0001-01-01T00:00:00.000Z');
    expect(formatInstant(instant(253_402_300_799_999))).to.equal('9999-12-31T23:59:59.999Z');
  });

  it('must be a whole number of milliseconds within the supported years', () => {
    for (const ms of [0.5, Number.NaN, Number.POSITIVE_INFINITY, -62_135_596_800_001, 253_402_300_800_000]) {
      expect(() => instant(ms), String(ms)).to.throw(InvariantError);
      expect(isInstantMs(ms)).to.equal(false);
    }
  });

  it('can be truncated to the whole second, even before 1970', () => {
    expect(truncateToSecond(instant(1_999))).to.equal(1_000);
    expect(truncateToSecond(instant(-1))).to.equal(-1_000);
    expect(truncateToSecond(instant(5_000))).to.equal(5_000);
  });

  it('supports comparison and the addition of elapsed time', () => {
    const [early, late] = [instant(1_000), instant(2_000)];
    expect(addMilliseconds(early, 1_000)).to.equal(late);
    expect(addMilliseconds(late, -1_000)).to.equal(early);
    expect(maxInstant(early, late, early)).to.equal(late);
    expect(minInstant(late, early)).to.equal(early);
  });
});

describe('an instant in a time zone', () => {
  it('has a local time in whole seconds', () => {
    expect(formatLocalTime(MIDNIGHT)).to.equal('00:00:00');
    expect(formatLocalTime(localTime(86_399))).to.equal('23:59:59');
    expect(formatLocalTime(localTime(7 * 3_600 + 8 * 60 + 9))).to.equal('07:08:09');
    for (const second of [-1, 86_400, 1.5]) expect(() => localTime(second)).to.throw(InvariantError);
  });
});
