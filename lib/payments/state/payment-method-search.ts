import type { PaymentMethodColumn, PaymentMethodSearch } from '../../ports/storage/index.ts';
import type { SearchColumnType } from '../../records/index.ts';
import { isOperatorSearch, parseOperatorSearch } from '../../runtime/index.ts';
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

const searchableTypes: Readonly<Record<string, SearchColumnType>> = {
  ...columnTypes,
  ...Object.fromEntries(
    Object.entries(columnOfJsonName).map(([name, column]) => [name, columnTypes[column]]),
  ),
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
  const clauses = parseOperatorSearch(key, searchableTypes);
  return {
    kind: 'clauses',
    clauses: clauses.map((clause) => ({
      ...clause,
      column: columnOfJsonName[clause.column] ?? (clause.column as PaymentMethodColumn),
    })),
  };
}
