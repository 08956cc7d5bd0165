import type { AccountSearch } from '../../ports/storage/index.ts';
import { accountFields } from '../../records/index.ts';
import { isOperatorSearch, parseOperatorSearch } from '../../runtime/index.ts';
import { authorFields, searchedFields } from '../../values/fields/index.ts';
import { isUuid } from '../../values/ids/index.ts';

const searched = searchedFields({ ...accountFields, ...authorFields }, { accountId: 'id' });

/**
 * What a search key asks for: clauses in operator form, else a text to find (§6).
 * @throws BillingError INVALID_PARAMETER (60002) for a key in operator form that cannot be read.
 */
export function accountSearch(key: string): AccountSearch {
  if (isOperatorSearch(key)) return { kind: 'clauses', clauses: parseOperatorSearch(key, searched) };
  const text = key.toLowerCase();
  return { kind: 'text', id: isUuid(text) ? text : null, text };
}
