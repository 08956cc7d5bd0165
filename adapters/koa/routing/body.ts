import type { z } from 'zod';
import { BillingError, ErrorCode, invalidField } from '../../../lib/values/errors/index.ts';
import {
  MAX_BULK_USAGE_BYTES,
  MAX_BULK_USAGE_LINES,
  MAX_HEADER_BYTES,
  MAX_JSON_DEPTH,
} from '../../../lib/values/limits.ts';
import { JsonBoundError, parseSubmittedJson, type SubmittedJson } from '../../../lib/values/money/index.ts';
import type { Dialect, PerDialect } from '../dialect.ts';
import {
  bodyMissing,
  type JsonSchema,
  listOf,
  messageNameOf,
  validationError,
  type WireType,
} from '../wire/wire-type.ts';

/** Bytes of a JSON body (`server.limits.json`). */
const MAX_JSON_BODY_BYTES = 1_048_576;

/** Bytes of an XML or text body (`server.limits.text`). */
const MAX_TEXT_BODY_BYTES = 10 * 1_048_576;

/** Bytes of a URL (`server.limits.url`). */
const MAX_URL_BYTES = 8 * 1_024;

/** Elements of a request array (`server.limits.list`). */
const MAX_REQUEST_LIST = 1_000;

/** Records of a page at most (`server.limits.page`); larger requests are cut. */
const MAX_PAGE_SIZE = 10_000;

/** Bytes of a gateway's notification, which is taken as it comes (payments §11.2). */
export const MAX_NOTIFICATION_BYTES = 1_048_576;

/** The types of an XML document. */
export const XML_TYPES = ['text/xml', 'application/xml'] as const;

/** JSON of one element on each line. */
export const LINES_TYPE = 'application/x-ndjson';

/** Stands for every media type. */
export const ANY_TYPE = '*/*';

/** The body that a route takes. `read` gets its bytes, undefined when there is none. */
export interface RequestBody<B> {
  /** The first one is assumed where the caller names none (http-api §3 rule 1). */
  readonly mediaTypes: readonly [string, ...string[]];
  readonly required: boolean;
  /** Schema of what is sent as JSON, or of the whole. */
  readonly json: JsonSchema;
  /** Names of the fields that it has to hold, or each element of a list. */
  readonly needed?: readonly string[];
  /** False: the document itself declares its encoding. */
  readonly utf8Only: boolean;
  /** True: it is not read before the route answers, which gets it as `bodyStream`. */
  readonly isStreamed?: true;
  read(bytes: Uint8Array | undefined, reading: BodyReading): B;
}

/** What the reading of a body depends on. */
export interface BodyReading {
  readonly dialect: Dialect;
  readonly limits: Pick<RequestLimits, 'json' | 'list' | 'bulkBytes' | 'bulkRecords'>;
  /** Of a body that is streamed; undefined where there is none. */
  readonly bodyStream?: BodyStream | undefined;
}

/** A body as it comes. */
export interface BodyStream {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** One of those that the route takes. */
  readonly mediaType: string;
  /** Ends the reading with an error. */
  giveUp(): void;
}

/** Bounds of a request (`server.limits.…`, platform §16). Sizes are bytes; above them it is refused with 413 or 414. */
export interface RequestLimits {
  readonly json: number;
  /** An XML catalog also has a bound of its own (catalog §3.2). */
  readonly text: number;
  readonly header: number;
  readonly url: number;
  /** Elements of each list in a JSON body; more are refused with 400. */
  readonly list: number;
  /** Records of a page at most; a larger page is cut. */
  readonly page: number;
  /** Bytes and records of a bulk call of usage (`usage.bulk.…`). */
  readonly bulkBytes: number;
  readonly bulkRecords: number;
}

export const defaultRequestLimits: RequestLimits = {
  json: MAX_JSON_BODY_BYTES,
  text: MAX_TEXT_BODY_BYTES,
  header: MAX_HEADER_BYTES,
  url: MAX_URL_BYTES,
  list: MAX_REQUEST_LIST,
  page: MAX_PAGE_SIZE,
  bulkBytes: MAX_BULK_USAGE_BYTES,
  bulkRecords: MAX_BULK_USAGE_LINES,
};

/** The type of a body: a model, or a list of one. */
interface Readable {
  readonly name: string;
  readonly request: PerDialect<z.ZodType>;
  readonly json: JsonSchema;
  readonly needed?: readonly string[];
}

type RequestValue<M extends Readable> = NonNullable<z.output<M['request'][Dialect]>>;

/** Looks at the JSON of a body as it came. @throws BillingError for what the model itself would leave out. */
type JsonCheck = (json: unknown, dialect: Dialect) => void;

/** A JSON object of the model. @throws (on reading) MALFORMED_BODY, MISSING_OR_INVALID_FIELD. */
export function jsonBody<M extends Readable>(model: M, check?: JsonCheck): RequestBody<RequestValue<M>> {
  const optional = optionalJsonBody(model, check);
  return {
    ...optional,
    required: true,
    read(bytes, reading) {
      const value = optional.read(bytes, reading);
      if (value !== null) return value;
      throw invalidField(bodyMissing(model.name));
    },
  };
}

/** A list of these; `name` stands for an element in messages. */
export function jsonListBody<T>(element: WireType<T>, name: string): RequestBody<readonly T[]> {
  const { request, json } = listOf(element);
  return jsonBody({ request, json, name, needed: element.needed ?? [] });
}

/** The same for a body that may be left out; null without one. */
export function optionalJsonBody<M extends Readable>(
  model: M,
  check?: JsonCheck,
): RequestBody<RequestValue<M> | null> {
  return {
    mediaTypes: ['application/json'],
    required: false,
    json: model.json,
    needed: model.needed ?? [],
    utf8Only: true,
    read(bytes, { dialect, limits }) {
      const text = bytes === undefined ? '' : utf8Text(bytes);
      if (text.trim() === '') return null;
      const json = submittedJson(text, limits.list);
      check?.(json, dialect);
      const result = model.request[dialect].safeParse(json);
      if (result.success) return result.data as RequestValue<M> | null;
      throw validationError(result.error, messageNameOf(model.name));
    },
  };
}

/** A form; `fields` are its known members with what the document says of each. */
export function formBody(fields: Readonly<Record<string, string>>): RequestBody<URLSearchParams> {
  const properties = Object.entries(fields).map(([name, description]) => [
    name,
    { type: 'string', description },
  ]);
  return {
    mediaTypes: ['application/x-www-form-urlencoded'],
    required: true,
    json: { type: 'object', properties: Object.fromEntries(properties) },
    utf8Only: true,
    read(bytes) {
      if (bytes !== undefined && bytes.length > 0) return new URLSearchParams(utf8Text(bytes));
      throw invalidField('A form needs to be sent as the body');
    },
  };
}

/** An XML document, passed on as it came. */
export const xmlBody: RequestBody<Uint8Array> = {
  mediaTypes: XML_TYPES,
  required: true,
  json: { type: 'string' },
  utf8Only: false,
  read(bytes) {
    if (bytes !== undefined && bytes.length > 0) return bytes;
    throw invalidField('A document needs to be sent as the body');
  },
};

/** A document that is JSON of the model, or XML, passed on as it came: its reader tells where each error stands. */
export function documentBody(model: Readable): RequestBody<Uint8Array> {
  return { ...xmlBody, mediaTypes: ['application/json', ...XML_TYPES], json: model.json };
}

/** A body of any type, passed on byte by byte; empty where there is none. */
export const rawBody: RequestBody<Uint8Array> = {
  mediaTypes: [ANY_TYPE],
  required: false,
  json: { type: 'string', format: 'binary' },
  utf8Only: false,
  read: (bytes) => bytes ?? new Uint8Array(),
};

/** Text, passed on unchanged; JSON is text too (http-api §3 rule 2). */
export const textBody: RequestBody<string> = {
  mediaTypes: ['text/plain', 'application/json'],
  required: true,
  json: { type: 'string' },
  utf8Only: true,
  read(bytes) {
    // As it came, with a byte order mark.
    if (bytes !== undefined && bytes.length > 0) return utf8Text(bytes, { ignoreBOM: true });
    throw invalidField('A value needs to be sent as the body');
  },
};

/** A page, or a template of one, passed on as it came. */
export const htmlBody: RequestBody<string> = {
  ...textBody,
  mediaTypes: ['text/html', 'text/plain', 'application/json'],
};

function utf8Text(bytes: Uint8Array, options: { readonly ignoreBOM?: boolean } = {}): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ...options }).decode(bytes);
  } catch (error) {
    throw new BillingError({
      code: ErrorCode.MALFORMED_BODY,
      message: 'The body is not UTF-8',
      cause: error,
    });
  }
}

/** How many bytes a body may have; a text endpoint takes JSON as text, and a body of any type is a notification. */
export function bodyLimit(
  { mediaTypes, isStreamed }: { readonly mediaTypes: readonly string[]; readonly isStreamed?: true },
  limits: RequestLimits,
): number {
  if (isStreamed) return limits.bulkBytes;
  if (mediaTypes[0] === ANY_TYPE) return MAX_NOTIFICATION_BYTES;
  return mediaTypes[0] === 'application/json' ? limits.json : limits.text;
}

/**
 * Reads the JSON of a body. Lists are counted while they are read, so that a list that is too long is never made.
 * @param what names the JSON in messages, such as `The body`.
 * @throws BillingError MALFORMED_BODY for other text and for JSON nested too deep, MISSING_OR_INVALID_FIELD for a list of
 * more than `maxElements`.
 */
export function submittedJson(text: string, maxElements: number, what = 'The body'): SubmittedJson {
  try {
    return parseSubmittedJson(text, { depth: MAX_JSON_DEPTH, elements: maxElements });
  } catch (error) {
    if (error instanceof JsonBoundError) throw outOfBounds(error, maxElements);
    const reason = error instanceof Error ? error.message : String(error);
    throw new BillingError({
      code: ErrorCode.MALFORMED_BODY,
      message: `${what} is not JSON: ${reason}`,
      cause: error,
    });
  }
}

function outOfBounds(error: JsonBoundError, maxElements: number): BillingError {
  if (error.bound === 'elements') {
    return new BillingError({
      code: ErrorCode.MISSING_OR_INVALID_FIELD,
      message: `A list of the body has ${error.found} elements; at most ${maxElements} are allowed`,
      facts: { elements: error.found, maxElements },
      cause: error,
    });
  }
  return new BillingError({
    code: ErrorCode.MALFORMED_BODY,
    message: `The body has lists and objects more than ${MAX_JSON_DEPTH} levels deep`,
    cause: error,
  });
}
