import type { AccountSearch } from '../../../../lib/ports/storage/index.ts';
import type { Account, AccountColumn, New } from '../../../../lib/records/index.ts';
import { clauseConditions, contains, patternOf, type SearchedColumn } from '../../sql/search-conditions.ts';
import { nothing, type Sql, sql } from '../../sql/sql.ts';
import { haveIds, type TenantScope } from '../../tables/record-access.ts';

const searched: Readonly<Record<AccountColumn, SearchedColumn>> = {
  id: { column: 'id', type: 'uuid' },
  external_key: { column: 'external_key', type: 'text' },
  email: { column: 'email', type: 'text' },
  name: { column: 'name', type: 'text' },
  first_name_length: { column: 'first_name_length', type: 'number' },
  currency: { column: 'currency', type: 'text' },
  billing_cycle_day_local: { column: 'bill_cycle_day_local', type: 'number' },
  parent_account_id: { column: 'parent_account_id', type: 'uuid' },
  is_payment_delegated_to_parent: { column: 'is_payment_delegated_to_parent', type: 'boolean' },
  payment_method_id: { column: 'payment_method_id', type: 'uuid' },
  reference_time: { column: 'reference_time', type: 'instant' },
  time_zone: { column: 'time_zone', type: 'text' },
  locale: { column: 'locale', type: 'text' },
  address1: { column: 'address1', type: 'text' },
  address2: { column: 'address2', type: 'text' },
  company_name: { column: 'company', type: 'text' },
  city: { column: 'city', type: 'text' },
  state_or_province: { column: 'state', type: 'text' },
  country: { column: 'country', type: 'text' },
  postal_code: { column: 'postal_code', type: 'text' },
  phone: { column: 'phone', type: 'text' },
  notes: { column: 'notes', type: 'text' },
  migrated: { column: 'is_migrated', type: 'boolean' },
  created_by: { column: 'created_by', type: 'text' },
  created_date: { column: 'created_date', type: 'instant' },
  updated_by: { column: 'updated_by', type: 'text' },
  updated_date: { column: 'updated_date', type: 'instant' },
};

/** `and` with the condition of the search, which holds to the end of the transaction. */
export async function accountSearchCondition(scope: TenantScope, search: AccountSearch): Promise<Sql> {
  if (search.kind === 'clauses') return clauseConditions(search.clauses, searched);
  const { id, text } = search;
  const { seekAccountText } = scope.runner.dialect;
  const named = id === null ? null : sql`select record_id from bw_accounts where ${haveIds(scope, [id])}`;
  if (seekAccountText === null || !SOUGHT_BY_INDEX.test(text)) {
    if (named === null) return sql`and ${contains('folded_text', text)}`;
    return sql`and (${contains('folded_text', text)} or record_id in (${named}))`;
  }
  await scope.runner.run(seekAccountText(patternOf(text)));
  const orNamed = named === null ? nothing : sql`union all ${named}`;
  // The policy of the table is only the way to its index: it does not bind every role.
  return sql`and record_id in (
    select record_id from bw_account_texts
    where tenant_record_id = ${scope.tenantRecordId} and ${contains('folded_text', text)} ${orNamed})`;
}

/** A text without three letters or digits in a row has nothing by which the index could find it. */
const SOUGHT_BY_INDEX = /[\p{L}\p{N}]{3}/u;

/** Ends each text in `folded_text`, so that no key finds what reaches from one text into the next. */
const FOLDED_END = '\u0001';

/** What a free text search looks in. */
export function foldedText({ name, email, externalKey, company }: New<Account>): string {
  return [name, email, externalKey, company]
    .filter((each) => each !== null)
    .map((each) => `${each.toLowerCase()}${FOLDED_END}`)
    .join('');
}
