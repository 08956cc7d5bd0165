import { type Books, billionths, by, dayNumber, is, type StoredRow, sum } from './books.ts';
import type { Invariant } from './invariant.ts';

/** Invariant 1; invoicing §1.4 rules 1, 2, 3 and 5. */
export const invoiceBalances: Invariant = {
  name: 'invoice balance = items − payments + refunds, exactly',
  breaches: ({ books }) => {
    const itemsOf = by(books.invoice_items, 'invoice_id');
    const paymentsOf = by(books.invoice_payments, 'invoice_id');
    return books.invoices.flatMap((invoice) => {
      const items = itemsOf(invoice.id);
      const paid = paymentsOf(invoice.id).filter(({ status }) => status === 'SUCCESS');
      const returned = sum(paid.filter(({ type }) => type !== 'ATTEMPT'));
      const credit = sum(items.filter(({ item_type: type }) => type === 'CBA_ADJ'));
      const owed = is(invoice, 'is_migration') ? 0n : sum(items) - sum(paid);
      const charged = isPureCredit(items) ? 0n : sum(items) - credit;
      return differing(invoice, {
        raw_balance: owed,
        amount: charged,
        credit_adj: credit,
        refund_adj: returned,
      });
    });
  },
};

/** Invariant 2; invoicing §1.4 rules 6 to 8. Balances already include payments by a parent. */
export const accountBalances: Invariant = {
  name: 'account balance = sum of invoice balances − credit',
  breaches: ({ books }) => {
    const invoicesOf = by(books.invoices, 'account_id');
    return books.invoicing_states.flatMap((state) => {
      const counted = invoicesOf(state.account_id).filter(
        (invoice) => invoice.status === 'COMMITTED' && !is(invoice, 'is_migration'),
      );
      const own = counted.filter(
        (invoice) => !is(invoice, 'is_written_off') && invoice.contributed_amount === null,
      );
      const credit = sum(counted, 'credit_adj');
      const breaches = differing(state, {
        account_cba: credit,
        account_balance: sum(own, 'raw_balance') - credit,
      });
      return credit < 0n ? [...breaches, `account ${state.account_id} has credit below 0`] : breaches;
    });
  },
};

/** Invariant 6. */
export const refundsWithinCaptured: Invariant = {
  name: 'refunds never exceed captured',
  breaches: ({ books }) => {
    const transactionsOf = by(books.payment_transactions, 'payment_id');
    const total = (rows: readonly StoredRow[], types: readonly string[]): bigint =>
      sum(
        rows.filter((row) => row.status === 'SUCCESS' && types.includes(String(row.transaction_type))),
        'processed_amount',
      );
    return books.payments.flatMap(({ id }) => {
      const rows = transactionsOf(id);
      const captured = total(rows, ['PURCHASE', 'CAPTURE']);
      const refunded = total(rows, ['REFUND', 'CHARGEBACK']);
      return refunded > captured ? [`payment ${id}: ${refunded} of ${captured}`] : [];
    });
  },
};

/** Invariant 7. */
export const oneUnresolvedAttempt: Invariant = {
  name: 'at most one unresolved payment attempt per invoice',
  breaches: ({ books }) => {
    const open = books.invoice_payments.filter(
      ({ status, type }) => status !== 'SUCCESS' && type === 'ATTEMPT',
    );
    const transactionOf = by(books.payment_transactions, 'payment_id');
    const unresolved = open.filter(({ status, payment_id: payment }) =>
      status === 'PENDING' ? true : transactionOf(payment).some((row) => isUnresolved(row)),
    );
    return [...Map.groupBy(unresolved, ({ invoice_id: id }) => id)].flatMap(([id, rows]) =>
      rows.length > 1 ? [`invoice ${id} has ${rows.length}`] : [],
    );
  },
};

/** Invariant 14: an item equals its repairs plus the rest, and each part has its share of the amount (invoicing §6). */
export const noResidue: Invariant = {
  name: 'the residue of any split is zero',
  breaches: ({ books }) => {
    const items = ofCounted(books);
    const linkedTo = by(items, 'linked_item_id');
    const rowsOf = by(books.coverage, 'item_id');
    return items.flatMap((item) => {
      if (!CHARGES.includes(String(item.item_type))) return [];
      const taken = linkedTo(item.id).filter(({ item_type: type }) => TAKES.includes(String(type)));
      const left = billionths(item.amount) + sum(taken);
      const breaches = differing(item, { repairable: left });
      if (left < 0n) breaches.push(`item ${item.id} has ${left} left`);
      if (item.item_type !== 'RECURRING' || billionths(item.amount) === 0n) return breaches;
      const pieces = piecesLeft(item, taken);
      if (pieces.length === 0 && left !== 0n) breaches.push(`${left} is left of item ${item.id}, but no day`);
      const stored = rowsOf(item.id).map(
        (row) => `${row.start_date}..${row.end_date} ${billionths(row.amount)}`,
      );
      if (stored.toSorted().join() !== pieces.join())
        breaches.push(`of item ${item.id} is covered ${stored.join()}, not ${pieces.join()}`);
      return breaches;
    });
  },
};

const TAKES: readonly string[] = ['ITEM_ADJ', 'REPAIR_ADJ'];

/** The unrepaired parts of an item's days with their amounts. */
function piecesLeft(item: StoredRow, taken: readonly StoredRow[]): readonly string[] {
  const repairs = taken
    .filter(({ item_type: type }) => type === 'REPAIR_ADJ')
    .toSorted((a, b) => dayNumber(a.start_date) - dayNumber(b.start_date));
  const edges = [
    item.start_date,
    ...repairs.flatMap((repair) => [repair.start_date, repair.end_date]),
    item.end_date,
  ];
  return edges.flatMap((from, index) => {
    const to = edges[index + 1];
    if (index % 2 === 1 || from == null || to == null || from === to) return [];
    return [`${from}..${to} ${repairs.length === 0 ? billionths(item.amount) : shareOf(item, { from, to })}`];
  });
}

const BILLION = 1_000_000_000n;
const BILLIONTHS_PER_CENT = 10_000_000n;

/** By calendar days, with the ratio rounded to billionths and the amount to cents (invoicing §2 rule 2). */
function shareOf(item: StoredRow, part: { readonly from: string; readonly to: string }): bigint {
  const days = (from: string | null | undefined, to: string | null | undefined): bigint =>
    BigInt(dayNumber(to) - dayNumber(from));
  const quotient = halfUp(days(part.from, part.to) * BILLION, days(item.start_date, item.end_date));
  return halfUp(billionths(item.amount) * quotient, BILLION * BILLIONTHS_PER_CENT) * BILLIONTHS_PER_CENT;
}

function halfUp(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor);
}

const CHARGES: readonly string[] = ['RECURRING', 'FIXED', 'EXTERNAL_CHARGE', 'TAX'];

/** Items of invoices that count: not VOID, and not of another system. */
export function ofCounted(books: Books): readonly StoredRow[] {
  const invisible = new Set(
    books.invoices
      .filter((invoice) => invoice.status === 'VOID' || is(invoice, 'is_migration'))
      .map(({ id }) => id),
  );
  return books.invoice_items.filter(({ invoice_id: id }) => !invisible.has(id));
}

function isUnresolved({ status, lease_until: lease }: StoredRow): boolean {
  return lease !== null || status === 'UNKNOWN' || status === 'PENDING';
}

function isPureCredit(items: readonly StoredRow[]): boolean {
  const types = items.map(({ item_type: type }) => type).toSorted();
  return types.join() === 'CBA_ADJ,CREDIT_ADJ' && sum(items) === 0n;
}

function differing(row: StoredRow, expected: Readonly<Record<string, bigint>>): string[] {
  return Object.entries(expected).flatMap(([column, value]) =>
    billionths(row[column]) === value
      ? []
      : [`${column} of ${row.id ?? row.account_id} is ${row[column]}, not ${value}`],
  );
}
