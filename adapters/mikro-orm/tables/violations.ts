import { BillingError, InvariantError } from '../../../lib/values/errors/index.ts';
import type { UniqueViolation } from '../sql/dialect.ts';
import { tables } from './index.ts';
import { type UniqueSpec, uniqueName } from './record-table.ts';

/** What the tables say about a row that conflicts with another one. */
export function violationOf(violation: UniqueViolation, cause: unknown): Error {
  const found = findUnique(violation);
  if (found?.unique.violation) return new BillingError({ ...found.unique.violation, cause });
  const error = new InvariantError(
    `A row is in the way of another one: ${'index' in violation ? violation.index : `${violation.table} (${violation.columns.join(', ')})`}`,
    { violation },
  );
  error.cause = cause;
  return error;
}

function findUnique(violation: UniqueViolation): { readonly unique: UniqueSpec } | undefined {
  for (const table of tables) {
    for (const unique of table.uniques) {
      const matches =
        'index' in violation
          ? violation.index === uniqueName(table.name, unique)
          : violation.table === table.name && violation.columns.join() === unique.columns.join();
      if (matches) return { unique };
    }
  }
  return undefined;
}
