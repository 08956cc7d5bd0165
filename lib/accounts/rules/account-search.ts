import type { AccountSearch } from '../../ports/storage/index.ts';
import { accountFields } from '../../records/index.ts';
import { isOperatorSearch, parseOperatorSearch } from '../../runtime/index.ts';
import { authorFields, searchedFields } from '../../values/fields/index.ts';
import { isUuid } from '../../values/ids/index.ts';

const searched = searchedFields({ ...accountFields, ...authorFields }, { accountId: 'id' });

/**
 * Returns the search for a key. A key in operator form is a list of clauses; any other key is plain text (§6).
 * @throws BillingError INVALID_PARAMETER (60002) for an invalid key in operator form.
 */
export function accountSearch(key: string): AccountSearch {
  if (isOperatorSearch(key)) return { kind: 'clauses', clauses: parseOperatorSearch(key, searched) };
  const text = key.toLowerCase();
  return { kind: 'text', id: isUuid(text) ? text : null, text };
}
