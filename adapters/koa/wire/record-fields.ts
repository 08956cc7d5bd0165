import type { FieldKind, Fields, Field as RecordField, SetOn } from '../../../lib/values/fields/index.ts';
import { MAX_STORED_INTEGER } from '../../../lib/values/limits.ts';
import { type Access, type Field, field } from './model.ts';
import {
  bool,
  currency,
  date,
  decimalNumber,
  enumeration,
  externalKey,
  int,
  text,
  timestamp,
  uuid,
} from './scalars.ts';
import { anyValue, type WireType } from './wire-type.ts';

interface AccessOf {
  readonly never: 'R';
  readonly creation: 'C';
  readonly update: 'W';
}
const accessOf: AccessOf = { never: 'R', creation: 'C', update: 'W' };

/** The JSON value of a field. Currencies and time zones are plain strings, because the engine validates them. */
type WireValue<F> = F extends RecordField<unknown, SetOn, infer I> ? NonNullable<I> : never;

type RecordFields<F extends Fields> = {
  [K in keyof F]: F[K] extends RecordField<unknown, infer S, unknown>
    ? Field<WireValue<F[K]>, AccessOf[S]>
    : never;
};

/**
 * Kinds of fields that have the same form in all models. Dates are excluded, because some models show them as instants
 * and others as days.
 */
type ShownKind = Exclude<FieldKind, 'dated'>;

const wireTypes: Readonly<Record<ShownKind, (each: RecordField) => WireType<unknown>>> = {
  recordId: () => int(),
  id: () => uuid,
  key: () => externalKey,
  text: ({ maxLength }) => text(maxLength),
  currency: () => currency,
  timeZone: () => text(),
  oneOf: ({ values }) => (values === undefined ? text() : enumeration(values)),
  integer: ({ range }) => int(range && bounds(range)),
  bigint: () => int(),
  flag: () => bool,
  amount: () => decimalNumber,
  date: () => date,
  instant: () => timestamp,
  json: () => anyValue,
};

/** Returns the bounds for the API document. Omits a maximum that is the largest storable integer. */
function bounds([minimum, maximum]: readonly [number, number]) {
  return maximum === MAX_STORED_INTEGER ? { minimum } : { minimum, maximum };
}

/** Columns that responses omit or rename. */
const identity: readonly string[] = ['recordId', 'id', 'accountRecordId', 'createdDate', 'updatedDate'];

/**
 * Returns the fields of a model, derived from the description of a record.
 * @param names Fields to include. Defaults to all fields except row columns.
 */
export function recordFields<F extends Fields, K extends keyof F & string = keyof F & string>(
  fields: F,
  names: readonly K[] = Object.keys(fields).filter((name): name is K => !identity.includes(name)),
): Omit<RecordFields<Pick<F, K>>, 'recordId' | 'id' | 'accountRecordId' | 'createdDate' | 'updatedDate'> {
  const shown = names.map((name) => {
    const described = fields[name] as RecordField;
    if (described.kind === 'dated') throw new Error(`${name} is a date: the model must define its format`);
    const type = wireTypes[described.kind](described);
    const options = { nullable: described.isNullable, onlyD: described.isOurs };
    return [name, field(type, accessOf[described.set] as Access, options)];
  });
  return Object.fromEntries(shown);
}
