import type { BundleColumn, BundleSearch } from '../../ports/storage/index.ts';
import type { SearchColumnType } from '../../records/index.ts';
import { clausesOn, isOperatorSearch } from '../../runtime/index.ts';
import { isUuid } from '../../values/ids/index.ts';

/** The columns of an operator search, and what they hold (http-api §8). */
const columnTypes = {
  id: 'uuid',
  external_key: 'text',
  account_id: 'uuid',
  last_sys_update_date: 'instant',
  original_created_date: 'instant',
  created_by: 'text',
  created_date: 'instant',
  updated_by: 'text',
  updated_date: 'instant',
} as const satisfies Readonly<Record<BundleColumn, SearchColumnType>>;

/** Columns whose name in the bundle's JSON is another one. */
const columnOfJsonName: Readonly<Record<string, BundleColumn>> = {
  bundleId: 'id',
  externalKey: 'external_key',
  accountId: 'account_id',
};

/**
 * What a search key asks for: clauses in operator form, else the whole of an id, an account's id or an external key
 * (§22).
 * @throws BillingError INVALID_PARAMETER (60002) for a key in operator form that cannot be read.
 */
export function bundleSearch(key: string): BundleSearch {
  if (!isOperatorSearch(key)) {
    const id = key.toLowerCase();
    return { kind: 'text', id: isUuid(id) ? id : null, text: key };
  }
  return { kind: 'clauses', clauses: clausesOn(key, { types: columnTypes, ofJsonName: columnOfJsonName }) };
}
