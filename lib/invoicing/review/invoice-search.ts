import type { InvoiceColumn, InvoiceSearch } from '../../ports/storage/index.ts';
import { type SearchColumnType, SearchOperator } from '../../records/index.ts';
import { clausesOn, isOperatorSearch } from '../../runtime/index.ts';
import { invalidParameter } from '../../values/errors/index.ts';
import { isUuid } from '../../values/ids/index.ts';
import { isCurrency, parseWireDecimal } from '../../values/money/index.ts';

/** The columns of an operator search, and what they hold (§15). */
const columnTypes = {
  id: 'uuid',
  account_id: 'uuid',
  invoice_date: 'date',
  target_date: 'date',
  currency: 'text',
  status: 'text',
  migrated: 'boolean',
  parent_invoice: 'boolean',
  grp_id: 'uuid',
  created_by: 'text',
  created_date: 'instant',
} as const satisfies Readonly<Record<InvoiceColumn, SearchColumnType>>;

/** Columns whose name in the invoice's JSON is another one. */
const columnOfJsonName: Readonly<Record<string, InvoiceColumn>> = {
  invoiceId: 'id',
  accountId: 'account_id',
  invoiceDate: 'invoice_date',
  targetDate: 'target_date',
  isParentInvoice: 'parent_invoice',
};

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
    const clauses = clausesOn<InvoiceColumn | 'balance'>(key, {
      types: { ...columnTypes, balance: 'text' as const },
      ofJsonName: columnOfJsonName,
    });
    return clauses.some(({ column }) => column === 'balance')
      ? balanceSearch(clauses)
      : { kind: 'clauses', clauses: clauses.flatMap(onColumn) };
  }
  if (integer.test(key)) return { kind: 'number', invoiceNumber: Number(key) };
  if (isCurrency(key)) {
    return { kind: 'clauses', clauses: [{ column: 'currency', operator: SearchOperator.eq, value: key }] };
  }
  const id = key.toLowerCase();
  return isUuid(id) ? { kind: 'id', id } : null;
}

type Clause = ReturnType<typeof clausesOn<InvoiceColumn | 'balance'>>[number];

function onColumn({ column, ...clause }: Clause) {
  return column === 'balance' ? [] : [{ ...clause, column }];
}

/** No column holds the balance, so that it cannot be one of several conditions. */
function balanceSearch(clauses: readonly Clause[]): InvoiceSearch {
  const [clause, other] = clauses;
  const balance = clause === undefined ? undefined : parseWireDecimal(String(clause.value));
  if (clause === undefined || other !== undefined || balance === undefined || clause.operator === 'like') {
    throw invalidParameter(
      'The search key cannot be read: balance stands alone and compares with a number, as in _q=1&balance[gt]=0',
    );
  }
  return { kind: 'balance', operator: clause.operator, balance };
}
