import { oneStep } from '../../../../lib/runtime/index.ts';
import { type SubmittedLine, UnreadableLine } from '../../../../lib/usage/index.ts';
import { BillingError, ErrorCode, invalidField } from '../../../../lib/values/errors/index.ts';
import { JsonBoundError, type SubmittedJson } from '../../../../lib/values/money/index.ts';
import { closestTo, shortened } from '../../../../lib/values/text/index.ts';
import { Dialect } from '../../dialect.ts';
import { SubscriptionUsageRecord, UnitUsageRecord, UsageRecord } from '../../models/usage.ts';
import { type BodyReading, LINES_TYPE, type RequestBody, submittedJson } from '../../routing/body.ts';
import { slices } from '../../routing/slices.ts';
import { recordDateOfNumbers } from '../../wire/scalars.ts';
import { bodyMissing } from '../../wire/wire-type.ts';
import { ElementCutter, LineCutter, type RecordBytes, type RecordCutter, TOO_LONG } from './record-bytes.ts';

/** Bytes of a streamed body that are cut into records before others may have their turn: a tenth of a millisecond. */
const BODY_BYTES_PER_TURN = 64 * 1_024;

/** Usage of many subscriptions, which is read while it is recorded. */
interface UsageLines {
  readonly lines: AsyncIterable<SubmittedLine>;
  /** Once it was read: true if it had more lines or bytes than one call may have; what comes after was not read. */
  isCut(): boolean;
  /** Once it was read: true if there was nothing in it. */
  isEmpty(): boolean;
}

/** A list of records as JSON, or one record on each line; neither is held in memory as a whole (usage §2.5). */
export const usageLinesBody: RequestBody<UsageLines> = {
  mediaTypes: ['application/json', LINES_TYPE],
  required: true,
  json: { type: 'array', items: SubscriptionUsageRecord.json },
  utf8Only: true,
  isStreamed: true,
  read(_bytes, reading) {
    const { bodyStream, limits } = reading;
    if (bodyStream === undefined) throw invalidField(bodyMissing(SubscriptionUsageRecord.name));
    const { bulkBytes: maxBytes, bulkRecords: maxLines } = limits;
    const state: State = { bytes: 0, lines: 0, isCut: false, maxBytes, maxLines };
    const isList = bodyStream.mediaType === 'application/json';
    const cutter = isList ? new ElementCutter(limits.json) : new LineCutter(limits.json);
    const lineOf = isList ? elementOf : lineAlone;
    return {
      lines: linesOf(limited(bodyStream.chunks, state), { cutter, state, lineOf, reading }),
      isCut: () => state.isCut,
      isEmpty: () => state.bytes === 0,
    };
  },
};

interface State {
  bytes: number;
  lines: number;
  isCut: boolean;
  readonly maxBytes: number;
  readonly maxLines: number;
}

async function* limited(chunks: AsyncIterable<Uint8Array>, state: State): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of chunks) {
      const left = state.maxBytes - state.bytes;
      state.bytes += chunk.length;
      if (chunk.length > left) state.isCut = true;
      yield chunk.subarray(0, left);
      if (state.isCut) return;
    }
  } catch (error) {
    if (error instanceof BillingError) throw error;
    throw new BillingError({
      code: ErrorCode.MALFORMED_BODY,
      message: 'The body could not be read to its end',
      cause: error,
    });
  }
}

interface LineReading {
  readonly cutter: RecordCutter;
  readonly state: State;
  readonly lineOf: (record: RecordBytes, reading: BodyReading, index: number) => SubmittedLine;
  readonly reading: BodyReading;
}

/** The records in their order; others have their turn between pieces of them, whatever they hold. */
async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  { cutter, state, lineOf, reading }: LineReading,
): AsyncGenerator<SubmittedLine> {
  const linesIn = function* (records: Iterable<RecordBytes>): Generator<SubmittedLine> {
    for (const record of records) {
      if (!isCounted(state)) return;
      yield lineOf(record, reading, state.lines - 1);
    }
  };
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += BODY_BYTES_PER_TURN) {
      yield* linesIn(cutter.cut(chunk.subarray(at, at + BODY_BYTES_PER_TURN)));
      if (state.lines >= state.maxLines && state.isCut) return;
      await slices(oneStep(() => undefined));
    }
  }
  // What was cut off is not a record.
  if (!state.isCut && state.bytes > 0) yield* linesIn(cutter.end());
}

/** Counts one more line; false if there may be no more. */
function isCounted(state: State): boolean {
  if (state.lines >= state.maxLines) {
    state.isCut = true;
    return false;
  }
  state.lines += 1;
  return true;
}

/** A line that cannot be read is a fault of that line alone. */
function lineAlone(record: RecordBytes, reading: BodyReading): SubmittedLine {
  try {
    return lineOfRecord(record, 'The line', reading);
  } catch (error) {
    if (error instanceof BillingError) return new UnreadableLine(error.message);
    throw error;
  }
}

/** An element that is not JSON is a fault of the whole list; one that exceeds a bound is a fault of its own. */
function elementOf(record: RecordBytes, reading: BodyReading, index: number): SubmittedLine {
  try {
    return lineOfRecord(record, `Element ${index} of the list`, reading);
  } catch (error) {
    if (error instanceof BillingError && (record === TOO_LONG || error.cause instanceof JsonBoundError))
      return new UnreadableLine(error.message);
    throw error;
  }
}

/** What the lists of dialect K mean as dates is settled here; everything else is for the engine to read. */
function lineOfRecord(record: RecordBytes, what: string, { dialect, limits }: BodyReading): SubmittedLine {
  if (record === TOO_LONG) throw invalidField(`${what} is longer than ${limits.json} bytes`);
  const json = submittedJson(textOf(record, what), limits.list, what);
  if (dialect === Dialect.K) return withDates(json) as SubmittedLine;
  const unknown = unknownMember(json, LINE_MEMBERS);
  return unknown === null ? (json as SubmittedLine) : new UnreadableLine(unknown);
}

function textOf(record: Uint8Array, what: string): string {
  try {
    return utf8.decode(record);
  } catch (error) {
    throw new BillingError({
      code: ErrorCode.MALFORMED_BODY,
      message: `${what} is not UTF-8`,
      cause: error,
    });
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function withDates(json: SubmittedJson): unknown {
  return changed(json, 'unitUsageRecords', (unit) =>
    changed(unit, 'usageRecords', (record) => {
      if (!isObject(record) || !Array.isArray(record.recordDate)) return record;
      return { ...record, recordDate: recordDateOfNumbers(record.recordDate) ?? record.recordDate };
    }),
  );
}

/** The object with each element of one of its lists changed. */
function changed(json: unknown, list: string, change: (element: unknown) => unknown): unknown {
  if (!isObject(json) || !Array.isArray(json[list])) return json;
  return { ...json, [list]: json[list].map(change) };
}

function isObject(json: unknown): json is Readonly<Record<string, unknown>> {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

/** The members of a record, and of the objects in one of its lists. */
interface Members {
  readonly names: ReadonlySet<string>;
  readonly inList?: { readonly name: string; readonly members: Members };
}

const ofUnits: Members = {
  names: namesOf(UnitUsageRecord),
  inList: { name: 'usageRecords', members: { names: namesOf(UsageRecord) } },
};

/** Those of one submission. */
export const SUBMISSION_MEMBERS: Members = {
  names: namesOf(SubscriptionUsageRecord),
  inList: { name: 'unitUsageRecords', members: ofUnits },
};

/** Those of a line of a bulk call, which may name its subscription by key. */
const LINE_MEMBERS: Members = {
  ...SUBMISSION_MEMBERS,
  names: new Set([...SUBMISSION_MEMBERS.names, 'subscriptionExternalKey']),
};

function namesOf({ fields }: { readonly fields: object }): ReadonlySet<string> {
  return new Set(Object.keys(fields));
}

/** Where a member stands that is not known, and which are known there. */
interface Found {
  readonly place: string;
  readonly name: string;
  readonly names: ReadonlySet<string>;
}

/**
 * Returns what is wrong with the first member that records of usage do not have: a misspelt or foreign one would be
 * dropped, and with it something that its sender means to be billed. Null if there is none; other faults are not looked for.
 */
export function unknownMember(json: unknown, members: Members): string | null {
  const found = firstUnknown(json, members);
  return found === null ? null : unknown(found);
}

/** The place is put together on the way back: a line may have thousands of points, all of them right. */
function firstUnknown(json: unknown, { names, inList }: Members): Found | null {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return null;
  // A number is an object too, of another kind.
  if (Object.getPrototypeOf(json) !== Object.prototype) return null;
  for (const name in json) if (!names.has(name)) return { place: name, name, names };
  if (inList === undefined) return null;
  const list: unknown = (json as Readonly<Record<string, unknown>>)[inList.name];
  if (!Array.isArray(list)) return null;
  for (let index = 0; index < list.length; index += 1) {
    const found = firstUnknown(list[index], inList.members);
    if (found !== null) return { ...found, place: `${inList.name}[${index}].${found.place}` };
  }
  return null;
}

function unknown({ place, name, names }: Found): string {
  const meant = closestTo(name, [...names]);
  const known = meant === null ? `its fields are ${[...names].join(', ')}` : `did you mean ${meant}?`;
  return `SubscriptionUsageRecord ${shortened(place)} is not a field of a usage record; ${known}`;
}
