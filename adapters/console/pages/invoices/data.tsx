import { api, type Decimal, type Invoice, type InvoiceItem } from '../../core/data.ts';
import { label } from '../../core/format.ts';
import type { Column } from '../../parts/table.tsx';
import { Badge, IdLink, type Tone } from '../../parts/values.tsx';

/** An invoice with what its page and its actions need. */
export type InvoiceFacts = Awaited<ReturnType<typeof loadInvoice>>;

/** Loads an invoice by its id or its number. */
export async function loadInvoice(idOrNumber: string) {
  const { invoices, accounts, payments, paymentMethods } = api();
  const options = { withChildrenItems: true };
  const invoice = /^\d+$/.test(idOrNumber)
    ? await invoices.getByNumber(Number(idOrNumber), options)
    : await invoices.get(idOrNumber, options);
  const [account, paid, methods] = await Promise.all([
    accounts.get(invoice.accountId),
    payments.invoicePaymentsOfInvoice(invoice.id, { withAttempts: true }),
    paymentMethods.ofAccount(invoice.accountId),
  ]);
  return { invoice, account, payments: paid, methods };
}

export const invoiceColumns = [
  ['number', (row) => <IdLink page="/invoices" id={row.id} label={numberOf(row)} />, 'sorted'],
  ['date', 'invoiceDate'],
  ['state', InvoiceState],
  'amount',
  'balance',
] as const satisfies readonly Column<Invoice>[];

/** Returns the number that customers see. */
export function numberOf(invoice: Pick<Invoice, 'formattedNumber' | 'invoiceNumber'>): string {
  return invoice.formattedNumber ?? String(invoice.invoiceNumber);
}

const tones: Readonly<Record<string, Tone>> = { paid: 'good', partlyPaid: 'warning', unpaid: 'bad' };

export function InvoiceState(invoice: Invoice) {
  const state = stateOf(invoice);
  return <Badge tone={tones[state]}>{label(state)}</Badge>;
}

function stateOf({ status, isMigration, isWrittenOff, balance, amount }: Invoice): string {
  if (status !== 'COMMITTED') return status;
  if (isMigration) return 'imported';
  if (isWrittenOff) return 'writtenOff';
  if (!balance.greaterThan(0)) return 'paid';
  return balance.lessThan(amount) ? 'partlyPaid' : 'unpaid';
}

/** Returns true if the customer owes something on the invoice. */
export function isOwed(invoice: Invoice): boolean {
  return invoice.status === 'COMMITTED' && invoice.balance.greaterThan(0);
}

/** Returns the sum of items. `like` is any amount; the sum of no items is zero. */
export function sumOf(items: readonly InvoiceItem[], like: Decimal): Decimal {
  return items.reduce((total, { amount }) => total.plus(amount), like.times(0));
}

/** Returns the payments of an invoice less its refunds. */
export function paymentsOf({ items, rawBalance }: Invoice): Decimal {
  return sumOf(items, rawBalance).minus(rawBalance);
}

/** The types of lines whose amount can be reduced. */
const CHARGES = ['EXTERNAL_CHARGE', 'FIXED', 'RECURRING', 'USAGE', 'PARENT_SUMMARY', 'TAX'];

/** Returns the lines whose amount can still be reduced. */
export function adjustableItems({ status, items }: Invoice): readonly InvoiceItem[] {
  if (status === 'VOID') return [];
  return items.filter(({ itemType, repairable }) => CHARGES.includes(itemType) && repairable.greaterThan(0));
}
