import type { z } from 'zod';
import { BillingError, ErrorCode, invalidField } from '../../../lib/values/errors/index.ts';
import {
  MAX_BULK_USAGE_BYTES,
  MAX_BULK_USAGE_LINES,
  MAX_HEADER_BYTES,
  MAX_JSON_DEPTH,
} from '../../../lib/values/limits.ts';
import { JsonBoundError, parseSubmittedJson, type SubmittedValue } from '../../../lib/values/money/index.ts';
import type { Dialect, PerDialect } from '../dialect.ts';
import {
  bodyMissing,
  type JsonSchema,
  listOf,
  messageNameOf,
  validationError,
  type WireType,
} from '../wire/wire-type.ts';

/** Bytes (`server.limits.json`). */
const MAX_JSON_BODY_BYTES = 1_048_576;

/** Maximum number of bytes in an XML or text body (`server.limits.text`). */
const MAX_TEXT_BODY_BYTES = 10 * 1_048_576;

/** Bytes (`server.limits.url`). */
const MAX_URL_BYTES = 8 * 1_024;

/** Maximum number of list elements in a request (`server.limits.list`). */
const MAX_REQUEST_LIST = 1_000;

/** Maximum number of records per page (`server.limits.page`). A larger requested page size is reduced to this limit. */
const MAX_PAGE_SIZE = 10_000;

/** Bytes (payments §11.2). */
export const MAX_NOTIFICATION_BYTES = 1_048_576;

export const XML_TYPES = ['text/xml', 'application/xml'] as const;

export const LINES_TYPE = 'application/x-ndjson';

export const ANY_TYPE = '*/*';

/** A kind of request body. If the request has no body, `read` receives undefined. */
export interface RequestBody<B> {
  /** Media types. The first one is the default (http-api §3 rule 1). */
  readonly mediaTypes: readonly [string, ...string[]];
  readonly required: boolean;
  /** JSON schema of the body. */
  readonly json: JsonSchema;
  /** Fields that the body, or each element of its list, must contain. */
  readonly needed?: readonly string[];
  /** False if the body itself declares its encoding. */
  readonly utf8Only: boolean;
  /** True if the route reads the body itself from `bodyStream`. */
  readonly isStreamed?: true;
  read(bytes: Uint8Array | undefined, reading: BodyReading): B;
}

export interface BodyReading {
  readonly dialect: Dialect;
  readonly limits: Pick<RequestLimits, 'json' | 'list' | 'bulkBytes' | 'bulkRecords'>;
  /** Undefined unless streamed. */
  readonly bodyStream?: BodyStream | undefined;
}

export interface BodyStream {
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly mediaType: string;
  giveUp(): void;
}

/**
 * Request limits in bytes (`server.limits.…`, platform §16). Requests that exceed a limit are rejected with 413 or 414.
 */
export interface RequestLimits {
  readonly json: number;
  /** Maximum number of bytes of an XML or text body. XML catalogs have an additional limit (catalog §3.2). */
  readonly text: number;
  readonly header: number;
  readonly url: number;
  /** Maximum number of elements in a JSON list. Longer lists are rejected with 400. */
  readonly list: number;
  /** Maximum number of records per page. A larger requested page size is reduced to this limit. */
  readonly page: number;
  /** Limits of bulk usage (`usage.bulk.…`). */
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

interface Readable {
  readonly name: string;
  readonly request: PerDialect<z.ZodType>;
  readonly json: JsonSchema;
  readonly needed?: readonly string[];
}

type RequestValue<M extends Readable> = NonNullable<z.output<M['request'][Dialect]>>;

/** Checks the raw JSON. @throws BillingError for fields that the model would ignore. */
type JsonCheck = (json: unknown, dialect: Dialect) => void;

/** @throws (when the body is read) BillingError MALFORMED_BODY or MISSING_OR_INVALID_FIELD. */
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

/** Returns a body that contains a list. Messages use `name` for an element of the list. */
export function jsonListBody<T>(element: WireType<T>, name: string): RequestBody<readonly T[]> {
  const { request, json } = listOf(element);
  return jsonBody({ request, json, name, needed: element.needed ?? [] });
}

/** Returns null without a body. */
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

/** Returns a form body. `fields` contains the description of each form field. */
export function formBody(fields: Readonly<Record<string, string>>): RequestBody<URLSearchParams> {
  const property = (description: string) => ({ type: 'string', description });
  const properties = Object.entries(fields).map(([name, text]) => [name, property(text)]);
  return {
    mediaTypes: ['application/x-www-form-urlencoded'],
    required: true,
    json: { type: 'object', properties: Object.fromEntries(properties) },
    utf8Only: true,
    read: (bytes) => new URLSearchParams(utf8Text(sentBytes(bytes, 'A form'))),
  };
}

export const xmlBody: RequestBody<Uint8Array> = {
  mediaTypes: XML_TYPES,
  required: true,
  json: { type: 'string' },
  utf8Only: false,
  read: (bytes) => sentBytes(bytes, 'A document'),
};

function sentBytes(bytes: Uint8Array | undefined, what: string): Uint8Array {
  if (bytes !== undefined && bytes.length > 0) return bytes;
  throw invalidField(`${what} needs to be sent as the body`);
}

/**
 * Returns a body in the model's JSON format or in XML. The body is not parsed here, because its own parser reports the
 * positions of errors.
 */
export function documentBody(model: Readable): RequestBody<Uint8Array> {
  return { ...xmlBody, mediaTypes: ['application/json', ...XML_TYPES], json: model.json };
}

/** A body of any type; empty if missing. */
export const rawBody: RequestBody<Uint8Array> = {
  mediaTypes: [ANY_TYPE],
  required: false,
  json: { type: 'string', format: 'binary' },
  utf8Only: false,
  read: (bytes) => bytes ?? new Uint8Array(),
};

/** A body of text that is passed on unchanged. JSON is accepted as text (http-api §3 rule 2). */
export const textBody: RequestBody<string> = {
  mediaTypes: ['text/plain', 'application/json'],
  required: true,
  json: { type: 'string' },
  utf8Only: true,
  // Keeps a byte order mark.
  read: (bytes) => utf8Text(sentBytes(bytes, 'A value'), true),
};

export const htmlBody: RequestBody<string> = {
  ...textBody,
  mediaTypes: ['text/html', 'text/plain', 'application/json'],
};

function utf8Text(bytes: Uint8Array, ignoreBOM = false): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM }).decode(bytes);
  } catch (error) {
    throw malformedBody('The body is not UTF-8', error);
  }
}

/**
 * Returns the size limit of a body. Text endpoints also accept JSON as text. If any media type is allowed, the body is
 * a gateway notification.
 */
export function bodyLimit(
  { mediaTypes, isStreamed }: { readonly mediaTypes: readonly string[]; readonly isStreamed?: true },
  limits: RequestLimits,
): number {
  if (isStreamed) return limits.bulkBytes;
  if (mediaTypes[0] === ANY_TYPE) return MAX_NOTIFICATION_BYTES;
  return mediaTypes[0] === 'application/json' ? limits.json : limits.text;
}

/**
 * Parses JSON and counts the elements of lists.
 * @throws BillingError MALFORMED_BODY if the JSON is invalid or too deeply nested, or MISSING_OR_INVALID_FIELD if a
 * list has more than `maxElements` elements.
 */
export function submittedJson(text: string, maxElements: number, what = 'The body'): SubmittedValue {
  try {
    return parseSubmittedJson(text, { depth: MAX_JSON_DEPTH, elements: maxElements });
  } catch (error) {
    if (error instanceof JsonBoundError) throw outOfBounds(error, maxElements);
    const reason = error instanceof Error ? error.message : String(error);
    throw malformedBody(`${what} is not JSON: ${reason}`, error);
  }
}

function outOfBounds(error: JsonBoundError, maxElements: number): BillingError {
  if (error.bound === 'elements') {
    return new BillingError({
      code: ErrorCode.MISSING_OR_INVALID_FIELD,
      message: `A list in the body has ${error.found} elements; at most ${maxElements} are allowed`,
      facts: { elements: error.found, maxElements },
      cause: error,
    });
  }
  return malformedBody(`The body nests lists and objects more than ${MAX_JSON_DEPTH} levels deep`, error);
}

export function malformedBody(message: string, cause: unknown): BillingError {
  return new BillingError({ code: ErrorCode.MALFORMED_BODY, message, cause });
}
