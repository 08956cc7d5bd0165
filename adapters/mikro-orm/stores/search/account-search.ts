import type { AccountSearch } from '../../../../lib/ports/storage/index.ts';
import type { Account, New } from '../../../../lib/records/index.ts';
import { clauseConditions, contains, patternOf } from '../../sql/search-conditions.ts';
import { nothing, type Sql, sql } from '../../sql/sql.ts';
import { haveIds, type TenantScope } from '../../tables/record-access.ts';

/** `and` with the condition of the search, which holds to the end of the transaction. */
export async function accountSearchCondition(scope: TenantScope, search: AccountSearch): Promise<Sql> {
  if (search.kind === 'clauses') return clauseConditions(search.clauses);
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
