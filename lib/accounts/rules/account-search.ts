import type { AccountSearch } from '../../ports/storage/index.ts';
import { type AccountColumn, accountColumnTypes } from '../../records/index.ts';
import { clausesOn, isOperatorSearch } from '../../runtime/index.ts';
import { isUuid } from '../../values/ids/index.ts';

/** Columns whose name in the account's JSON is another one. */
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

/**
 * What a search key asks for: clauses in operator form, else a text to find (§6).
 * @throws BillingError INVALID_PARAMETER (60002) for a key in operator form that cannot be read.
 */
export function accountSearch(key: string): AccountSearch {
  if (!isOperatorSearch(key)) {
    const text = key.toLowerCase();
    return { kind: 'text', id: isUuid(text) ? text : null, text };
  }
  return {
    kind: 'clauses',
    clauses: clausesOn(key, { types: accountColumnTypes, ofJsonName: columnOfJsonName }),
  };
}
