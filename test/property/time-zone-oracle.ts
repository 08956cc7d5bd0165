/**
 * Compares the zone functions of lib/values/time with the Temporal polyfill under the TZ of this process. Started by
 * time-zones.test.ts once per host zone. Prints the number of cases, or fails with the shrunk counterexample.
 */
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import type { LocalDate, LocalTime } from '../../lib/values/time/index.ts';
import {
  formatInstant,
  formatLocalDate,
  formatLocalTime,
  instant,
  instantAt,
  localDate,
  localDateOf,
  localTime,
  localTimeOf,
  parseWireDateTime,
  startOfDay,
  timeZone,
} from '../../lib/values/time/index.ts';
import { forRuns } from '../support/for-all.ts';
import { seed, zoneRuns } from '../support/long-run.ts';
import { zones } from './time-zone-list.ts';

const firstMs = Date.UTC(1900, 0, 1);
const lastMs = Date.UTC(2060, 0, 1);
const msPerDay = 86_400_000;

const host = process.env.TZ ?? '';
const canonicalHost = new Intl.DateTimeFormat('en-US', { timeZone: host }).resolvedOptions().timeZone;
if (new Intl.DateTimeFormat().resolvedOptions().timeZone !== canonicalHost)
  throw new Error(`TZ=${host} has no effect in this process`);

fc.configureGlobal({ seed });
let cases = 0;
for (const zone of zones) checkZone(zone);
checkWireDateTimes();
process.stdout.write(JSON.stringify({ host, zones: zones.length, cases, seed }));

function checkZone(zone: string): void {
  const near = transitionsOf(zone);
  const anywhere = fc.integer({ min: firstMs, max: lastMs });
  const atTransition = fc
    .tuple(
      fc.constantFrom(...(near.length > 0 ? near : [0])),
      fc.integer({ min: -2 * msPerDay, max: 2 * msPerDay }),
    )
    .map(([transition, distance]) => transition + distance);
  const closeToTransition = fc
    .tuple(
      fc.constantFrom(...(near.length > 0 ? near : [0])),
      fc.integer({ min: -7_200_000, max: 7_200_000 }),
    )
    .map(([transition, distance]) => transition + distance);
  const moments = fc.oneof(anywhere, atTransition, closeToTransition);

  forRuns(zoneRuns, [moments], (ms) => {
    cases += 1;
    checkInstant(ms, zone);
    checkLocal(Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone).toPlainDateTime(), zone);
    // The UTC wall clock, interpreted in the zone, also reaches local times that the zone skips.
    checkLocal(Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO('UTC').toPlainDateTime(), zone);
    for (const skipped of near) {
      if (Math.abs(skipped - ms) > 7_200_000) continue;
      checkLocal(wallClockOfTheOtherSide(skipped, ms, zone), zone);
    }
  });
}

function checkInstant(ms: number, zone: string): void {
  const expected = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone);
  const at = instant(ms);
  same(
    formatLocalDate(localDateOf(at, timeZone(zone))),
    expected.toPlainDate().toString(),
    `date of ${ms} in ${zone}`,
  );
  same(
    formatLocalTime(localTimeOf(at, timeZone(zone))),
    expected.toPlainTime().toString({ smallestUnit: 'second' }),
    `time of ${ms} in ${zone}`,
  );
}

function checkLocal(wallClock: Temporal.PlainDateTime, zone: string): void {
  const { year, month, day, hour, minute, second } = wallClock;
  const date = localDate(year, month, day);
  const time = localTime(hour * 3_600 + minute * 60 + second);
  same(
    formatInstant(instantAt(date, time, timeZone(zone))),
    formatInstant(instant(oracleInstantAt(date, time, zone))),
    `${wallClock.toString()} in ${zone}`,
  );
  same(
    formatInstant(startOfDay(date, timeZone(zone))),
    formatInstant(instant(wallClock.toPlainDate().toZonedDateTime(zone).epochMilliseconds)),
    `start of ${wallClock.toPlainDate().toString()} in ${zone}`,
  );
}

/** subscriptions §2 rule 2, `atTime`, implemented with Temporal. */
function oracleInstantAt(date: LocalDate, time: LocalTime, zone: string): number {
  const day = Temporal.PlainDate.from(formatLocalDate(date));
  const wanted = day.toPlainDateTime(formatLocalTime(time));
  const earlier = wanted.toZonedDateTime(zone, { disambiguation: 'earlier' });
  if (earlier.toPlainDateTime().equals(wanted)) return earlier.epochMilliseconds;
  const afterGap = earlier.getTimeZoneTransition('next');
  if (afterGap === null) throw new Error(`${wanted.toString()} is in no gap of ${zone}`);
  if (Temporal.PlainDate.compare(afterGap.toPlainDate(), day) <= 0) return afterGap.epochMilliseconds;
  const beforeGap = afterGap.subtract({ seconds: 1 });
  return beforeGap.toPlainDate().equals(day) ? beforeGap.epochMilliseconds : afterGap.epochMilliseconds;
}

/** Returns the wall clock at `ms` with the offset on the other side of the transition. */
function wallClockOfTheOtherSide(transition: number, ms: number, zone: string): Temporal.PlainDateTime {
  const otherSide = Temporal.Instant.fromEpochMilliseconds(ms < transition ? transition : transition - 1);
  const offset = otherSide.toZonedDateTimeISO(zone).offsetNanoseconds / 1e6;
  return Temporal.Instant.fromEpochMilliseconds(ms + offset)
    .toZonedDateTimeISO('UTC')
    .toPlainDateTime();
}

function transitionsOf(zone: string): readonly number[] {
  const found: number[] = [];
  let at = Temporal.Instant.fromEpochMilliseconds(firstMs)
    .toZonedDateTimeISO(zone)
    .getTimeZoneTransition('next');
  while (at !== null && at.epochMilliseconds < lastMs && found.length < 1_000) {
    if (at.epochMilliseconds - (found.at(-1) ?? Number.NEGATIVE_INFINITY) < 2 * msPerDay)
      throw new Error(`${zone} has two transitions within 48 h, at the latest ${at.toString()}`);
    found.push(at.epochMilliseconds);
    at = at.getTimeZoneTransition('next');
  }
  return found;
}

/** Checks texts with an explicit offset, which date-fns-tz parses, and without one, which are UTC. */
function checkWireDateTimes(): void {
  const moments = fc.integer({ min: firstMs, max: lastMs });
  const offsets = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 });
  forRuns(zoneRuns, [moments, offsets], (ms, offsetMinutes) => {
    cases += 1;
    const text = new Date(ms + offsetMinutes * 60_000).toISOString().slice(0, -1);
    const minutes = Math.abs(offsetMinutes);
    const hh = String(Math.floor(minutes / 60)).padStart(2, '0');
    const mm = String(minutes % 60).padStart(2, '0');
    const offset = `${offsetMinutes < 0 ? '-' : '+'}${hh}:${mm}`;
    same(
      parseWireDateTime(text + offset),
      Temporal.Instant.from(text + offset).epochMilliseconds,
      `wire ${text}${offset}`,
    );
    same(parseWireDateTime(`${text}Z`), Temporal.Instant.from(`${text}Z`).epochMilliseconds, `wire ${text}Z`);
    same(parseWireDateTime(text), Temporal.Instant.from(`${text}Z`).epochMilliseconds, `wire ${text}`);
  });
}

function same(actual: unknown, expected: unknown, what: string): void {
  if (actual !== expected)
    throw new Error(`${what}: got ${String(actual)}, Temporal got ${String(expected)} (TZ=${host})`);
}
