import { oneStep } from '../../../../lib/runtime/index.ts';
import { type SubmittedLine, UnreadableLine } from '../../../../lib/usage/index.ts';
import { BillingError, invalidField } from '../../../../lib/values/errors/index.ts';
import { JsonBoundError, type SubmittedValue } from '../../../../lib/values/money/index.ts';
import { closestTo, shortenText } from '../../../../lib/values/text/index.ts';
import { Dialect } from '../../dialect.ts';
import { SubscriptionUsageRecord, UnitUsageRecord, UsageRecord } from '../../models/usage.ts';
import {
  type BodyReading,
  LINES_TYPE,
  malformedBody,
  type RequestBody,
  submittedJson,
} from '../../routing/body.ts';
import { slices } from '../../routing/slices.ts';
import { recordDateOfNumbers } from '../../wire/scalars.ts';
import { bodyMissing } from '../../wire/wire-type.ts';
import { ElementCutter, LineCutter, type RecordBytes, type RecordCutter, TOO_LONG } from './record-bytes.ts';

/** Number of bytes that are processed before other requests can run. This takes about a tenth of a millisecond. */
const BODY_BYTES_PER_TURN = 64 * 1_024;

interface UsageLines {
  readonly lines: AsyncIterable<SubmittedLine>;
  /**
   * Returns true if the call exceeded a limit and the remaining lines were not read. Call this function only after the
   * lines have been read.
   */
  isCut(): boolean;
  /** Returns true if the body was empty. Call this function only after the lines have been read. */
  isEmpty(): boolean;
}

/** A body with usage lines. It is a streamed JSON list, or has one record per line (usage §2.5). */
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
    return {
      lines: linesOf(limitBytes(bodyStream.chunks, state), { cutter, state, isList, reading }),
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

async function* limitBytes(chunks: AsyncIterable<Uint8Array>, state: State): AsyncGenerator<Uint8Array> {
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
    throw malformedBody('The end of the body could not be read', error);
  }
}

interface LineReading {
  readonly cutter: RecordCutter;
  readonly state: State;
  readonly isList: boolean;
  readonly reading: BodyReading;
}

/** Yields the records in order. Other requests can run between the records. */
async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  reading: LineReading,
): AsyncGenerator<SubmittedLine> {
  const { cutter, state } = reading;
  const linesIn = function* (records: Iterable<RecordBytes>): Generator<SubmittedLine> {
    for (const record of records) {
      state.isCut ||= state.lines >= state.maxLines;
      if (state.lines >= state.maxLines) return;
      state.lines += 1;
      yield lineOf(record, state.lines - 1, reading);
    }
  };
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += BODY_BYTES_PER_TURN) {
      yield* linesIn(cutter.cut(chunk.subarray(at, at + BODY_BYTES_PER_TURN)));
      if (state.lines >= state.maxLines && state.isCut) return;
      await slices(oneStep(() => undefined));
    }
  }
  // The last record may be incomplete.
  if (!state.isCut && state.bytes > 0) yield* linesIn(cutter.end());
}

/**
 * Returns one usage line. If a line is unreadable or a list element exceeds a limit, only that line fails. If a list is
 * not valid JSON, the whole list fails.
 */
function lineOf(record: RecordBytes, index: number, { reading, isList }: LineReading): SubmittedLine {
  try {
    return lineOfRecord(record, isList ? `Element ${index} of the list` : 'The line', reading);
  } catch (error) {
    const isBound = record === TOO_LONG || (error instanceof Error && error.cause instanceof JsonBoundError);
    if (error instanceof BillingError && (isBound || !isList)) return new UnreadableLine(error.message);
    throw error;
  }
}

/** Returns a usage line. Converts the date lists of dialect K. The engine validates all other values. */
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
    throw malformedBody(`${what} is not UTF-8`, error);
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function withDates(json: SubmittedValue): unknown {
  return changeElements(json, 'unitUsageRecords', (unit) =>
    changeElements(unit, 'usageRecords', (record) => {
      if (!isObject(record) || !Array.isArray(record.recordDate)) return record;
      return { ...record, recordDate: recordDateOfNumbers(record.recordDate) ?? record.recordDate };
    }),
  );
}

function changeElements(json: unknown, list: string, change: (element: unknown) => unknown): unknown {
  if (!isObject(json) || !Array.isArray(json[list])) return json;
  return { ...json, [list]: json[list].map(change) };
}

function isObject(json: unknown): json is Readonly<Record<string, unknown>> {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

interface Members {
  readonly names: ReadonlySet<string>;
  readonly inList?: { readonly name: string; readonly members: Members };
}

const ofUnits: Members = {
  names: namesOf(UnitUsageRecord),
  inList: { name: 'usageRecords', members: { names: namesOf(UsageRecord) } },
};

export const SUBMISSION_MEMBERS: Members = {
  names: namesOf(SubscriptionUsageRecord),
  inList: { name: 'unitUsageRecords', members: ofUnits },
};

/** Fields of a usage line. A line may identify the subscription by key. */
const LINE_MEMBERS: Members = {
  ...SUBMISSION_MEMBERS,
  names: new Set([...SUBMISSION_MEMBERS.names, 'subscriptionExternalKey']),
};

function namesOf({ fields }: { readonly fields: object }): ReadonlySet<string> {
  return new Set(Object.keys(fields));
}

interface Found {
  readonly place: string;
  readonly name: string;
  readonly names: ReadonlySet<string>;
}

/**
 * Returns a message about the first unknown field, or null if there is none. Without this check, an unknown field would
 * be ignored, and its usage would not be billed.
 */
export function unknownMember(json: unknown, members: Members): string | null {
  const found = firstUnknown(json, members);
  if (found === null) return null;
  const { place, name, names } = found;
  const meant = closestTo(name, [...names]);
  const known = meant === null ? `its fields are ${[...names].join(', ')}` : `did you mean ${meant}?`;
  return `SubscriptionUsageRecord ${shortenText(place)} is not a field of a usage record; ${known}`;
}

/**
 * Returns the path of the first unknown field. Builds the path only after it has found a field, because a line may have
 * thousands of valid points.
 */
function firstUnknown(json: unknown, { names, inList }: Members): Found | null {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return null;
  // Exact numbers are objects too, so they must be excluded.
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
