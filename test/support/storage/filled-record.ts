import type { New } from '../../../lib/records/index.ts';
import type { Field, Fields, RecordOf } from '../../../lib/values/fields/index.ts';
import { timeZone } from '../../../lib/values/time/index.ts';
import { hugeAmount, newId, now, oddText, today } from './stored-values.ts';

/** A record with a value in every field, all different if possible. `changes` override them. */
export function filledRecord<F extends Fields>(
  fields: F,
  changes: Partial<New<RecordOf<F>>> = {},
): New<RecordOf<F>> {
  return { ...recordWith(fields, (name, field) => sampleOf(name, field)), ...changes } as New<RecordOf<F>>;
}

/** All nullable fields of a record, set to null. */
export function emptyFields<F extends Fields>(fields: F): Partial<New<RecordOf<F>>> {
  return recordWith(fields, (_name, { isNullable }) => (isNullable ? null : undefined)) as Partial<
    New<RecordOf<F>>
  >;
}

function recordWith(fields: Fields, make: (name: string, field: Field) => unknown): object {
  const values = Object.entries(fields)
    .filter(([, { kind }]) => kind !== 'recordId')
    .map(([name, field]) => [name, make(name, field)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function sampleOf(name: string, { kind, maxLength, range, values }: Field): unknown {
  switch (kind) {
    case 'recordId':
      return undefined;
    case 'id':
    case 'key':
      return newId();
    case 'text':
      // Keys of other records are unique.
      return name.endsWith('Key') ? newId() : `${name} ${oddText}`.slice(0, maxLength);
    case 'currency':
      return 'EUR';
    case 'timeZone':
      return timeZone('Asia/Kathmandu');
    case 'oneOf':
      return Object.values(values ?? {})[0];
    case 'integer':
      return Math.min(31, range?.[1] ?? 31);
    case 'bigint':
      return 2 ** 40;
    case 'flag':
      return true;
    case 'amount':
      return hugeAmount;
    case 'date':
      return today;
    case 'instant':
      return now;
    case 'dated':
      return { at: now, date: today };
    case 'json':
      return [name, oddText];
  }
}
