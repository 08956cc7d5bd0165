import { type BillingError, invalidField } from '../errors/index.ts';
import { isUuid } from '../ids/index.ts';
import { Decimal, parseWireDecimal } from '../money/index.ts';
import { describeValue, shortenText } from '../text/index.ts';
import { parseWireDate, parseWireInstant, parseWireMoment, type RequestedDate } from '../time/index.ts';
import type { AnyInput, CheckedKind, ValueKind } from './shape.ts';

/** Converts the strings in an input to typed values. Error messages use `at` as the name of the input. */
export type Take = (given: unknown, at: string) => unknown;

/**
 * Returns a function that converts inputs with this shape.
 * @throws The returned function throws BillingError MISSING_OR_INVALID_FIELD (60003) with the name of the field.
 */
export function converterOf(shape: AnyInput): Take {
  if (typeof shape === 'string')
    return isChecked(shape) ? takeIfValid(checks[shape]) : (given, at) => value(shape, given, at);
  if (shape instanceof Set) return takeIfValid(oneOf(shape));
  if (isMarked(shape)) {
    const take = converterOf(shape[1]);
    if (shape[0] === '?') return (given, at) => take(given ?? undefined, at);
    return shape[0] === '!' ? present(take) : rejectUnknownFields(Object.keys(shape[1]), take);
  }
  if (isList(shape)) return list(converterOf(shape[0]));
  return fields(Object.entries(shape).map(([field, own]) => [field, converterOf(own)] as const));
}

function isMarked(shape: AnyInput): shape is readonly ['!' | '?' | '=', AnyInput] {
  return Array.isArray(shape) && shape.length === 2;
}

function isList(shape: AnyInput): shape is readonly [AnyInput] {
  return Array.isArray(shape);
}

function isChecked(kind: ValueKind | CheckedKind): kind is CheckedKind {
  return kind in checks;
}

interface Check {
  readonly isValid: (given: unknown) => boolean;
  readonly sentence: string;
}

const iterators = [Symbol.iterator, Symbol.asyncIterator] as const;

const checks: Readonly<Record<CheckedKind, Check>> = {
  text: { isValid: (given) => typeof given === 'string', sentence: 'must be text' },
  flag: { isValid: (given) => typeof given === 'boolean', sentence: 'must be true or false' },
  number: { isValid: (given) => typeof given === 'number', sentence: 'must be a number' },
  count: {
    isValid: (given) => Number.isSafeInteger(given) && Number(given) >= 0,
    sentence: 'must be a whole number from 0',
  },
  iterable: {
    isValid: (given) =>
      typeof given === 'object' && given !== null && iterators.some((name) => name in given),
    sentence: 'must be a list, an iterable or an async iterable',
  },
  integer: { isValid: Number.isSafeInteger, sentence: 'must be a whole number' },
  function: { isValid: (given) => typeof given === 'function', sentence: 'must be a function' },
  document: {
    isValid: (given) =>
      typeof given === 'string' ||
      given instanceof Uint8Array ||
      (isObject(given) && typeof Reflect.get(given, 'toXml') === 'function'),
    sentence: 'must be XML as text or bytes, or a catalog definition',
  },
  any: { isValid: () => true, sentence: '' },
};

function oneOf(values: ReadonlySet<string>): Check {
  const names = [...values];
  const last = names.pop();
  return {
    isValid: (given) => typeof given === 'string' && values.has(given),
    sentence: `must be ${names.length === 0 ? '' : `${names.join(', ')} or `}${last}`,
  };
}

function takeIfValid({ isValid, sentence }: Check): Take {
  return (given, at) => {
    if (given === undefined || given === null || isValid(given)) return given;
    throw invalidValueError(at, sentence, given);
  };
}

function present(take: Take): Take {
  return (given, at) => {
    if (given === undefined || given === null) throw missing(at);
    return take(given, at);
  };
}

function missing(at: string): BillingError {
  return invalidField(`${at} needs to be set`, { field: at });
}

/** Rejects fields that are not in the list of names. */
function rejectUnknownFields(names: readonly string[], take: Take): Take {
  return (given, at) => {
    const taken = take(given, at);
    const unknown = Object.keys(given ?? {}).find((name) => !names.includes(name));
    if (unknown === undefined) return taken;
    const message = `${shortenText(unknown)} is not a valid member. Use ${names.join(', ')}`;
    throw invalidField(message, { field: shortenText(unknown) });
  };
}

/**
 * Returns a function that converts a parameter. If the parameter is an object, errors name only its fields. An absent
 * value becomes undefined, so that the default of the operation applies. If the name ends with `?`, the parameter is
 * optional.
 */
export function parameterOf(name: string, shape: AnyInput): (given: unknown) => unknown {
  const isOptional = name.endsWith('?');
  const at = isOptional ? name.slice(0, -1) : name;
  const take = converterOf(shape);
  const isRecord = isFields(isMarked(shape) ? shape[1] : shape);
  return (given) => {
    if (given === undefined || given === null) {
      if (isOptional) return undefined;
      throw missing(at);
    }
    if (isRecord && !isObject(given)) throw invalidValueError(at, 'must be an object', given);
    return take(given, isRecord ? '' : at);
  };
}

function isFields(shape: AnyInput): boolean {
  return isObject(shape) && !(shape instanceof Set);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function list(take: Take): Take {
  return (given, at) => {
    if (given === undefined || given === null) return given;
    if (!Array.isArray(given)) throw invalidValueError(at, 'must be a list', given);
    const taken = given.map((each, index) => take(each, `${at}[${index}]`));
    return taken.some((each, index) => each !== given[index]) ? taken : given;
  };
}

type Member = readonly [field: string, take: Take];

function fields(members: readonly Member[]): Take {
  return (given, at) => {
    if (given === undefined || given === null) return given;
    if (!isObject(given)) throw invalidValueError(at, 'must be an object', given);
    return withTextsRead(given as Readonly<Record<string, unknown>>, members, at);
  };
}

/**
 * Returns a copy of the record in which strings are converted. Returns the same record if no string needs a conversion.
 */
function withTextsRead(record: Readonly<Record<string, unknown>>, members: readonly Member[], at: string) {
  let copy: Record<string, unknown> | undefined;
  for (const [field, take] of members) {
    const member = record[field];
    const taken = take(member, at === '' ? field : `${at}.${field}`);
    if (taken === member) continue;
    copy ??= { ...record };
    copy[field] = taken;
  }
  return copy ?? record;
}

const wanted = {
  uuid: 'must be a UUID such as 0190163d-8694-739b-aea5-966c26f8ad91',
  amount: 'must be a Decimal or an amount as text such as "5.50"',
  date: 'must be a date as text such as "2024-03-01"',
  instant: 'must be a Date or an instant as text such as "2024-03-01T08:00:00Z"',
  requestedDate:
    'must be a date as text such as "2024-03-01", a Date, an instant as text such as "2024-03-01T08:00:00Z", { date } or { at }',
} as const satisfies Record<ValueKind, string>;

function value(kind: ValueKind, given: unknown, at: string): unknown {
  if (given === undefined || given === null) return given;
  const taken = read(kind, given);
  if (taken === undefined) throw invalidValueError(at, wanted[kind], given);
  return taken;
}

function read(kind: ValueKind, given: unknown): unknown {
  if (typeof given === 'string') return ofText[kind](given);
  if (given instanceof Date) return ofDate(kind, given);
  if (kind === 'requestedDate' && typeof given === 'object') return requestedDateIn({ ...given });
  return isValue[kind](given) ? given : undefined;
}

/** Reads `{ date }` or `{ at }`. */
function requestedDateIn({ at, date }: { readonly at?: unknown; readonly date?: unknown }): unknown {
  const taken = at === undefined ? read('date', date) : read('instant', at);
  if (taken === undefined) return undefined;
  return at === undefined ? { date: taken } : { at: taken };
}

function ofDate(kind: ValueKind, given: Date): unknown {
  const at = parseWireInstant(given);
  if (kind === 'instant') return at;
  return kind === 'requestedDate' && at !== undefined ? { at } : undefined;
}

const ofText: Record<ValueKind, (text: string) => unknown> = {
  uuid: (text) => {
    const lower = text.toLowerCase();
    return isUuid(lower) ? lower : undefined;
  },
  amount: (text) => parseWireDecimal(text),
  date: (text) => parseWireDate(text),
  instant: (text) => parseWireInstant(text),
  requestedDate: requestedDateOf,
};

const isValue: Record<ValueKind, (given: unknown) => boolean> = {
  uuid: () => false,
  amount: (given) => Decimal.isDecimal(given),
  date: Number.isInteger,
  instant: Number.isInteger,
  requestedDate: () => false,
};

function requestedDateOf(text: string): RequestedDate | undefined {
  const moment = parseWireMoment(text);
  if (moment === undefined) return undefined;
  return moment.kind === 'DATE' ? { date: moment.date } : { at: moment.at };
}

function invalidValueError(at: string, sentence: string, given: unknown): BillingError {
  const shown = describeValue(given);
  const what = at === '' ? 'The value' : at;
  return invalidField(`${what} ${sentence}, not ${shown}`, { field: at, value: shown });
}
