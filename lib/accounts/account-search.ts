import type { AccountSearch } from '../ports/storage/index.ts';
import { isOperatorSearch, parseOperatorSearch, type SearchColumnType } from '../search/operator-search.ts';
import { isUuid } from '../values/ids/index.ts';

/** The columns of an operator search with what they hold (accounts.md §6.2 rule 1). */
export const accountColumnTypes = {
  id: 'uuid',
  external_key: 'text',
  email: 'text',
  name: 'text',
  first_name_length: 'number',
  currency: 'text',
  billing_cycle_day_local: 'number',
  parent_account_id: 'uuid',
  is_payment_delegated_to_parent: 'boolean',
  payment_method_id: 'uuid',
  reference_time: 'instant',
  time_zone: 'text',
  locale: 'text',
  address1: 'text',
  address2: 'text',
  company_name: 'text',
  city: 'text',
  state_or_province: 'text',
  country: 'text',
  postal_code: 'text',
  phone: 'text',
  notes: 'text',
  migrated: 'boolean',
  created_by: 'text',
  created_date: 'instant',
  updated_by: 'text',
  updated_date: 'instant',
} as const satisfies Readonly<Record<string, SearchColumnType>>;

export type AccountColumn = keyof typeof accountColumnTypes;

/** The names of the account's JSON that differ from those of the columns. */
const columnOfJsonName: Readonly<Record<string, AccountColumn>> = {
  accountId: 'id',
  externalKey: 'external_key',
  firstNameLength: 'first_name_length',
  billCycleDayLocal: 'billing_cycle_day_local',
  parentAccountId: 'parent_account_id',
  isPaymentDelegatedToParent: 'is_payment_delegated_to_parent',
  paymentMethodId: 'payment_method_id',
  referenceTime: 'reference_time',
  timeZone: 'time_zone',
  company: 'company_name',
  state: 'state_or_province',
  postalCode: 'postal_code',
  isMigrated: 'migrated',
};

const searchableTypes: Readonly<Record<string, SearchColumnType>> = {
  ...accountColumnTypes,
  ...Object.fromEntries(
    Object.entries(columnOfJsonName).map(([name, column]) => [name, accountColumnTypes[column]]),
  ),
};

/**
 * What a search key asks for: clauses in operator form, else a text to find (accounts.md §6).
 * @throws BillingError INVALID_PARAMETER (60002) for a key in operator form that cannot be read.
 */
export function accountSearch(key: string): AccountSearch {
  if (!isOperatorSearch(key)) {
    const text = key.toLowerCase();
    return { kind: 'text', id: isUuid(text) ? text : null, text };
  }
  const clauses = parseOperatorSearch(key, searchableTypes);
  return {
    kind: 'clauses',
    clauses: clauses.map((clause) => ({
      ...clause,
      column: columnOfJsonName[clause.column] ?? (clause.column as AccountColumn),
    })),
  };
}
