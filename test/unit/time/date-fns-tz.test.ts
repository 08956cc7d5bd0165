import { expect } from 'chai';
import { formatInTimeZone, fromZonedTime, getTimezoneOffset } from 'date-fns-tz';
import {
  formatInstant,
  formatLocalDate,
  formatLocalTime,
  instant,
  instantAt,
  localDateOf,
  localTime,
  localTimeOf,
  parseLocalDate,
  parseWireDateTime,
  startOfDay,
  timeZone,
} from '../../../lib/values/time/index.ts';
import { offsetMsAt } from '../../../lib/values/time/time-zone.ts';

const hour = 3_600_000;

/** Returns the result of `read` in a process whose own zone is `host`. */
function onHost<T>(host: string, read: () => T): T {
  const { TZ: before } = process.env;
  process.env.TZ = host;
  try {
    return read();
  } finally {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
}

/**
 * Each function of date-fns-tz that Billwright avoids, and its replacement. If a later version fixes a function, its
 * part of a test fails, and the replacement can be removed.
 */
describe('date-fns-tz zone functions', () => {
  const newYork = timeZone('America/New_York');

  it('return the later offset too early, for an hour shortly before a transition (getTimezoneOffset)', () => {
    // 02:00 becomes 03:00 at 07:00 UTC.
    const before = Date.UTC(2024, 2, 10, 7) - 3 * hour;
    expect(offsetMsAt(before, newYork)).to.equal(-5 * hour);
    expect(getTimezoneOffset(newYork, new Date(before))).to.equal(-4 * hour);
  });

  it('skip an hour of the host’s own zone (formatInTimeZone)', () => {
    const at = instant(Date.UTC(2024, 2, 30, 20, 30));
    const kolkata = timeZone('Asia/Kolkata');
    const [ours, theirs] = onHost('Europe/Berlin', () => [
      `${formatLocalDate(localDateOf(at, kolkata))} ${formatLocalTime(localTimeOf(at, kolkata))}`,
      formatInTimeZone(new Date(at), kolkata, 'yyyy-MM-dd HH:mm:ss'),
    ]);
    expect([ours, theirs]).to.eql(['2024-03-31 02:00:00', '2024-03-31 03:00:00']);
  });

  it('depend on the host’s zone for an hour that occurs twice (fromZonedTime)', () => {
    const answers = ['UTC', 'Asia/Tokyo'].map((host) =>
      onHost(host, () => [
        formatInstant(instantAt(parseLocalDate('2024-11-03'), localTime(5_400), newYork)),
        fromZonedTime('2024-11-03T01:30:00', newYork).toISOString(),
      ]),
    );
    expect(answers).to.eql([
      ['2024-11-03T05:30:00.000Z', '2024-11-03T05:30:00.000Z'],
      ['2024-11-03T05:30:00.000Z', '2024-11-03T06:30:00.000Z'],
    ]);
  });

  it('move a missing midnight to the previous day (fromZonedTime)', () => {
    const santiago = timeZone('America/Santiago');
    const ours = startOfDay(parseLocalDate('2024-09-08'), santiago);
    const theirs = instant(fromZonedTime('2024-09-08T00:00:00', santiago).getTime());
    const days = [ours, theirs].map((at) => formatLocalDate(localDateOf(at, santiago)));
    expect(days).to.eql(['2024-09-08', '2024-09-07']);
  });

  it('parse a date-time with an offset the same way on every host (toDate)', () => {
    for (const host of ['UTC', 'America/New_York', 'Europe/Berlin', 'Asia/Tokyo']) {
      const at = onHost(host, () => parseWireDateTime('2024-03-10T02:30:00.000-05:00'));
      expect([host, at]).to.eql([host, Date.UTC(2024, 2, 10, 7, 30)]);
    }
  });
});
