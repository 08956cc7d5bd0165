import type { PaymentColumn, PaymentSearch } from '../../ports/storage/index.ts';
import type { SearchColumnType } from '../../records/index.ts';
import { clausesOn, isOperatorSearch } from '../../runtime/index.ts';
import { isUuid } from '../../values/ids/index.ts';
import { paymentStateNames } from '../state/payment-state.ts';

/** The columns of an operator search, and what they hold (http-api §8). */
const columnTypes = {
  id: 'uuid',
  account_id: 'uuid',
  payment_method_id: 'uuid',
  external_key: 'text',
  state_name: 'text',
  last_success_state_name: 'text',
  created_by: 'text',
  created_date: 'instant',
  updated_by: 'text',
  updated_date: 'instant',
} as const satisfies Readonly<Record<PaymentColumn, SearchColumnType>>;

/** Columns whose name in the payment's JSON is another one. */
const columnOfJsonName: Readonly<Record<string, PaymentColumn>> = {
  paymentId: 'id',
  accountId: 'account_id',
  paymentMethodId: 'payment_method_id',
  paymentExternalKey: 'external_key',
};

/**
 * What a search key asks for (§11): clauses in operator form; else payments in one of the states whose names contain the
 * key, such as `_FAILED`; else the whole of an id, or a part of an external key.
 * @throws BillingError INVALID_PARAMETER (60002) for a key in operator form that cannot be read.
 */
export function paymentSearch(key: string): PaymentSearch {
  if (isOperatorSearch(key)) {
    return { kind: 'clauses', clauses: clausesOn(key, { types: columnTypes, ofJsonName: columnOfJsonName }) };
  }
  const stateNames = key === '' ? [] : paymentStateNames.filter((name) => name.includes(key));
  if (stateNames.length > 0) return { kind: 'states', stateNames };
  const id = key.toLowerCase();
  return { kind: 'text', id: isUuid(id) ? id : null, text: key };
}
