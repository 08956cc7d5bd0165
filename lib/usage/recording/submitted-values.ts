import { isUuid, type Uuid } from '../../values/ids/index.ts';
import { MAX_UNIT_NAME_CHARACTERS } from '../../values/limits.ts';
import { Decimal, decimalOf, formatDecimal, JsonNumber } from '../../values/money/index.ts';
import { isStorable, NOT_STORABLE, shortened } from '../../values/text/index.ts';
import { readAmount } from './read-amount.ts';
import { readRecordDate } from './read-record-date.ts';
import { type RecordingFault, RecordingFaultCode } from './recording-fault.ts';
import type { ReadRecord } from './usage-submission.ts';

/**
 * Points of one submission, which is stored in one transaction: on SQLite this many take 0.2 s, for which all others wait.
 */
const MAX_SUBMISSION_POINTS = 10_000;

export interface ReadingRules {
  /** `usage.negativeAmounts`. */
  readonly negativeAmounts: boolean;
}

/** Ends the reading at the first fault. */
export class Unreadable extends Error {
  readonly fault: RecordingFault;

  constructor(code: RecordingFaultCode, message: string, field: string) {
    super(message);
    this.fault = { code, message, facts: { field } };
  }
}

/** A value with its place, outermost first, as messages name it. */
export interface Placed {
  readonly value: unknown;
  readonly at: string;
}

export interface PresentRecord {
  readonly unitType: Placed;
  readonly recordDate: Placed;
  readonly amount: Placed;
}

/** All records, each with what it must have; what it is comes later. */
export function recordsOf(value: unknown): readonly PresentRecord[] {
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

export function readRecord({ unitType, recordDate, amount }: PresentRecord, rules: ReadingRules): ReadRecord {
  const { INVALID_AMOUNT, INVALID_DATE } = RecordingFaultCode;
  const unit = textOf(unitType, MAX_UNIT_NAME_CHARACTERS);
  const date = readRecordDate(recordDate.value);
  if (date === undefined) throw invalid(INVALID_DATE, recordDate, 'is not a date (yyyy-MM-dd) or date-time');
  const read = readAmount(amount.value, rules);
  if ('problem' in read) throw invalid(INVALID_AMOUNT, amount, read.problem);
  return { unit, recordDate: date, amount: read.amount };
}

export function uuidOf({ value, at }: Placed): Uuid {
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

export function present({ value, at }: Placed): void {
  if (!isNothing(value)) return;
  throw new Unreadable(RecordingFaultCode.MISSING_FIELD, named(at, 'needs to be set'), at);
}

/** Text of a field; numbers and booleans become text (http-api §9 rule 6). */
export function textOf({ value, at }: Placed, maxLength: number): string {
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

export function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

export function isRecord(value: unknown): value is Record<string, unknown> {
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
