import type { PaymentMethodSearch } from '../../../../lib/ports/storage/index.ts';
import { clauseConditions, containsInAnyCase } from '../../sql/search-conditions.ts';
import { nothing, type Sql, sql } from '../../sql/sql.ts';

/** `and` with the condition of the search. */
export function methodSearchCondition(search: PaymentMethodSearch): Sql {
  if (search.kind === 'clauses') return clauseConditions(search.clauses);
  const { id, text } = search;
  const named = id === null ? nothing : sql`or id = ${id} or account_id = ${id}`;
  return sql`and (${containsInAnyCase('external_key', text)} or ${containsInAnyCase('plugin_name', text)} ${named})`;
}
