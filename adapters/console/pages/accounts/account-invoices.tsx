import { api, day, money } from '../../core/index.ts';
import { Badge, type Column, IdLink, PagedTable, Section, Table } from '../../parts/index.ts';
import { texts } from '../../texts.ts';
import { type Invoice, numberOf, stateOf } from '../invoices/data.ts';

const t = texts.account;

/** All invoices of an account, newest first. */
export function Invoices({ accountId }: { readonly accountId: string }) {
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
  readonly rows: readonly Invoice[];
  readonly caption: string;
  readonly empty?: string;
}) {
  const { rows, caption, empty = t.noInvoices } = props;
  return <Table caption={caption} rows={rows} keyOf={({ id }) => id} empty={empty} columns={columns} />;
}

const columns: readonly Column<Invoice>[] = [
  { title: t.number, cell: (row) => <IdLink page="/invoices" id={row.id} label={numberOf(row)} /> },
  { title: t.date, cell: ({ invoiceDate }) => day(invoiceDate) },
  { title: t.state, cell: (row) => <Badge tone={stateOf(row)[1]}>{stateOf(row)[0]}</Badge> },
  { title: t.amount, isNumber: true, cell: ({ amount, currency }) => money(amount, currency) },
  { title: t.balance, isNumber: true, cell: ({ balance, currency }) => money(balance, currency) },
];
