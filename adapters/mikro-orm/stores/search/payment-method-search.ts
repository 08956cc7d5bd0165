import type { PaymentMethodColumn, PaymentMethodSearch } from '../../../../lib/ports/storage/index.ts';
import { clauseConditions, containsInAnyCase, type SearchedColumn } from '../../sql/search-conditions.ts';
import { nothing, type Sql, sql } from '../../sql/sql.ts';

const searchedMethods: Readonly<Record<PaymentMethodColumn, SearchedColumn>> = {
  id: { column: 'id', type: 'uuid' },
  external_key: { column: 'external_key', type: 'text' },
  account_id: { column: 'account_id', type: 'uuid' },
  plugin_name: { column: 'plugin_name', type: 'text' },
  created_by: { column: 'created_by', type: 'text' },
  created_date: { column: 'created_date', type: 'instant' },
  updated_by: { column: 'updated_by', type: 'text' },
  updated_date: { column: 'updated_date', type: 'instant' },
};

/** `and` with the condition of the search. */
export function methodSearchCondition(search: PaymentMethodSearch): Sql {
  if (search.kind === 'clauses') return clauseConditions(search.clauses, searchedMethods);
  const { id, text } = search;
  const named = id === null ? nothing : sql`or id = ${id} or account_id = ${id}`;
  return sql`and (${containsInAnyCase('external_key', text)} or ${containsInAnyCase('plugin_name', text)} ${named})`;
}
