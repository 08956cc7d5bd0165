import { SystemTag } from '../../lib/index.ts';
import type { DebtBooks } from '../support/overdue/slow-debt.ts';
import { by, is, type OpenTables, type StoredRow, sum } from './books.ts';

const TABLES = [
  'accounts',
  'invoices',
  'invoice_items',
  'invoice_payments',
  'payment_transactions',
  'tags',
] as const;
const BILLIONTHS_PER_CENT = 10_000_000n;
const FAILED: readonly (string | null)[] = ['PAYMENT_FAILURE', 'PLUGIN_FAILURE'];

export async function readDebt(open: OpenTables): Promise<DebtBooks> {
  const books = await open.tables(TABLES);
  const tags = new Map<string, Set<string>>();
  for (const tag of books.tags.filter((row) => is(row, 'is_active'))) {
    const name = tagNames.get(tag.tag_definition_id ?? '');
    const objectId = tag.object_id ?? '';
    if (name !== undefined) tags.set(objectId, (tags.get(objectId) ?? new Set()).add(name));
  }
  const itemsOf = by(books.invoice_items, 'invoice_id');
  const paymentsOf = by(books.invoice_payments, 'invoice_id');
  const attemptsOf = by(books.invoice_payments, 'payment_id');
  return {
    tags,
    accounts: new Map(
      books.accounts.map((row) => [
        row.id ?? '',
        {
          zone: row.time_zone ?? 'UTC',
          referenceMs: Number(row.reference_time),
          parentId: row.parent_account_id ?? null,
          paysForItself: row.parent_account_id == null || !is(row, 'is_payment_delegated_to_parent'),
        },
      ]),
    ),
    invoices: books.invoices.map((row) => {
      const paid = paymentsOf(row.id).filter(({ status }) => status === 'SUCCESS');
      const owed = sum(itemsOf(row.id)) - sum(paid);
      const isWrittenOff = tags.get(row.id ?? '')?.has('WRITTEN_OFF') ?? false;
      return {
        id: row.id ?? '',
        accountId: row.account_id ?? '',
        // A parent's share is on its summary invoice.
        isOwed:
          row.status === 'COMMITTED' &&
          owed > 0n &&
          !is(row, 'is_migration') &&
          !isWrittenOff &&
          row.contributed_amount === null,
        cents: owed / BILLIONTHS_PER_CENT,
        ages: [row.invoice_date ?? '', row.commit_date ?? ''].toSorted().at(-1) ?? '',
        targetDate: row.target_date ?? null,
      };
    }),
    failures: books.payment_transactions.flatMap((row) => failureOf(row, attemptsOf(row.payment_id))),
  };
}

function failureOf(row: StoredRow, attempts: readonly StoredRow[]): DebtBooks['failures'] {
  if (row.transaction_type !== 'PURCHASE' || !FAILED.includes(row.status ?? null)) return [];
  const invoiceId = attempts.find(({ type }) => type === 'ATTEMPT')?.invoice_id;
  return invoiceId == null ? [] : [{ invoiceId, response: row.payment_response ?? 'OTHER' }];
}

const tagNames = new Map(Object.entries(SystemTag).map(([name, id]) => [id as string, name]));
