import { MalformedAnswer } from '../../values/errors/index.ts';
import { isUuid, type Uuid } from '../../values/ids/index.ts';
import {
  MAX_SUPPLIED_TRACKING_IDS,
  MAX_TRACKING_ID_CHARACTERS,
  MAX_UNIT_NAME_CHARACTERS,
} from '../../values/limits.ts';
import type { Decimal } from '../../values/money/index.ts';
import { isStorable } from '../../values/text/index.ts';
import { type Instant, instant, isInstantMs, parseWireInstant } from '../../values/time/index.ts';
import { readAmount } from '../recording/read-submission.ts';
import type { SuppliedQuantity, SuppliedRecord } from './supplied-usage.ts';

export interface ClaimedRecord extends SuppliedRecord {
  readonly subscriptionId: Uuid;
}

/** @throws MalformedAnswer, naming the place of the record. */
export function claimedRecord(given: unknown, index: number): ClaimedRecord {
  const at = `records[${index}]`;
  const { subscriptionId, instant: when, unitType, amount, trackingId } = membersOf(given, at);
  const unit = textOf(unitType, MAX_UNIT_NAME_CHARACTERS);
  if (unit === null) throw new MalformedAnswer(`gave ${at}.unitType that is no name of a unit`);
  return {
    subscriptionId: uuidOf(subscriptionId, at),
    at: instantOf(when, at),
    unit,
    amount: amountOf(amount, `${at}.amount`),
    trackingId: trackingId == null ? null : trackingIdOf(trackingId, `${at}.trackingId`),
  };
}

/** The quantities of an aggregated answer. @throws MalformedAnswer. */
export function claimedQuantities(given: unknown, expected: number): readonly SuppliedQuantity[] {
  if (!Array.isArray(given)) throw new MalformedAnswer('gave aggregated usage that is no list');
  if (given.length !== expected)
    throw new MalformedAnswer(`gave ${given.length} quantities for ${expected} requests`);
  return given.map((each, index) => {
    const at = `quantities[${index}]`;
    const { quantity, trackingIds } = membersOf(each, at);
    return { quantity: amountOf(quantity, `${at}.quantity`), trackingIds: trackingIdsOf(trackingIds, at) };
  });
}

/** The records of an answer, one after the other. @throws MalformedAnswer. */
export function claimedRecords(given: unknown): AsyncIterator<unknown> | Iterator<unknown> {
  if (typeof given !== 'object' || given === null)
    throw new MalformedAnswer('gave records that are no stream');
  const stream: { readonly [Symbol.asyncIterator]?: unknown; readonly [Symbol.iterator]?: unknown } = given;
  const begin = stream[Symbol.asyncIterator] ?? stream[Symbol.iterator];
  if (typeof begin !== 'function') throw new MalformedAnswer('gave records that are no stream');
  const iterator: unknown = begin.call(given);
  if (isIterator(iterator)) return iterator;
  throw new MalformedAnswer('gave a stream of records that cannot be read');
}

function isIterator(given: unknown): given is AsyncIterator<unknown> | Iterator<unknown> {
  return (
    typeof given === 'object' && given !== null && typeof (given as { next?: unknown }).next === 'function'
  );
}

function trackingIdsOf(given: unknown, at: string): readonly string[] {
  if (given == null) return [];
  if (!Array.isArray(given)) throw new MalformedAnswer(`gave ${at}.trackingIds that are no list`);
  const ids = given.slice(0, MAX_SUPPLIED_TRACKING_IDS);
  return ids.map((id, index) => trackingIdOf(id, `${at}.trackingIds[${index}]`));
}

function trackingIdOf(given: unknown, at: string): string {
  const id = textOf(given, MAX_TRACKING_ID_CHARACTERS);
  if (id !== null) return id;
  throw new MalformedAnswer(`gave ${at} that is no text of 1 to ${MAX_TRACKING_ID_CHARACTERS} characters`);
}

function textOf(given: unknown, most: number): string | null {
  if (typeof given !== 'string' || given === '' || given.length > most) return null;
  return isStorable(given) ? given : null;
}

function uuidOf(given: unknown, at: string): Uuid {
  const id = typeof given === 'string' ? given.toLowerCase() : '';
  if (isUuid(id)) return id;
  throw new MalformedAnswer(`gave ${at}.subscriptionId that is no id`);
}

function instantOf(given: unknown, at: string): Instant {
  const ms = given instanceof Date ? given.getTime() : given;
  if (typeof ms === 'number' && isInstantMs(Math.trunc(ms))) return instant(Math.trunc(ms));
  const read = typeof ms === 'string' ? parseWireInstant(ms) : undefined;
  if (read !== undefined) return read;
  throw new MalformedAnswer(`gave ${at}.instant that is no instant`);
}

function amountOf(given: unknown, at: string): Decimal {
  const read = readAmount(given, { negativeAmounts: false });
  if ('amount' in read) return read.amount;
  throw new MalformedAnswer(
    `gave ${at} that is no decimal of at least 0, with at most 20 digits before the point and 9 after it`,
  );
}

function membersOf(given: unknown, at: string): Readonly<Record<string, unknown>> {
  if (typeof given === 'object' && given !== null && !Array.isArray(given))
    return given as Readonly<Record<string, unknown>>;
  throw new MalformedAnswer(`gave ${at} that is no object`);
}
