import { isUuid, type Uuid } from '../../values/ids/index.ts';
import {
  MAX_EXTERNAL_KEY_CHARACTERS,
  MAX_FRACTION_DIGITS,
  MAX_TRACKING_ID_CHARACTERS,
  MAX_UNIT_NAME_CHARACTERS,
  MAX_USAGE_INTEGER_DIGITS,
} from '../../values/limits.ts';
import {
  Decimal,
  decimalOf,
  describeJsonValue,
  formatDecimal,
  JsonNumber,
  parseWireDecimal,
} from '../../values/money/index.ts';
import { isStorable, NOT_STORABLE } from '../../values/text/index.ts';
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

const { MALFORMED, MISSING_FIELD, MISSING_TRACKING_ID, INVALID_AMOUNT, INVALID_DATE } = RecordingFaultCode;

/**
 * Parses a submission. First checks that its fields are present, then checks their values (§2.1 checks 1 to 3). Reports
 * only the first fault.
 */
export function readSubmission(given: SubmittedUsage, rules: ReadingRules): Reading<ReadUsage> {
  return readOrFault(() => {
    const fields = fieldsOf(given);
    const subscriptionId = requireField(fields, 'subscriptionId');
    const records = recordsOf(fields);
    const trackingId = { value: fields.trackingId, at: 'trackingId' };
    return {
      subscriptionId: uuidOf(subscriptionId),
      trackingId: isNothing(trackingId.value) ? undefined : textOf(trackingId, MAX_TRACKING_ID_CHARACTERS),
      records: records.map((record) => readRecord(record, rules)),
    };
  });
}

/** Parses a line of a bulk call (§2.5). The line requires a tracking id, and may identify its subscription by key. */
export function readLine(given: SubmittedLine, rules: ReadingRules): Reading<ReadLine> {
  return readOrFault(() => {
    if (given instanceof UnreadableLine) throw new Unreadable(MALFORMED, given.message, '');
    const fields = fieldsOf(given);
    const trackingId = { value: fields.trackingId, at: 'trackingId' };
    if (isNothing(trackingId.value))
      throw unreadableError(MISSING_TRACKING_ID, trackingId.at, 'needs to be set in bulk');
    const byKey = isNothing(fields.subscriptionId) && !isNothing(fields.subscriptionExternalKey);
    const name = requireField(fields, byKey ? 'subscriptionExternalKey' : 'subscriptionId');
    const records = recordsOf(fields);
    return {
      subscription: byKey ? { externalKey: textOf(name, MAX_EXTERNAL_KEY_CHARACTERS) } : { id: uuidOf(name) },
      trackingId: textOf(trackingId, MAX_TRACKING_ID_CHARACTERS),
      records: records.map((record) => readRecord(record, rules)),
    };
  });
}

/** Returns the number of records in an unchecked submission. Fields that are not lists count as 0. */
export function recordCountOf({ unitUsageRecords }: SubmittedUsage): number {
  if (!Array.isArray(unitUsageRecords)) return 0;
  return unitUsageRecords.reduce<number>((count, unit: unknown) => {
    const records = isRecord(unit) ? unit.usageRecords : undefined;
    return Array.isArray(records) ? count + records.length : count;
  }, 0);
}

function readOrFault<T>(read: () => T): Reading<T> {
  try {
    return { usage: read() };
  } catch (error) {
    if (error instanceof Unreadable) return { fault: error.fault };
    throw error;
  }
}

function fieldsOf(given: unknown): Fields {
  if (isRecord(given)) return given;
  throw new Unreadable(MALFORMED, 'A SubscriptionUsageRecord must be an object', '');
}

/**
 * A submission that has not been checked. `readSubmission` parses its values, so that each of many submissions can fail
 * separately.
 */
export interface SubmittedUsage {
  readonly subscriptionId?: unknown;
  readonly trackingId?: unknown;
  readonly unitUsageRecords?: unknown;
}

/** A line that could not be read. */
export class UnreadableLine {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** A line that has not been checked. It may contain `subscriptionExternalKey` instead of `subscriptionId`. */
export type SubmittedLine =
  | (SubmittedUsage & { readonly subscriptionExternalKey?: unknown })
  | UnreadableLine;

/** A parsed submission. Its dates have not been assigned to a time zone yet. */
export interface ReadUsage {
  readonly subscriptionId: Uuid;
  /** The tracking id. Undefined means that the engine generates one. */
  readonly trackingId: string | undefined;
  readonly records: readonly ReadRecord[];
}

/** A parsed line. Its dates have not been assigned to a time zone, and its subscription is not loaded yet. */
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
 * Maximum number of points in one submission. One transaction stores them all. SQLite needs 0.2 s for them, during
 * which all other work waits.
 */
const MAX_SUBMISSION_POINTS = 10_000;

interface ReadingRules {
  /** Setting `usage.negativeAmounts`. */
  readonly negativeAmounts: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

class Unreadable extends Error {
  readonly fault: RecordingFault;

  constructor(code: RecordingFaultCode, message: string, field: string) {
    super(message);
    this.fault = { code, message, facts: { field } };
  }
}

/** A value with its path, for messages. */
interface Placed {
  readonly value: unknown;
  readonly at: string;
}

interface PresentRecord {
  readonly unitType: Placed;
  readonly recordDate: Placed;
  readonly amount: Placed;
}

/**
 * Returns the records after checking that their required fields are present. The values of the fields are not checked
 * yet.
 */
function recordsOf(fields: Fields): readonly PresentRecord[] {
  let count = 0;
  return elementsOf(requireField(fields, 'unitUsageRecords')).flatMap(({ value: unit, at }) => {
    const unitType = requireField(unit, 'unitType', at);
    const records = requireField(unit, 'usageRecords', at);
    if (Array.isArray(records.value)) count += records.value.length;
    if (count > MAX_SUBMISSION_POINTS) throw unreadableError(MALFORMED, 'unitUsageRecords', TOO_MANY_POINTS);
    return elementsOf(records).map((record) => ({
      unitType,
      recordDate: requireField(record.value, 'recordDate', record.at),
      amount: requireField(record.value, 'amount', record.at),
    }));
  });
}

const TOO_MANY_POINTS = `has more than ${MAX_SUBMISSION_POINTS} points; send them under several tracking ids`;

function readRecord({ unitType, recordDate, amount }: PresentRecord, rules: ReadingRules): ReadRecord {
  const unit = textOf(unitType, MAX_UNIT_NAME_CHARACTERS);
  const date = readRecordDate(recordDate.value);
  if (date === undefined) throw invalid(INVALID_DATE, recordDate, 'is not a date (yyyy-MM-dd) or date-time');
  const read = readAmount(amount.value, rules);
  if ('problem' in read) throw invalid(INVALID_AMOUNT, amount, read.problem);
  return { unit, recordDate: date, amount: read.amount };
}

function uuidOf(placed: Placed): Uuid {
  const id = typeof placed.value === 'string' ? placed.value.toLowerCase() : '';
  if (isUuid(id)) return id;
  throw invalid(MALFORMED, placed, 'is not a UUID');
}

/** Returns the objects in a list. The list must not be empty. */
function elementsOf(list: Placed): readonly { readonly value: Fields; readonly at: string }[] {
  const { value, at } = list;
  if (!Array.isArray(value)) throw invalid(MALFORMED, list, 'is not a list');
  if (value.length === 0) throw unreadableError(MISSING_FIELD, at, 'must not be empty');
  return value.map((each: unknown, index) => {
    const place = `${at}[${index}]`;
    if (isNothing(each)) throw unreadableError(MISSING_FIELD, place, 'needs to be set');
    if (!isRecord(each)) throw invalid(MALFORMED, { value: each, at: place }, 'is not an object');
    return { value: each, at: place };
  });
}

/**
 * Returns a required field. @param at The position of the object. If `at` is absent, the object is the submission
 * itself.
 */
function requireField(fields: Fields, name: string, at?: string): Placed {
  const place = at === undefined ? name : `${at}.${name}`;
  if (isNothing(fields[name])) throw unreadableError(MISSING_FIELD, place, 'needs to be set');
  return { value: fields[name], at: place };
}

/** Returns a field as text. Numbers and booleans are converted to text (http-api §9 rule 6). */
function textOf(placed: Placed, maxLength: number): string {
  const { value, at } = placed;
  const text = typeof value === 'string' ? value : scalarText(value);
  if (text === undefined) throw invalid(MALFORMED, placed, 'is not text');
  if (!isStorable(text)) throw unreadableError(MALFORMED, at, NOT_STORABLE);
  if (text.length <= maxLength) return text;
  throw unreadableError(MALFORMED, at, `is ${text.length} characters long; at most ${maxLength} are allowed`);
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

function isRecord(value: unknown): value is Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return !(value instanceof JsonNumber || Decimal.isDecimal(value));
}

function invalid(code: RecordingFaultCode, { value, at }: Placed, problem: string): Unreadable {
  return unreadableError(code, at, `${problem}: ${describeJsonValue(value)}`);
}

function unreadableError(code: RecordingFaultCode, at: string, problem: string): Unreadable {
  return new Unreadable(code, `SubscriptionUsageRecord ${at} ${problem}`, at);
}

const msPerDay = 86_400_000;

/**
 * Returns the day or instant of a record (§2.3), or undefined for an invalid value. Accepts a date or date-time as text
 * (UTC if there is no offset, truncated to milliseconds), epoch milliseconds as an integer, a Date, and a value that
 * the host has already parsed.
 */
export function readRecordDate(value: unknown): RequestedDate | undefined {
  if (typeof value === 'string') return ofText(value);
  if (typeof value !== 'object' || value === null) return undefined;
  if (value instanceof Date) return ofInstant(parseWireInstant(value));
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

/** Returns the exact amount of a record, or a description of the problem if the amount is invalid (§2.4). */
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
    return { problem: 'is negative; to undo usage, void the submission that recorded it' };
  }
  return { amount };
}
