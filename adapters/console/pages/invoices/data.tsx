import { api, type Decimal, type Invoice, type InvoiceItem } from '../../core/data.ts';
import { day, money } from '../../core/format.ts';
import { Badge, IdLink, type Tone } from '../../parts/layout.tsx';
import type { Column } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';

const t = texts.invoices;

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

/** The columns of a list of invoices. */
export const invoiceColumns = [
  ['number', (row) => <IdLink page="/invoices" id={row.id} label={numberOf(row)} />, 'sorted'],
  ['date', ({ invoiceDate }) => day(invoiceDate)],
  ['state', (row) => <InvoiceState invoice={row} />],
  ['amount', ({ amount, currency }) => money(amount, currency), 'number'],
  ['balance', ({ balance, currency }) => money(balance, currency), 'number'],
] as const satisfies readonly Column<Invoice>[];

/** Returns the number that customers see. */
export function numberOf(invoice: Pick<Invoice, 'formattedNumber' | 'invoiceNumber'>): string {
  return invoice.formattedNumber ?? String(invoice.invoiceNumber);
}

export function InvoiceState({ invoice }: { readonly invoice: Invoice }) {
  const [state, tone] = stateOf(invoice);
  return <Badge tone={tone}>{t.states[state]}</Badge>;
}

function stateOf(invoice: Invoice): readonly [keyof typeof t.states, Tone] {
  if (invoice.status === 'DRAFT') return ['draft', 'quiet'];
  if (invoice.status === 'VOID') return ['void', 'quiet'];
  if (invoice.isMigration) return ['imported', 'quiet'];
  if (invoice.isWrittenOff) return ['writtenOff', 'warning'];
  if (!invoice.balance.greaterThan(0)) return ['paid', 'good'];
  return invoice.balance.lessThan(invoice.amount) ? ['partlyPaid', 'warning'] : ['unpaid', 'bad'];
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

const ADJUSTABLE: readonly string[] = [
  'EXTERNAL_CHARGE',
  'FIXED',
  'RECURRING',
  'TAX',
  'USAGE',
  'PARENT_SUMMARY',
];

/** Returns the lines whose amount can still be reduced. */
export function adjustableItems({ status, items }: Invoice): readonly InvoiceItem[] {
  if (status === 'VOID') return [];
  return items.filter(
    ({ itemType, repairable }) => ADJUSTABLE.includes(itemType) && repairable.greaterThan(0),
  );
}

/** Returns what a line is for, in the words of the catalog if it has some. */
export function itemName(item: InvoiceItem): string {
  const plan = item.prettyPlanName ?? item.planName;
  const usage = item.prettyUsageName ?? item.usageName;
  const isOfPlan = item.itemType === 'RECURRING' || item.itemType === 'FIXED';
  if (plan !== null && item.itemType === 'USAGE') return `${plan}: ${usage ?? ''}`;
  if (plan !== null && isOfPlan) return plan;
  return item.description ?? t.itemTypes[item.itemType];
}
