import type { PaymentMethodColumn, PaymentMethodSearch } from '../../ports/storage/index.ts';
import type { SearchColumnType } from '../../records/index.ts';
import { clausesOn, isOperatorSearch } from '../../runtime/index.ts';
import { isUuid } from '../../values/ids/index.ts';

/** The columns of an operator search, and what they hold (§10.2). */
const columnTypes = {
  id: 'uuid',
  external_key: 'text',
  account_id: 'uuid',
  plugin_name: 'text',
  created_by: 'text',
  created_date: 'instant',
  updated_by: 'text',
  updated_date: 'instant',
} as const satisfies Readonly<Record<PaymentMethodColumn, SearchColumnType>>;

/** Columns whose name in the payment method's JSON is another one. */
const columnOfJsonName: Readonly<Record<string, PaymentMethodColumn>> = {
  paymentMethodId: 'id',
  externalKey: 'external_key',
  accountId: 'account_id',
  pluginName: 'plugin_name',
};

/**
 * What a search key asks of our own rows: clauses in operator form, else a whole id or part of a text (§10.2).
 * @throws BillingError INVALID_PARAMETER (60002) for a key in operator form that cannot be read.
 */
export function paymentMethodSearch(key: string): PaymentMethodSearch {
  if (!isOperatorSearch(key)) {
    const text = key.toLowerCase();
    return { kind: 'text', id: isUuid(text) ? text : null, text };
  }
  return { kind: 'clauses', clauses: clausesOn(key, { types: columnTypes, ofJsonName: columnOfJsonName }) };
}
