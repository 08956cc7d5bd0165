import { isUuid, type Uuid } from '../../values/ids/index.ts';
import {
  MAX_EXTERNAL_KEY_CHARACTERS,
  MAX_FRACTION_DIGITS,
  MAX_TRACKING_ID_CHARACTERS,
  MAX_UNIT_NAME_CHARACTERS,
  MAX_USAGE_INTEGER_DIGITS,
} from '../../values/limits.ts';
import { Decimal, decimalOf, formatDecimal, JsonNumber, parseWireDecimal } from '../../values/money/index.ts';
import { isStorable, NOT_STORABLE, shortened } from '../../values/text/index.ts';
import {
  type Instant,
  instant,
  isInstantMs,
  type LocalDate,
  parseWireInstant,
  parseWireMoment,
  type RequestedDate,
} from '../../values/time/index.ts';
import { type RecordingFault, RecordingFaultCode } from './recording-faults.ts';

export type Reading<T> = { readonly usage: T } | { readonly fault: RecordingFault };

/** Reads a submission: first that all is there, then its values (§2.1 checks 1 to 3). The first fault counts. */
export function readSubmission(given: SubmittedUsage, rules: ReadingRules): Reading<ReadUsage> {
  return readingOf(() => {
    checkRecord(given);
    const subscriptionId = placed(given, 'subscriptionId');
    present(subscriptionId);
    const records = recordsOf(given.unitUsageRecords);
    const trackingId = placed(given, 'trackingId');
    return {
      subscriptionId: uuidOf(subscriptionId),
      trackingId: isNothing(trackingId.value) ? undefined : textOf(trackingId, MAX_TRACKING_ID_CHARACTERS),
      records: records.map((record) => readRecord(record, rules)),
    };
  });
}

/** The same of a line of a bulk call: it needs a tracking id, and may name its subscription by key (§2.5). */
export function readLine(given: SubmittedLine, rules: ReadingRules): Reading<ReadLine> {
  return readingOf(() => {
    if (given instanceof UnreadableLine) {
      throw new Unreadable(RecordingFaultCode.MALFORMED, given.message, '');
    }
    checkRecord(given);
    const trackingId = placed(given, 'trackingId');
    if (isNothing(trackingId.value)) {
      const message = 'SubscriptionUsageRecord trackingId needs to be set in bulk';
      throw new Unreadable(RecordingFaultCode.MISSING_TRACKING_ID, message, 'trackingId');
    }
    const byKey = isNothing(given.subscriptionId) && !isNothing(given.subscriptionExternalKey);
    const name = placed(given, byKey ? 'subscriptionExternalKey' : 'subscriptionId');
    present(name);
    const records = recordsOf(given.unitUsageRecords);
    return {
      subscription: byKey ? { externalKey: textOf(name, MAX_EXTERNAL_KEY_CHARACTERS) } : { id: uuidOf(name) },
      trackingId: textOf(trackingId, MAX_TRACKING_ID_CHARACTERS),
      records: records.map((record) => readRecord(record, rules)),
    };
  });
}

function readingOf<T>(read: () => T): Reading<T> {
  try {
    return { usage: read() };
  } catch (error) {
    if (error instanceof Unreadable) return { fault: error.fault };
    throw error;
  }
}

function checkRecord(given: unknown): void {
  if (isRecord(given)) return;
  throw new Unreadable(RecordingFaultCode.MALFORMED, 'A SubscriptionUsageRecord must be an object', '');
}

function placed<T extends object>(given: T, at: keyof T & string): Placed {
  return { value: given[at], at };
}

/** A submission as it has come: `NewUsage` of anyone, to be believed of nothing. Its values are read by `readSubmission`, so that each one of many can fail by itself. */
export interface SubmittedUsage {
  readonly subscriptionId?: unknown;
  readonly trackingId?: unknown;
  readonly unitUsageRecords?: unknown;
}

/** A line of a bulk call as it has come. */
interface SubmittedLineUsage extends SubmittedUsage {
  /** In place of `subscriptionId`. */
  readonly subscriptionExternalKey?: unknown;
}

/** A line that is no record of anything: what it holds could not be read. */
export class UnreadableLine {
  /** Why, in words for its sender. */
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

export type SubmittedLine = SubmittedLineUsage | UnreadableLine;

/** A submission whose dates are not placed in a zone yet. */
interface ReadUsage {
  readonly subscriptionId: Uuid;
  /** Undefined: the engine makes one. */
  readonly trackingId: string | undefined;
  readonly records: readonly ReadRecord[];
}

/** The same of a line, whose subscription is not found yet. */
export interface ReadLine {
  readonly subscription: { readonly id: Uuid } | { readonly externalKey: string };
  readonly trackingId: string;
  readonly records: readonly ReadRecord[];
}

export interface ReadRecord {
  readonly unit: string;
  readonly recordDate: RequestedDate;
  readonly amount: Decimal;
}

/**
 * Points of one submission, which is stored in one transaction: on SQLite this many take 0.2 s, for which all others wait.
 */
const MAX_SUBMISSION_POINTS = 10_000;

interface ReadingRules {
  /** `usage.negativeAmounts`. */
  readonly negativeAmounts: boolean;
}

/** Ends the reading at the first fault. */
class Unreadable extends Error {
  readonly fault: RecordingFault;

  constructor(code: RecordingFaultCode, message: string, field: string) {
    super(message);
    this.fault = { code, message, facts: { field } };
  }
}

/** A value with its place, outermost first, as messages name it. */
interface Placed {
  readonly value: unknown;
  readonly at: string;
}

interface PresentRecord {
  readonly unitType: Placed;
  readonly recordDate: Placed;
  readonly amount: Placed;
}

/** All records, each with what it must have; what it is comes later. */
function recordsOf(value: unknown): readonly PresentRecord[] {
  let count = 0;
  return elementsOf({ value, at: 'unitUsageRecords' }).flatMap(({ value: unit, at }) => {
    const unitType = { value: unit.unitType, at: `${at}.unitType` };
    present(unitType);
    const records = { value: unit.usageRecords, at: `${at}.usageRecords` };
    if (Array.isArray(records.value)) count += records.value.length;
    if (count > MAX_SUBMISSION_POINTS) throw tooManyPoints();
    return elementsOf(records).map((record) => {
      const recordDate = { value: record.value.recordDate, at: `${record.at}.recordDate` };
      const amount = { value: record.value.amount, at: `${record.at}.amount` };
      present(recordDate);
      present(amount);
      return { unitType, recordDate, amount };
    });
  });
}

function tooManyPoints(): Unreadable {
  const at = 'unitUsageRecords';
  const message = `holds more than ${MAX_SUBMISSION_POINTS} points; send them under several tracking ids`;
  return new Unreadable(RecordingFaultCode.MALFORMED, named(at, message), at);
}

function readRecord({ unitType, recordDate, amount }: PresentRecord, rules: ReadingRules): ReadRecord {
  const { INVALID_AMOUNT, INVALID_DATE } = RecordingFaultCode;
  const unit = textOf(unitType, MAX_UNIT_NAME_CHARACTERS);
  const date = readRecordDate(recordDate.value);
  if (date === undefined) throw invalid(INVALID_DATE, recordDate, 'is not a date (yyyy-MM-dd) or date-time');
  const read = readAmount(amount.value, rules);
  if ('problem' in read) throw invalid(INVALID_AMOUNT, amount, read.problem);
  return { unit, recordDate: date, amount: read.amount };
}

function uuidOf({ value, at }: Placed): Uuid {
  const id = typeof value === 'string' ? value.toLowerCase() : '';
  if (isUuid(id)) return id;
  throw invalid(RecordingFaultCode.MALFORMED, { value, at }, 'is not a UUID');
}

/** The objects of a list that must have some. */
function elementsOf({ value, at }: Placed): readonly { value: Record<string, unknown>; at: string }[] {
  const { MALFORMED, MISSING_FIELD } = RecordingFaultCode;
  present({ value, at });
  if (!Array.isArray(value)) throw invalid(MALFORMED, { value, at }, 'is not a list');
  if (value.length === 0) throw new Unreadable(MISSING_FIELD, named(at, 'must not be empty'), at);
  return value.map((each: unknown, index) => {
    const place = `${at}[${index}]`;
    if (isNothing(each)) throw new Unreadable(MISSING_FIELD, named(place, 'needs to be set'), place);
    if (!isRecord(each)) throw invalid(MALFORMED, { value: each, at: place }, 'is not an object');
    return { value: each, at: place };
  });
}

function present({ value, at }: Placed): void {
  if (!isNothing(value)) return;
  throw new Unreadable(RecordingFaultCode.MISSING_FIELD, named(at, 'needs to be set'), at);
}

/** Text of a field; numbers and booleans become text (http-api §9 rule 6). */
function textOf({ value, at }: Placed, maxLength: number): string {
  const { MALFORMED } = RecordingFaultCode;
  const text = typeof value === 'string' ? value : scalarText(value);
  if (text === undefined) throw invalid(MALFORMED, { value, at }, 'is not text');
  if (!isStorable(text)) throw new Unreadable(MALFORMED, named(at, NOT_STORABLE), at);
  if (text.length <= maxLength) return text;
  throw new Unreadable(
    MALFORMED,
    named(at, `is ${text.length} characters long; at most ${maxLength} are allowed`),
    at,
  );
}

function scalarText(value: unknown): string | undefined {
  if (typeof value === 'boolean') return String(value);
  const number = decimalOf(value);
  if (number === undefined) return undefined;
  // A number such as 1e999999999 would have a billion digits.
  return number.isFinite() && Math.abs(number.e) < MAX_UNIT_NAME_CHARACTERS
    ? formatDecimal(number)
    : undefined;
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return !(value instanceof JsonNumber || Decimal.isDecimal(value));
}

function invalid(code: RecordingFaultCode, { value, at }: Placed, problem: string): Unreadable {
  return new Unreadable(code, named(at, `${problem}: ${shown(value)}`), at);
}

function named(at: string, problem: string): string {
  return `SubscriptionUsageRecord ${at} ${problem}`;
}

function shown(value: unknown): string {
  if (typeof value === 'string') return `"${shortened(value)}"`;
  const number = decimalOf(value);
  if (number !== undefined) return shortened(number.toString());
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : shortened(String(value));
}

const msPerDay = 86_400_000;

/**
 * The day or the instant of a record (§2.3): text of a date or a date-time (without an offset UTC, cut to milliseconds),
 * a whole number of epoch milliseconds, or what a host has read itself. Undefined if it is none of them.
 */
export function readRecordDate(value: unknown): RequestedDate | undefined {
  if (typeof value === 'string') return ofText(value);
  if (typeof value !== 'object' || value === null) return undefined;
  const number = decimalOf(value);
  if (number !== undefined) return ofInstant(parseWireInstant(number.toNumber()));
  if ('at' in value) {
    return typeof value.at === 'number' && isInstantMs(value.at) ? { at: instant(value.at) } : undefined;
  }
  return 'date' in value && isDay(value.date) ? { date: value.date } : undefined;
}

function ofText(text: string): RequestedDate | undefined {
  const moment = parseWireMoment(text);
  if (moment === undefined) return undefined;
  return moment.kind === 'DATE' ? { date: moment.date } : { at: moment.at };
}

function ofInstant(at: Instant | undefined): RequestedDate | undefined {
  return at === undefined ? undefined : { at };
}

function isDay(value: unknown): value is LocalDate {
  return typeof value === 'number' && Number.isInteger(value) && isInstantMs(value * msPerDay);
}

const digits = { integerDigits: MAX_USAGE_INTEGER_DIGITS, fractionDigits: MAX_FRACTION_DIGITS };

type ReadAmount = { readonly amount: Decimal } | { readonly problem: string };

/** The exact amount of a record, or what is wrong with it (§2.4). */
export function readAmount(
  value: unknown,
  { negativeAmounts }: { readonly negativeAmounts: boolean },
): ReadAmount {
  const given = typeof value === 'string' ? value : decimalOf(value);
  const amount = given === undefined ? undefined : parseWireDecimal(given, digits);
  if (amount === undefined) {
    return {
      problem: `is not a decimal of at most ${digits.integerDigits} integer and ${digits.fractionDigits} fractional digits`,
    };
  }
  if (amount.isNegative() && !negativeAmounts) {
    return { problem: 'is negative; to take usage back, void the submission that recorded it' };
  }
  return { amount };
}
