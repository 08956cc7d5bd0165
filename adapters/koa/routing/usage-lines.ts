import { type SubmittedLine, UnreadableLine } from '../../../lib/usage/index.ts';
import { BillingError, ErrorCode, invalidField } from '../../../lib/values/errors/index.ts';
import { type ExactJson, parseExactJson } from '../../../lib/values/money/index.ts';
import { Dialect } from '../dialect.ts';
import { SubscriptionUsageRecord } from '../models/usage.ts';
import { bodyMissing } from '../wire/problems.ts';
import { recordDateOfNumbers } from '../wire/scalars.ts';
import { type BodyReading, LINES_TYPE, type RequestBody } from './body.ts';
import { checkJsonDepth } from './json-depth.ts';
import { checkListLengths } from './list-lengths.ts';

/** Usage of many subscriptions, which is read while it is recorded. */
export interface UsageLines {
  readonly lines: AsyncIterable<SubmittedLine>;
  /** Once it was read: true if it had more lines or bytes than one call may have; what comes after was not read. */
  isCut(): boolean;
  /** Once it was read: true if there was nothing in it. */
  isEmpty(): boolean;
}

/** A list of records as JSON, or one record on each line, which is not held in memory as a whole (usage §2.5). */
export const usageLinesBody: RequestBody<UsageLines> = {
  mediaTypes: ['application/json', LINES_TYPE],
  required: true,
  json: { type: 'array', items: SubscriptionUsageRecord.json },
  utf8Only: true,
  isStreamed: true,
  read(_bytes, reading) {
    const { bodyStream } = reading;
    if (bodyStream === undefined) throw invalidField(bodyMissing(SubscriptionUsageRecord.name));
    const { bulkBytes: maxBytes, bulkRecords: maxLines } = reading.limits;
    const state: State = { bytes: 0, lines: 0, isCut: false, maxBytes, maxLines };
    const bytes = limited(bodyStream.chunks, state);
    const isJson = bodyStream.mediaType === 'application/json';
    return {
      lines: isJson ? elementsOf(bytes, state, reading) : linesOf(bytes, state, reading),
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
    throw new BillingError({
      code: ErrorCode.MALFORMED_BODY,
      message: 'The body could not be read to its end',
      cause: error,
    });
  }
}

const NEW_LINE = 0x0a;

async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  state: State,
  reading: BodyReading,
): AsyncGenerator<SubmittedLine> {
  let begun: Uint8Array[] = [];
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(NEW_LINE); end >= 0; end = chunk.indexOf(NEW_LINE, from)) {
      const line = Buffer.concat([...begun, chunk.subarray(from, end)]);
      [begun, from] = [[], end + 1];
      if (isBlank(line)) continue;
      if (!isCounted(state)) return;
      yield lineOf(line, reading);
    }
    begun.push(chunk.subarray(from));
  }
  const last = Buffer.concat(begun);
  // What was cut off is no line.
  if (state.isCut || isBlank(last) || !isCounted(state)) return;
  yield lineOf(last, reading);
}

async function* elementsOf(
  chunks: AsyncIterable<Uint8Array>,
  state: State,
  reading: BodyReading,
): AsyncGenerator<SubmittedLine> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  if (state.isCut || state.bytes === 0) return;
  const list = parsed(Buffer.concat(all));
  if (!Array.isArray(list)) {
    throw new BillingError({ code: ErrorCode.MALFORMED_BODY, message: 'The body is not a list' });
  }
  for (const element of list as readonly ExactJson[]) {
    if (!isCounted(state)) return;
    yield ofJson(element, reading);
  }
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

function lineOf(bytes: Uint8Array, reading: BodyReading): SubmittedLine {
  try {
    return ofJson(parsed(bytes), reading);
  } catch (error) {
    if (error instanceof BillingError) return new UnreadableLine(error.message);
    throw error;
  }
}

function parsed(bytes: Uint8Array): ExactJson {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    checkJsonDepth(text);
    return parseExactJson(text);
  } catch (error) {
    if (error instanceof BillingError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new BillingError({
      code: ErrorCode.MALFORMED_BODY,
      message: `What was sent is not JSON in UTF-8: ${reason}`,
      cause: error,
    });
  }
}

/** What the lists of dialect K mean as dates is settled here; everything else is for the engine to read. */
function ofJson(json: ExactJson, { dialect, limits }: BodyReading): SubmittedLine {
  try {
    checkListLengths(json, limits.list);
  } catch (error) {
    if (error instanceof BillingError) return new UnreadableLine(error.message);
    throw error;
  }
  return (dialect === Dialect.K ? withDates(json) : json) as SubmittedLine;
}

function withDates(json: ExactJson): unknown {
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

function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
