import { type BillingError, invalidField } from '../errors/index.ts';
import { isUuid } from '../ids/index.ts';
import { parseWireDecimal } from '../money/index.ts';
import { shortened } from '../text/index.ts';
import { parseWireDate, parseWireInstant, parseWireMoment, type RequestedDate } from '../time/index.ts';
import type { AnyShape, ValueKind } from './shape.ts';

/** Converts the texts of an input to values. `at` names it in errors. */
export type Take = (given: unknown, at: string) => unknown;

/**
 * Returns the conversion of inputs with this shape.
 * @throws (on conversion) BillingError MISSING_OR_INVALID_FIELD (60003) with the field.
 */
export function converterOf(shape: AnyShape): Take {
  if (typeof shape === 'string') return (given, at) => value(shape, given, at);
  if (isList(shape)) return list(converterOf(shape[0]));
  return fields(Object.entries(shape).map(([field, own]) => [field, converterOf(own)] as const));
}

function isList(shape: AnyShape): shape is readonly [AnyShape] {
  return Array.isArray(shape);
}

function list(take: Take): Take {
  return (given, at) => {
    if (given === undefined || given === null) return given;
    if (!Array.isArray(given)) throw refused(at, 'must be a list', given);
    const taken = given.map((each, index) => take(each, `${at}[${index}]`));
    return taken.some((each, index) => each !== given[index]) ? taken : given;
  };
}

type Member = readonly [field: string, take: Take];

function fields(members: readonly Member[]): Take {
  return (given, at) => {
    if (given === undefined || given === null) return given;
    if (typeof given !== 'object') throw refused(at, 'must be an object', given);
    return withTextsRead(given as Readonly<Record<string, unknown>>, members, at);
  };
}

/** Returns the record itself if it contains no text to convert. */
function withTextsRead(record: Readonly<Record<string, unknown>>, members: readonly Member[], at: string) {
  let copy: Record<string, unknown> | undefined;
  for (const [field, take] of members) {
    const member = record[field];
    if (member === undefined || member === null) continue;
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
  if (taken === undefined) throw refused(at, wanted[kind], given);
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
  amount: (given) => typeof given === 'object',
  date: Number.isInteger,
  instant: Number.isInteger,
  requestedDate: () => false,
};

function requestedDateOf(text: string): RequestedDate | undefined {
  const moment = parseWireMoment(text);
  if (moment === undefined) return undefined;
  return moment.kind === 'DATE' ? { date: moment.date } : { at: moment.at };
}

function refused(at: string, sentence: string, given: unknown): BillingError {
  const shown = typeof given === 'string' ? `"${shortened(given)}"` : shortened(String(given));
  const what = at === '' ? 'The value' : at;
  return invalidField(`${what} ${sentence}, not ${shown}`, { field: at, value: shown });
}
