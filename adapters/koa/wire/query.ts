import { z } from 'zod';
import { ErrorCode, invalidParameter } from '../../../lib/values/errors/index.ts';
import { isUuid, type Uuid } from '../../../lib/values/ids/index.ts';
import {
  DEFAULT_PAGE_SIZE,
  MAX_COMPLETION_WAIT_MS,
  MAX_INTEGER_DIGITS,
  MAX_NUMBER_CHARACTERS,
} from '../../../lib/values/limits.ts';
import { parseWireDecimal } from '../../../lib/values/money/index.ts';
import { isStorable, NOT_STORABLE, shortenText } from '../../../lib/values/text/index.ts';
import {
  isTimeZone,
  parseWireInstant,
  parseWireMoment,
  type TimeZone,
  timeZone as timeZoneOf,
} from '../../../lib/values/time/index.ts';
import { Dialect } from '../dialect.ts';
import { withLazy } from './lazy-values.ts';
import { DATE_OR_DATE_TIME, documentOf, type JsonSchema, refuse } from './wire-type.ts';

/** See http-api §6. */
export interface QueryParameter<T> {
  /** If true, reads all values of the parameter. If false, reads the first value. */
  readonly many: boolean;
  readonly required: boolean;
  /** True if an empty string differs from an absent parameter. */
  readonly keepsEmpty?: true;
  /** True if the parameter is a waiting time in seconds, which `waitBound` limits. */
  readonly isWait?: true;
  /** Schema of the parameter. If the parameter is absent or empty, the schema parses undefined. */
  readonly schema: z.ZodType<T>;
  readonly json: JsonSchema;
}

export type QueryParameters = Readonly<Record<string, QueryParameter<unknown>>>;
export type QueryOf<P extends QueryParameters> = {
  readonly [K in keyof P]: P[K] extends QueryParameter<infer T> ? T : never;
};

type Reading<T> = { readonly value: T } | { readonly problem: string };
type Read<T> = (text: string) => Reading<T>;

/** Returns a schema that parses strings. `parse` returns undefined for an invalid string. */
function reads<T>(
  parse: (text: string) => T | undefined,
  problem: string | ((text: string) => string),
): Read<T> {
  return (text) => {
    const value = parse(text);
    if (value !== undefined) return { value };
    return { problem: typeof problem === 'string' ? problem : problem(text) };
  };
}

function quoteInProblem(problem: string) {
  return (text: string) => `${problem}: "${shortenText(text)}"`;
}

const anyText: Read<string> = (value) => ({ value });
const truths = new Map([
  ['true', true],
  ['false', false],
]);
const truth = reads((text) => truths.get(text.toLowerCase()), 'is neither true nor false');

export function flag(fallback = false): QueryParameter<boolean> {
  return single(() => z.boolean().default(fallback), truth, { fallback });
}

/** A flag that must be true. If the flag is false, the operation returns its own error. */
export const consent = single(() => z.boolean(), truth, { fallback: false, required: true });

/** A flag whose value is null if the parameter is absent. Its default depends on the call. */
export const optionalFlag = optional(() => z.boolean(), truth);

function integerOf(text: string): number | undefined {
  return /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
}

export function integer<F extends number | undefined>(
  fallback: F,
  { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER }: IntegerBounds = {},
): QueryParameter<number | F> {
  const read = reads(
    (text) => {
      const value = integerOf(text) ?? Number.NaN;
      return value >= minimum && value <= maximum ? value : undefined;
    },
    (text) =>
      integerOf(text) === undefined ? 'is not an integer' : `is not between ${minimum} and ${maximum}`,
  );
  return single(() => orDefault(z.int().min(minimum).max(maximum), fallback), read, { fallback });
}

interface IntegerBounds {
  readonly minimum?: number;
  readonly maximum?: number;
}

function orDefault(answer: z.ZodInt, fallback: number | undefined): z.ZodType {
  return fallback === undefined ? answer : answer.default(fallback);
}

/** A waiting time in seconds. The parameter accepts any value, and `waitBound` limits this value. */
export function waitSeconds<F extends number | undefined>(fallback: F): QueryParameter<number | F> {
  const maximum = MAX_COMPLETION_WAIT_MS / 1_000;
  const read = reads(
    (text) => (/^\+?\d+$/.test(text) ? Number(text) : undefined),
    (text) => (/^-\d+$/.test(text) ? 'is below 0' : 'is not an integer'),
  );
  return single(() => orDefault(z.int().min(0).max(maximum), fallback), read, { fallback, isWait: true });
}

/**
 * Limits waiting times. Dialect K shortens long waits; dialect D rejects them (R62).
 * @throws (when called) BillingError INVALID_PARAMETER (60002).
 */
export function waitBound<P extends QueryParameters>(
  parameters: P,
): (query: QueryOf<P>, bound: { readonly mostSec: number; readonly dialect: Dialect }) => QueryOf<P> {
  const waits = Object.keys(parameters).filter((name) => parameters[name]?.isWait);
  if (waits.length === 0) return (query) => query;
  return (query, { mostSec, dialect }) => {
    const asked: Readonly<Record<string, unknown>> = query;
    const exceeding = waits.filter((name) => Number(asked[name] ?? 0) > mostSec);
    const [first] = exceeding;
    if (first === undefined) return query;
    if (dialect === Dialect.D)
      throw invalidParameter(`Query parameter ${first} is not between 0 and ${mostSec}`);
    return { ...query, ...Object.fromEntries(exceeding.map((name) => [name, mostSec])) };
  };
}

/** A page size. The parameter accepts any value, and `cutPage` reduces this value to the maximum. */
const pageLimit = single(() => z.int().default(DEFAULT_PAGE_SIZE), reads(integerOf, 'is not an integer'), {
  fallback: DEFAULT_PAGE_SIZE,
});

/** Absent means null. */
export const plainText = optional(() => z.string(), anyText);

/** A string. If the parameter is absent, the value is null, which differs from an empty string. */
export const textOrEmpty = optional(() => z.string(), anyText, { keepsEmpty: true });

function uuidOf(text: string): Uuid | undefined {
  const lower = text.toLowerCase();
  return isUuid(lower) ? lower : undefined;
}

/** Absent means null. */
export const uuidParameter = optional(() => z.guid(), reads(uuidOf, 'is not a UUID'));

const amountLimits = { integerDigits: MAX_INTEGER_DIGITS, fractionDigits: MAX_NUMBER_CHARACTERS };

/**
 * An amount with up to 15 digits before the decimal point, or null if the parameter is absent. The operation checks the
 * digits after the decimal point against the currency.
 */
export const amountParameter = optional(
  () => z.number(),
  reads(
    (text) => parseWireDecimal(text, amountLimits),
    quoteInProblem(`is not a decimal of at most ${MAX_INTEGER_DIGITS} integer digits`),
  ),
);

const notAMoment = quoteInProblem('is neither a date nor a date-time');

/**
 * A date or date-time. The schema declares only one format, because generated Java clients cannot handle a parameter
 * with two formats.
 */
const dateOrDateTime = z.string().meta({ format: DATE_OR_DATE_TIME });

/**
 * A date or date-time that the operation interprets (http-api §9 rule 3). The value is null if the parameter is
 * absent.
 */
export const moment = optional(() => dateOrDateTime, reads(parseWireMoment, notAMoment));

/** An instant. A date means 00:00 UTC. The value is null if the parameter is absent. */
export const instantParameter = optional(
  () => dateOrDateTime,
  reads((text) => parseWireInstant(text), notAMoment),
);

export function zoneParameter(fallback: TimeZone): QueryParameter<TimeZone> {
  const read = reads(
    (text) => (isTimeZone(text) ? timeZoneOf(text) : undefined),
    quoteInProblem('is neither an IANA time zone nor an offset ±HH:MM'),
  );
  return single(() => z.string().default(fallback), read, { fallback });
}

type Values<V> = Readonly<Record<string, V>> | readonly V[];

/** Accepts any letter case. */
export function choice<V extends string>(values: Values<V>, fallback: V): QueryParameter<V> {
  const allowed = Object.values(values);
  return single(() => z.enum(allowed).default(fallback as never), oneOf(allowed), { fallback });
}

/**
 * Returns a parameter that accepts any letter case. Its value is null if the parameter is absent. `documented` is the
 * default that the operation uses for an absent value.
 */
export function optionalChoice<V extends string>(
  values: Values<V>,
  documented?: V,
): QueryParameter<V | null> {
  const allowed = Object.values(values);
  const answer = () => z.enum(allowed);
  const documentedSchema = () =>
    documented === undefined ? answer() : answer().default(documented as never);
  return optional(documentedSchema, oneOf(allowed));
}

function oneOf<V extends string>(allowed: readonly V[], prefix?: (text: string) => string): Read<V> {
  return reads(
    (text) => allowed.find((each) => each.toUpperCase() === text.toUpperCase()),
    (text) => `${prefix?.(text) ?? ''}is not one of ${allowed.join(', ')}`,
  );
}

/** A list of UUIDs. The parameter may be repeated, or its values may be separated by commas (http-api §6 rule 4). */
export const uuidList = listParameter(
  () => z.guid(),
  reads(uuidOf, (text) => `contains an invalid UUID: "${shortenText(text.toLowerCase())}"`),
);

/** Repeated or comma-separated. */
export const textList = listParameter(() => z.string(), anyText);

/**
 * Returns a parameter for a list of choices in any letter case. The parameter may be repeated, or its values may be
 * separated by commas.
 */
export function choiceList<V extends string>(values: Values<V>): QueryParameter<readonly V[]> {
  const allowed = Object.values(values);
  return listParameter(
    () => z.enum(allowed),
    oneOf(allowed, (text) => `holds "${shortenText(text)}", which `),
  );
}

function listParameter<T>(item: () => z.ZodType, read: Read<T>): QueryParameter<readonly T[]> {
  return repeatedParameter((texts, context) => {
    const parts = texts.flatMap((text) => text.split(',')).map((part) => part.trim());
    const values: T[] = [];
    for (const part of parts) {
      if (part === '') continue;
      const reading = read(part);
      if ('problem' in reading) return invalid(context, reading.problem);
      values.push(reading.value);
    }
    return values;
  }, item);
}

type Context = Parameters<typeof refuse>[0];

function invalid(context: Context, message: string): never {
  return refuse(context, { code: ErrorCode.INVALID_PARAMETER, text: message });
}

function repeatedParameter<T>(
  read: (texts: readonly string[], context: Context) => readonly T[],
  item: () => z.ZodType = () => z.string(),
): QueryParameter<readonly T[]> {
  const texts = () => z.array(z.string()).optional();
  return withLazy(
    { many: true, required: false },
    {
      schema: () => texts().transform((given, context) => read(given ?? [], context)),
      json: () => ({ type: 'array', items: documentOf(item()) }),
    },
  );
}

/** A parameter that may be repeated. Its values are never split, and empty values are ignored. */
export const wholeTexts = repeatedParameter((texts) => texts.filter((text) => text.trim() !== ''));

export interface PluginPropertyParameter {
  readonly key: string;
  readonly value: string;
}

/**
 * Plugin properties, as a repeated parameter `pluginProperty=key%3Dvalue`. Entries without `=` or without a value are
 * ignored (http-api §6 rule 5).
 */
export const pluginProperties = repeatedParameter<PluginPropertyParameter>((texts) =>
  texts.flatMap((text) => {
    const at = text.indexOf('=');
    const value = text.slice(at + 1);
    return at < 0 || value === '' ? [] : [{ key: text.slice(0, at), value }];
  }),
);

/** Parameters of paged lists (http-api §8). A negative limit lists backward. */
export const pageParameters = {
  offset: integer(0, { minimum: 0 }),
  limit: pageLimit,
};

export function isPaged({ limit }: QueryParameters): boolean {
  return limit === pageLimit;
}

/** Limits the page size to the maximum, in either direction. */
export function cutPage<P extends QueryParameters>(
  parameters: P,
  query: QueryOf<P>,
  maxPage: number,
): QueryOf<P> {
  const { limit } = query as { readonly limit?: unknown };
  if (!isPaged(parameters) || typeof limit !== 'number') return query;
  return { ...query, limit: Math.max(-maxPage, Math.min(maxPage, limit)) };
}

/** Page parameters of a search. An offset of -1 requests one exact match (http-api §8 rule 2). */
export const exactPageParameters = { ...pageParameters, offset: integer(0, { minimum: -1 }) };

type WithoutNulls<T> = {
  readonly [K in keyof T as null extends T[K] ? never : K]: T[K];
} & { readonly [K in keyof T as null extends T[K] ? K : never]?: NonNullable<T[K]> };

/** Returns the object without null members. Used for operations with optional parameters. */
export function withoutNulls<T extends object>(values: T): WithoutNulls<T> {
  const given = Object.entries(values).filter(([, value]) => value !== null);
  return Object.fromEntries(given) as WithoutNulls<T>;
}

/** Returns a required parameter. If it is absent, the error has the code `missing`. */
export function requiredParameter<T>(
  parameter: QueryParameter<T | null>,
  missing: ErrorCode = ErrorCode.MISSING_OR_INVALID_FIELD,
): QueryParameter<T> {
  const { many, keepsEmpty } = parameter;
  const requireValue = (value: T | null, context: Context): T =>
    value ?? refuse(context, { code: missing, text: 'needs to be set' });
  return withLazy(
    { many, required: true, ...(keepsEmpty && { keepsEmpty }) },
    { schema: () => parameter.schema.transform(requireValue), json: () => parameter.json },
  );
}

/** Returns the schema of a query. The schema ignores parameters that it does not define. */
export function querySchema<P extends QueryParameters>(parameters: P): z.ZodType<QueryOf<P>> {
  const shape = Object.fromEntries(Object.entries(parameters).map(([name, each]) => [name, each.schema]));
  const schema: z.ZodType<unknown> = z.object(shape);
  return schema as z.ZodType<QueryOf<P>>;
}

/** Returns the query with its default values, for links to other pages. */
export function filledQuery(parameters: QueryParameters, queryString: string): URLSearchParams {
  const given = rawQuery(parameters, queryString);
  const filled = new URLSearchParams();
  for (const [name, parameter] of Object.entries(parameters)) {
    const value = given[name] ?? parameter.json.default;
    for (const text of Array.isArray(value) ? value : [value]) {
      if (text !== undefined) filled.append(name, String(text));
    }
  }
  return filled;
}

/** Parses a raw query string into the input of `querySchema`. */
export function rawQuery(
  parameters: QueryParameters,
  queryString: string,
): Record<string, string | string[]> {
  const search = new URLSearchParams(queryString);
  const raw: Record<string, string | string[]> = {};
  for (const [name, parameter] of Object.entries(parameters)) {
    const values = search.getAll(name);
    const [first] = values;
    if (parameter.many) raw[name] = values.filter((value) => value !== '');
    else if (first !== undefined && (first !== '' || parameter.keepsEmpty)) raw[name] = first;
  }
  return raw;
}

/**
 * Checks the texts of a query.
 * @throws BillingError INVALID_PARAMETER if they contain characters that databases cannot store.
 */
export function checkQueryTexts(raw: Readonly<Record<string, string | readonly string[]>>): void {
  for (const [name, value] of Object.entries(raw)) {
    if ([value].flat().every(isStorable)) continue;
    throw invalidParameter(`Query parameter ${name} ${NOT_STORABLE}`, { parameter: name });
  }
}

interface SingleOptions<F> extends Partial<Pick<QueryParameter<F>, 'keepsEmpty' | 'required' | 'isWait'>> {
  readonly fallback: F;
}

function single<T, F>(
  answer: () => z.ZodType,
  read: Read<T>,
  { fallback, ...options }: SingleOptions<F>,
): QueryParameter<T | F> {
  const text = () => z.string().optional();
  return withLazy(
    { required: false, ...options, many: false },
    {
      schema: () =>
        text().transform((given, context): T | F => {
          if (given === undefined) return fallback;
          const reading = read(given);
          return 'value' in reading ? reading.value : invalid(context, reading.problem);
        }),
      json: () => documentOf(answer()),
    },
  );
}

function optional<T>(answer: () => z.ZodType, read: Read<T>, options: { readonly keepsEmpty?: true } = {}) {
  return single<T, null>(answer, read, { ...options, fallback: null });
}
