import { BillingError, InvariantError } from '../../../lib/values/errors/index.ts';
import type { UniqueViolation } from '../sql/dialect.ts';
import { tables } from './index.ts';
import { type UniqueSpec, uniqueName } from './record-table.ts';

export function violationOf(violation: UniqueViolation, cause: unknown): Error {
  const found = uniqueOf(violation);
  if (found?.violation) return new BillingError({ ...found.violation, cause });
  const place =
    'index' in violation ? violation.index : `${violation.table} (${violation.columns.join(', ')})`;
  const error = new InvariantError(`The row conflicts with an existing row: ${place}`, { violation });
  error.cause = cause;
  return error;
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
