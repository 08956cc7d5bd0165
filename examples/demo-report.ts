import {
  type Account,
  type Currency,
  type Decimal,
  type InvoiceView,
  minorUnits,
  type Plain,
  sum,
  type TenantBilling,
} from '../lib/index.ts';
import { type Customer, customers } from './demo-story.ts';

interface Line {
  readonly date: string;
  readonly who: string;
  readonly what: string;
  readonly amount: string;
  readonly detail: string;
}

/** The story as text: a timeline of invoices and payments, then the totals of each customer. */
export async function report(acme: TenantBilling): Promise<string> {
  const stories = await Promise.all(customers.map((customer) => storyOf(acme, customer)));
  const lines = stories
    .flatMap(({ lines }) => lines)
    .toSorted((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0));
  return [
    'Timeline',
    ...columns(
      lines.map(({ date, who, what, amount, detail }) => [date, who, what, amount, detail]),
      [3],
    ),
    '',
    'Totals',
    ...columns(
      [
        ['customer', 'zone', 'invoices', 'invoiced', 'payments', 'paid', 'balance'],
        ...stories.map(({ totals }) => totals),
      ],
      [2, 3, 4, 5, 6],
    ),
    '',
  ].join('\n');
}

async function storyOf(acme: TenantBilling, customer: Customer) {
  const account = await acme.accounts.getByKey(customer.key);
  const invoices = await acme.invoices.ofAccount({ accountId: account.id, withItems: true });
  const payments = await acme.payments.ofAccount(account.id);
  const balances = await acme.accounts.balances([account.id]);
  const currency = currencyOf(account);
  const paid = payments.map((payment) => ({ payment, amount: payment.totals.purchasedAmount }));
  const joined: Line = {
    date: account.createdDate.toISOString().slice(0, 10),
    who: customer.name,
    what: 'signs up',
    amount: '',
    detail: `${customer.planName}, ${customer.timeZone}`,
  };
  return {
    lines: [
      joined,
      ...invoices.map((invoice) => invoiceLine(customer, currency, invoice)),
      ...paid.map(
        ({ payment, amount }): Line => ({
          date: payment.createdDate.toISOString().slice(0, 10),
          who: customer.name,
          what: 'payment',
          amount: money(amount, currency),
          detail: payment.transactions.map((transaction) => transaction.status).join(', '),
        }),
      ),
    ],
    totals: [
      customer.name,
      customer.timeZone,
      String(invoices.length),
      money(sum(invoices.map((invoice) => invoice.amount)), currency),
      String(paid.length),
      money(sum(paid.map(({ amount }) => amount)), currency),
      money(balances.get(account.id)?.accountBalance ?? sum([]), currency),
    ],
  };
}

function invoiceLine(customer: Customer, currency: Currency, invoice: Plain<InvoiceView>): Line {
  return {
    date: invoice.invoiceDate,
    who: customer.name,
    what: `invoice ${invoice.invoiceNumber}`,
    amount: money(invoice.amount, currency),
    detail: invoice.items.map(itemText).join('; '),
  };
}

function itemText({ description, startDate, endDate }: Plain<InvoiceView>['items'][number]): string {
  const from = startDate === null ? '' : ` ${startDate}`;
  const to = endDate === null ? '' : ` to ${endDate}`;
  return `${description ?? ''}${from}${to}`;
}

function money(amount: Decimal, currency: Currency): string {
  return `${amount.toFixed(minorUnits(currency))} ${currency}`;
}

function currencyOf(account: Plain<Account>): Currency {
  if (account.currency === null) throw new Error(`account ${account.externalKey} has no currency`);
  return account.currency;
}

/** Rows with their cells aligned; columns named in `right` are flush right. */
function columns(rows: readonly (readonly string[])[], right: readonly number[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) =>
        right.includes(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
}
