import {
  Decimal,
  formatDecimal,
  JsonNumber,
  type SubmittedValue,
} from '../../../../lib/values/money/index.ts';
import type { TypedJson, TypedKind } from '../../../client/operation-calls.ts';

/** Returns a result as JSON, together with the positions of values whose type JSON cannot express. */
export function typedJson(result: unknown): TypedJson {
  const places = new Map<TypedKind, Set<string>>();
  const value = plainJson(result, '', (kind, place) => {
    const known = places.get(kind);
    if (known === undefined) places.set(kind, new Set([place]));
    else known.add(place);
  });
  const types = [...places].map(([kind, found]) => [kind, [...found]]);
  return { value: value ?? null, types: Object.fromEntries(types) };
}

type Note = (kind: TypedKind, place: string) => void;

function plainJson(value: unknown, place: string, note: Note): unknown {
  if (typeof value === 'function') {
    note('method', place);
    return value();
  }
  if (typeof value !== 'object' || value === null) return value;
  const scalar = scalarJson(value, place, note);
  if (scalar !== undefined) return scalar;
  const each = below(place, '*');
  if (Array.isArray(value)) return value.map((element) => plainJson(element, each, note));
  if (value instanceof Map) {
    note('map', place);
    return [...value].map(([key, member]) => [key, plainJson(member, below(each, '1'), note)]);
  }
  const json: Record<string, unknown> = {};
  for (const name in value) {
    const member = Reflect.get(value, name);
    json[name] = plainJson(member, below(place, name.replaceAll('~', '~0').replaceAll('/', '~1')), note);
  }
  return json;
}

function below(place: string, step: string): string {
  return place === '' ? step : `${place}/${step}`;
}

function scalarJson(value: object, place: string, note: Note): string | undefined {
  if (value instanceof Date) {
    note('instant', place);
    return value.toISOString();
  }
  if (Decimal.isDecimal(value)) {
    note('amount', place);
    return formatDecimal(value);
  }
  if (!(value instanceof Uint8Array)) return undefined;
  note('bytes', place);
  return Buffer.from(value).toString('base64');
}

/**
 * Returns an argument in the form that a caller in the same process would pass. A number that a double cannot represent
 * becomes text, so that it stays exact.
 */
export function argumentOf(json: SubmittedValue): unknown {
  if (json instanceof JsonNumber) {
    const number = Number(json.literal);
    return json.decimal.eq(number) ? number : json.literal;
  }
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return json.map(argumentOf);
  return Object.fromEntries(Object.entries(json).map(([name, member]) => [name, argumentOf(member)]));
}
