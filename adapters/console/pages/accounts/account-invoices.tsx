import type { JSX } from 'preact';
import { api, type ResultOf } from '../../core/api.ts';
import { day, money } from '../../core/format.ts';
import { href } from '../../core/location.ts';
import { Badge, Section } from '../../parts/layout.tsx';
import { type Column, PagedTable, Table } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';

const t = texts.account;

type Invoice = ResultOf<'invoices', 'pageOfAccount'>['rows'][number];
type InvoiceRow = Omit<Invoice, 'items'>;

/** All invoices of an account, newest first. */
export function Invoices({ accountId }: { readonly accountId: string }): JSX.Element {
  return (
    <Section title={t.invoices}>
      <PagedTable
        caption={t.invoices}
        load={({ offset, limit }) => api().invoices.pageOfAccount(accountId, { offset, limit: -limit })}
        inputs={[accountId]}
        keyOf={({ id }) => id}
        empty={t.noInvoices}
        columns={columns}
      />
    </Section>
  );
}

export function InvoiceTable(props: {
  readonly rows: readonly InvoiceRow[];
  readonly caption: string;
  readonly empty?: string;
}): JSX.Element {
  const { rows, caption, empty = t.noInvoices } = props;
  return <Table caption={caption} rows={rows} keyOf={({ id }) => id} empty={empty} columns={columns} />;
}

export function isUnpaid({ status, balance }: InvoiceRow): boolean {
  return status === 'COMMITTED' && balance.gt(0);
}

const columns: readonly Column<InvoiceRow>[] = [
  {
    title: t.number,
    cell: ({ id, formattedNumber, invoiceNumber }) => (
      <a href={href('/invoices', id)}>{formattedNumber ?? invoiceNumber}</a>
    ),
  },
  { title: t.date, cell: ({ invoiceDate }) => day(invoiceDate) },
  { title: t.amount, isNumber: true, cell: ({ amount, currency }) => money(amount, currency) },
  { title: t.balance, isNumber: true, cell: ({ balance, currency }) => money(balance, currency) },
  { title: t.state, cell: (invoice) => <InvoiceBadge of={invoice} /> },
];

function InvoiceBadge({ of: invoice }: { readonly of: InvoiceRow }): JSX.Element {
  const { status, isWrittenOff } = invoice;
  if (status === 'DRAFT') return <Badge tone="warning">{t.draft}</Badge>;
  if (status === 'VOID') return <Badge tone="quiet">{t.voided}</Badge>;
  if (isWrittenOff) return <Badge tone="quiet">{t.writtenOff}</Badge>;
  return isUnpaid(invoice) ? <Badge tone="bad">{t.unpaidState}</Badge> : <Badge tone="good">{t.paid}</Badge>;
}
