import { z } from 'zod';
import { ErrorCode, invalidParameter } from '../../../lib/values/errors/index.ts';
import { isUuid, type Uuid } from '../../../lib/values/ids/index.ts';
import {
  DEFAULT_PAGE_SIZE,
  MAX_COMPLETION_WAIT_MS,
  MAX_INTEGER_DIGITS,
  MAX_NUMBER_CHARACTERS,
} from '../../../lib/values/limits.ts';
import { type Decimal, parseWireDecimal } from '../../../lib/values/money/index.ts';
import { isStorable, NOT_STORABLE, shortened } from '../../../lib/values/text/index.ts';
import {
  type Instant,
  isTimeZone,
  parseWireInstant,
  parseWireMoment,
  type TimeZone,
  timeZone as timeZoneOf,
  type WireMoment,
} from '../../../lib/values/time/index.ts';
import { Dialect } from '../dialect.ts';
import { onDemand } from './on-demand.ts';
import { DATE_OR_DATE_TIME, documentOf, type JsonSchema, refuse } from './wire-type.ts';

/** See http-api §6. */
export interface QueryParameter<T> {
  /** True: reads all texts; false: the first. */
  readonly many: boolean;
  readonly required: boolean;
  /** True: an empty text differs from an absent one. */
  readonly keepsEmpty?: true;
  /** True: seconds, bounded by `waitBound`. */
  readonly isWait?: true;
  /** Undefined means absent or empty. */
  readonly schema: z.ZodType<T>;
  readonly json: JsonSchema;
}

export type QueryParameters = Readonly<Record<string, QueryParameter<unknown>>>;
export type QueryOf<P extends QueryParameters> = {
  readonly [K in keyof P]: P[K] extends QueryParameter<infer T> ? T : never;
};

type Reading<T> = { readonly value: T } | { readonly problem: string };

/** `parse` returns undefined for invalid texts, which follow the problem in the message. */
function readBy<T>(parse: (text: string) => T | undefined, problem: string) {
  return (text: string): Reading<T> => {
    const value = parse(text);
    return value === undefined ? { problem: `${problem}: "${shortened(text)}"` } : { value };
  };
}

export function flag(fallback = false): QueryParameter<boolean> {
  return single({ answer: () => z.boolean().default(fallback), fallback, read: truth });
}

/** A flag that must be true: the operation refuses false with its own error. */
export const consent: QueryParameter<boolean> = single(
  { answer: () => z.boolean(), fallback: false, read: truth },
  { required: true },
);

/** Null if absent: the default depends on the call. */
export const optionalFlag: QueryParameter<boolean | null> = single<boolean | null>({
  answer: () => z.boolean(),
  fallback: null,
  read: truth,
});

function truth(text: string): Reading<boolean> {
  const word = text.toLowerCase();
  return word === 'true' || word === 'false'
    ? { value: word === 'true' }
    : { problem: 'is neither true nor false' };
}

export function integer<F extends number | undefined>(
  fallback: F,
  bounds: { readonly minimum?: number; readonly maximum?: number } = {},
): QueryParameter<number | F> {
  const minimum = bounds.minimum ?? Number.MIN_SAFE_INTEGER;
  const maximum = bounds.maximum ?? Number.MAX_SAFE_INTEGER;
  return single<number | F>({
    answer: () => orDefault(z.int().min(minimum).max(maximum), fallback),
    fallback,
    read(text) {
      const value = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
      if (value >= minimum && value <= maximum) return { value };
      return {
        problem: Number.isNaN(value) ? 'is not an integer' : `is not between ${minimum} and ${maximum}`,
      };
    },
  });
}

function orDefault(answer: z.ZodInt, fallback: number | undefined): z.ZodType {
  return fallback === undefined ? answer : answer.default(fallback);
}

/** Seconds of any size, bounded by `waitBound`. */
export function waitSeconds<F extends number | undefined>(fallback: F): QueryParameter<number | F> {
  return single<number | F>(
    {
      answer: () =>
        orDefault(
          z
            .int()
            .min(0)
            .max(MAX_COMPLETION_WAIT_MS / 1_000),
          fallback,
        ),
      fallback,
      read(text) {
        if (/^\+?\d+$/.test(text)) return { value: Number(text) };
        return { problem: /^-\d+$/.test(text) ? 'is below 0' : 'is not an integer' };
      },
    },
    { isWait: true },
  );
}

/**
 * Bounds waits: dialect K reduces, dialect D refuses (R62). @throws (on bounding) BillingError INVALID_PARAMETER
 * (60002).
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

/** Of any size, reduced by `cutPage`. */
const pageLimit: QueryParameter<number> = single<number>({
  answer: () => z.int().default(DEFAULT_PAGE_SIZE),
  fallback: DEFAULT_PAGE_SIZE,
  read: (text) => (/^[+-]?\d+$/.test(text) ? { value: Number(text) } : { problem: 'is not an integer' }),
});

/** Absent = null. */
export const plainText: QueryParameter<string | null> = single({
  answer: () => z.string(),
  fallback: null,
  read: (text) => ({ value: text }),
});

/** Absent = null, distinct from empty. */
export const textOrEmpty: QueryParameter<string | null> = single(
  { answer: () => z.string(), fallback: null, read: (text) => ({ value: text }) },
  { keepsEmpty: true },
);

/** Absent = null. */
export const uuidParameter: QueryParameter<Uuid | null> = single({
  answer: () => z.guid(),
  fallback: null,
  read(text) {
    const lower = text.toLowerCase();
    return isUuid(lower) ? { value: lower } : { problem: 'is not a UUID' };
  },
});

const amountLimits = { integerDigits: MAX_INTEGER_DIGITS, fractionDigits: MAX_NUMBER_CHARACTERS };

/** Up to 15 integer digits; absent = null. The operation checks the currency's fractional digits. */
export const amountParameter: QueryParameter<Decimal | null> = single<Decimal | null>({
  answer: () => z.number(),
  fallback: null,
  read: readBy(
    (text) => parseWireDecimal(text, amountLimits),
    `is not a decimal of at most ${MAX_INTEGER_DIGITS} integer digits`,
  ),
});

const notAMoment = 'is neither a date nor a date-time';

/** One format, since Java clients cannot omit or send a parameter with two. */
const dateOrDateTime = z.string().meta({ format: DATE_OR_DATE_TIME });

/** The operation interprets it (http-api §9 rule 3); absent = null. */
export const moment: QueryParameter<WireMoment | null> = single({
  answer: () => dateOrDateTime,
  fallback: null,
  read: readBy(parseWireMoment, notAMoment),
});

/** A date means 00:00 UTC; absent = null. */
export const instantParameter: QueryParameter<Instant | null> = single({
  answer: () => dateOrDateTime,
  fallback: null,
  read: readBy(parseWireInstant, notAMoment),
});

export function zoneParameter(fallback: TimeZone): QueryParameter<TimeZone> {
  return single({
    answer: () => z.string().default(fallback),
    fallback,
    read: readBy(
      (text) => (isTimeZone(text) ? timeZoneOf(text) : undefined),
      'is no IANA time zone and no offset ±HH:MM',
    ),
  });
}

/** In any letter case. */
export function choice<V extends string>(
  values: Readonly<Record<string, V>>,
  fallback: V,
): QueryParameter<V> {
  const allowed = Object.values(values);
  return single({
    answer: () => z.enum(allowed).default(fallback as never),
    fallback,
    read: oneOf(allowed),
  });
}

/** In any letter case; absent = null. */
export function optionalChoice<V extends string>(
  values: Readonly<Record<string, V>>,
): QueryParameter<V | null> {
  const allowed = Object.values(values);
  return single<V | null>({ answer: () => z.enum(allowed), fallback: null, read: oneOf(allowed) });
}

function oneOf<V extends string>(allowed: readonly V[]) {
  return (text: string): Reading<V> => {
    const value = allowed.find((each) => each.toUpperCase() === text.toUpperCase());
    return value === undefined ? { problem: `is not one of ${allowed.join(', ')}` } : { value };
  };
}

/** Repeated or comma-separated (http-api §6 rule 4). */
export const uuidList: QueryParameter<readonly Uuid[]> = listParameter({
  item: () => z.guid(),
  read(text) {
    const lower = text.toLowerCase();
    return isUuid(lower) ? { value: lower } : { problem: `holds what is not a UUID: "${shortened(lower)}"` };
  },
});

/** Repeated or comma-separated. */
export const textList: QueryParameter<readonly string[]> = listParameter({
  item: () => z.string(),
  read: (text) => ({ value: text }),
});

/** Repeated, never split; empty ones are dropped. */
export const wholeTexts: QueryParameter<readonly string[]> = {
  many: true,
  required: false,
  json: { type: 'array', items: { type: 'string' } },
  get schema() {
    return wholeTextsSchema();
  },
};

const wholeTextsSchema = onDemand(() =>
  z
    .array(z.string())
    .optional()
    .transform((texts): readonly string[] => (texts ?? []).filter((text) => text.trim() !== '')),
);

/** In any letter case, repeated or comma-separated. */
export function choiceList<V extends string>(
  values: Readonly<Record<string, V>>,
): QueryParameter<readonly V[]> {
  const allowed = Object.values(values);
  const read = oneOf(allowed);
  return listParameter({
    item: () => z.enum(allowed),
    read(text) {
      const reading = read(text);
      return 'value' in reading
        ? reading
        : { problem: `holds "${shortened(text)}", which ${reading.problem}` };
    },
  });
}

function listParameter<T>(input: {
  readonly item: () => z.ZodType;
  readonly read: (text: string) => Reading<T>;
}): QueryParameter<readonly T[]> {
  const document = onDemand(() => documentOf(input.item()));
  const schema = onDemand(() =>
    z
      .array(z.string())
      .optional()
      .transform((texts, context): readonly T[] => {
        const parts = (texts ?? []).flatMap((text) => text.split(',')).map((part) => part.trim());
        const values: T[] = [];
        for (const part of parts) {
          if (part === '') continue;
          const reading = input.read(part);
          if ('problem' in reading) {
            return refuse(context, { code: ErrorCode.INVALID_PARAMETER, message: reading.problem });
          }
          values.push(reading.value);
        }
        return values;
      }),
  );
  return {
    many: true,
    required: false,
    get json() {
      return { type: 'array', items: document() };
    },
    get schema() {
      return schema();
    },
  };
}

export interface PluginPropertyParameter {
  readonly key: string;
  readonly value: string;
}

/** `pluginProperty=key%3Dvalue`, repeated. Entries without `=` or value are dropped (http-api §6 rule 5). */
export const pluginProperties: QueryParameter<readonly PluginPropertyParameter[]> = {
  many: true,
  required: false,
  json: { type: 'array', items: { type: 'string' } },
  schema: z
    .array(z.string())
    .optional()
    .transform((texts) =>
      (texts ?? []).flatMap((text) => {
        const at = text.indexOf('=');
        const value = text.slice(at + 1);
        return at < 0 || value === '' ? [] : [{ key: text.slice(0, at), value }];
      }),
    ),
};

/** Paged lists (http-api §8): a negative limit lists backwards. */
export const pageParameters = {
  offset: integer(0, { minimum: 0 }),
  limit: pageLimit,
};

export function isPaged({ limit }: QueryParameters): boolean {
  return limit === pageLimit;
}

/** Reduces the limit to the largest page in either direction. */
export function cutPage<P extends QueryParameters>(
  parameters: P,
  query: QueryOf<P>,
  maxPage: number,
): QueryOf<P> {
  const { limit } = query as { readonly limit?: unknown };
  if (!isPaged(parameters) || typeof limit !== 'number') return query;
  return { ...query, limit: Math.max(-maxPage, Math.min(maxPage, limit)) };
}

/** Offset -1 requests one exact match (http-api §8 rule 2). */
export const exactPageParameters = { ...pageParameters, offset: integer(0, { minimum: -1 }) };

type WithoutNulls<T> = {
  readonly [K in keyof T as null extends T[K] ? never : K]: T[K];
} & { readonly [K in keyof T as null extends T[K] ? K : never]?: NonNullable<T[K]> };

/** For operations with optional parameters. */
export function withoutNulls<T extends object>(values: T): WithoutNulls<T> {
  const given = Object.entries(values).filter(([, value]) => value !== null);
  return Object.fromEntries(given) as WithoutNulls<T>;
}

/** `missing` is the error code of absence. */
export function required<T>(
  parameter: QueryParameter<T | null>,
  missing: ErrorCode = ErrorCode.MISSING_OR_INVALID_FIELD,
): QueryParameter<T> {
  const schema = onDemand(() =>
    parameter.schema.transform(
      (value, context): T =>
        value === null ? refuse(context, { code: missing, message: 'needs to be set' }) : value,
    ),
  );
  return {
    many: parameter.many,
    required: true,
    ...(parameter.keepsEmpty && { keepsEmpty: true }),
    get schema() {
      return schema();
    },
    get json() {
      return parameter.json;
    },
  };
}

/** Other parameters are ignored. */
export function querySchema<P extends QueryParameters>(parameters: P): z.ZodType<QueryOf<P>> {
  const shape = Object.fromEntries(Object.entries(parameters).map(([name, each]) => [name, each.schema]));
  const schema: z.ZodType<unknown> = z.object(shape);
  return schema as z.ZodType<QueryOf<P>>;
}

/** The query with defaults, for links to other pages. */
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

/** The input of `querySchema` from a raw query string. */
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

/** @throws BillingError INVALID_PARAMETER for text that databases cannot store. */
export function checkQueryTexts(raw: Readonly<Record<string, string | readonly string[]>>): void {
  for (const [name, value] of Object.entries(raw)) {
    if ([value].flat().every(isStorable)) continue;
    throw invalidParameter(`Query parameter ${name} ${NOT_STORABLE}`, { parameter: name });
  }
}

function single<T>(
  input: {
    readonly answer: () => z.ZodType;
    readonly fallback: T;
    readonly read: (text: string) => Reading<T>;
  },
  options: Partial<Pick<QueryParameter<T>, 'keepsEmpty' | 'required' | 'isWait'>> = {},
): QueryParameter<T> {
  const schema = onDemand(() =>
    z
      .string()
      .optional()
      .transform((text, context): T => {
        if (text === undefined) return input.fallback;
        const reading = input.read(text);
        if ('value' in reading) return reading.value;
        return refuse(context, { code: ErrorCode.INVALID_PARAMETER, message: reading.problem });
      }),
  );
  const document = onDemand(() => documentOf(input.answer()));
  return {
    required: false,
    ...options,
    many: false,
    get schema() {
      return schema();
    },
    get json() {
      return document();
    },
  };
}
