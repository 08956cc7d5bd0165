import { BillingError, InvariantError } from '../../../lib/values/errors/index.ts';
import { describeValue } from '../../../lib/values/text/index.ts';
import type { UniqueViolation } from '../sql/dialect.ts';
import type { OnlyRow } from '../sql/sql.ts';
import { tables } from './index.ts';
import { type UniqueSpec, uniqueName } from './record-table.ts';

export function violationOf(violation: UniqueViolation, row: OnlyRow, cause: unknown): Error {
  const found = uniqueOf(violation);
  if (found?.violation) {
    const { code, message } = found.violation;
    return new BillingError({ code, message: message(describeKey(found, row)), cause });
  }
  const place =
    'index' in violation ? violation.index : `${violation.table} (${violation.columns.join(', ')})`;
  const error = new InvariantError(`The row conflicts with an existing row: ${place}`, { violation });
  error.cause = cause;
  return error;
}

/** Returns the name and value of the column that identifies the record, such as `external key "acme"`. */
function describeKey({ columns, violation }: UniqueSpec, row: OnlyRow): string {
  const column = violation?.column ?? columns.at(-1) ?? '';
  const name = column.replaceAll('_', ' ');
  const value = row?.[column] ?? null;
  return value === null ? `this ${name}` : `${name} ${describeValue(value)}`;
}

function uniqueOf(violation: UniqueViolation): UniqueSpec | undefined {
  if ('index' in violation) {
    return tables
      .flatMap(({ name, uniques }) =>
        uniques.map((unique) => ({ ...unique, index: uniqueName(name, unique) })),
      )
      .find(({ index }) => index === violation.index);
  }
  const columns = violation.columns.join();
  return tables
    .find(({ name }) => name === violation.table)
    ?.uniques.find((unique) => unique.columns.join() === columns);
}
