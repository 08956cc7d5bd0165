import type { z } from 'zod';
import { BillingError, ErrorCode, invalidField } from '../../../lib/values/errors/index.ts';
import type { Dialect, PerDialect } from '../dialect.ts';
import { ANY_TYPE, type RequestLimits } from '../request/request-limits.ts';
import type { JsonSchema } from '../wire/json-schema.ts';
import { bodyMissing, messageNameOf, validationError } from '../wire/problems.ts';
import { listOf, type WireType } from '../wire/wire-type.ts';
import { submittedJson } from './submitted-json.ts';

/** The types of an XML document. */
export const XML_TYPES = ['text/xml', 'application/xml'] as const;

/** JSON of one element on each line. */
export const LINES_TYPE = 'application/x-ndjson';

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
