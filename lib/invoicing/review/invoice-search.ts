import type { InvoiceSearch } from '../../ports/storage/index.ts';
import { invoiceFields, type SearchClause, SearchOperator } from '../../records/index.ts';
import { isOperatorSearch, parseOperatorSearch } from '../../runtime/index.ts';
import { invalidParameter } from '../../values/errors/index.ts';
import { authorFields, searchedFields } from '../../values/fields/index.ts';
import { isUuid } from '../../values/ids/index.ts';
import { isCurrency, parseWireDecimal } from '../../values/money/index.ts';

/** What an operator search may name (§15); no column holds the balance. */
const searched = {
  ...searchedFields({ ...invoiceFields, createdBy: authorFields.createdBy }, { invoiceId: 'id' }),
  balance: { property: 'balance', type: 'text' },
} as const;

/** The highest number of an invoice has as many digits as a safe integer always has. */
const integer = /^\d{1,15}$/;

/**
 * What a search key asks for (§15): a comparison with the balance, or clauses in operator form; else the number, the
 * currency, the id or the account's id; null = nothing can be found by it.
 * @throws BillingError INVALID_PARAMETER (60002) for a key in operator form that cannot be read.
 */
export function invoiceSearch(key: string): InvoiceSearch | null {
  if (key === '') return { kind: 'all' };
  if (isOperatorSearch(key)) {
    const clauses = parseOperatorSearch(key, searched);
    return clauses.some(({ property }) => property === 'balance')
      ? balanceSearch(clauses)
      : { kind: 'clauses', clauses };
  }
  if (integer.test(key)) return { kind: 'number', invoiceNumber: Number(key) };
  if (isCurrency(key)) {
    return {
      kind: 'clauses',
      clauses: [{ property: 'currency', type: 'text', operator: SearchOperator.eq, value: key }],
    };
  }
  const id = key.toLowerCase();
  return isUuid(id) ? { kind: 'id', id } : null;
}

/** No column holds the balance, so that it cannot be one of several conditions. */
function balanceSearch(clauses: readonly SearchClause[]): InvoiceSearch {
  const [clause, other] = clauses;
  const balance = clause === undefined ? undefined : parseWireDecimal(String(clause.value));
  if (clause === undefined || other !== undefined || balance === undefined || clause.operator === 'like') {
    throw invalidParameter(
      'The search key cannot be read: balance stands alone and compares with a number, as in _q=1&balance[gt]=0',
    );
  }
  return { kind: 'balance', operator: clause.operator, balance };
}
