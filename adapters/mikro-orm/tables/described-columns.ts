import type { New } from '../../../lib/records/index.ts';
import {
  type Fields as Description,
  type Field as FieldDescription,
  type FieldKind,
  type RecordOf,
  toSnakeCase,
} from '../../../lib/values/fields/index.ts';
import {
  amount,
  amountOrNull,
  bigint,
  bigintOrNull,
  boolean,
  booleanOrNull,
  date,
  datedInstant,
  datedOrNull,
  dateOrNull,
  type Field,
  type Fields,
  instantAt,
  instantAtOrNull,
  integer,
  integerOrNull,
  json,
  jsonOrNull,
  text,
  textOrNull,
  uuid,
  uuidOrNull,
} from '../sql/columns.ts';

type MakeField = (column: string) => Field<unknown>;

/** Two column types for each kind of field. The first type is not nullable, and the second type is nullable. */
const makers = {
  recordId: [bigint, bigintOrNull],
  id: [uuid, uuidOrNull],
  key: [text, textOrNull],
  text: [text, textOrNull],
  currency: [text, textOrNull],
  timeZone: [text, textOrNull],
  oneOf: [text, textOrNull],
  integer: [integer, integerOrNull],
  bigint: [bigint, bigintOrNull],
  flag: [boolean, booleanOrNull],
  amount: [amount, amountOrNull],
  date: [date, dateOrNull],
  instant: [instantAt, instantAtOrNull],
  dated: [datedInstant, datedOrNull],
  json: [json, jsonOrNull],
} as Readonly<Record<FieldKind, readonly [notNull: MakeField, nullable: MakeField]>>;

/**
 * Returns the columns of a described record. The name of a column is the property name in snake case. `RecordTable`
 * adds the record id.
 * @param names Names of the columns that do not follow this rule.
 */
export function columnsOf<F extends Description>(
  description: F,
  names: Partial<Readonly<Record<keyof F, string>>> = {},
): Fields<New<RecordOf<F>>> {
  const columns = Object.entries<FieldDescription>(description)
    .filter(([, { kind }]) => kind !== 'recordId')
    .map(([property, { kind, isNullable }]) => {
      const make = makers[kind][isNullable ? 1 : 0];
      return [property, make(names[property] ?? toSnakeCase(property))];
    });
  return Object.fromEntries(columns);
}
