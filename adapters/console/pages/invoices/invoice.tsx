import { api, day, href, instant, money, type PathValues, useLoad } from '../../core/index.ts';
import { History } from '../../parts/history.tsx';
import {
  Badge,
  Copyable,
  Facts,
  Figure,
  IdLink,
  ListSection,
  Page,
  Section,
  Show,
  Tabs,
} from '../../parts/index.ts';
import { CustomFields, Tags } from '../../parts/labels.tsx';
import { texts } from '../../texts.ts';
import { PaymentTable } from '../payments/payment-table.tsx';
import { type InvoiceFacts, isOwed, loadInvoice, numberOf, stateOf } from './data.ts';
import { Documents } from './documents.tsx';
import { InvoiceActions } from './invoice-actions.tsx';
import { Lines } from './lines.tsx';
import { Unpaid } from './unpaid.tsx';

const t = texts.invoices;

/** One invoice: why it has its amount, why it is unpaid, and what can be done. */
export function InvoicePage({ path }: { readonly path: PathValues }) {
  const id = path.id ?? '';
  const loaded = useLoad(() => loadInvoice(id), [id]);
  return <Show of={loaded}>{(facts) => <Content facts={facts} />}</Show>;
}

function Content({ facts }: { readonly facts: InvoiceFacts }) {
  const { invoice, account } = facts;
  const [state, tone] = stateOf(invoice);
  const name = account.name ?? account.externalKey;
  return (
    <Page
      title={t.one(numberOf(invoice))}
      above={[[t.title, href('/invoices')]]}
      subtitle={
        <>
          <Badge tone={tone}>{state}</Badge> <a href={href('/accounts', account.id)}>{name}</a>
        </>
      }
      actions={<InvoiceActions facts={facts} />}
    >
      <div class="figures">
        <Figure name={t.amount} value={money(invoice.amount, invoice.currency)} />
        <Figure
          name={t.balance}
          value={money(invoice.balance, invoice.currency)}
          {...(isOwed(invoice) && { tone: 'bad' })}
        />
        <Figure name={t.date} value={day(invoice.invoiceDate)} />
      </div>
      <Tabs
        tabs={[
          { name: 'overview', title: t.overview, content: () => <Overview facts={facts} /> },
          { name: 'document', title: t.document, content: () => <Documents facts={facts} /> },
          { name: 'more', title: t.more, content: () => <More facts={facts} /> },
        ]}
      />
    </Page>
  );
}

function Overview({ facts }: { readonly facts: InvoiceFacts }) {
  return (
    <>
      <Unpaid facts={facts} />
      <Lines facts={facts} />
      <Section title={t.payments}>
        <PaymentTable payments={facts.payments} methods={facts.methods} timeZone={facts.account.timeZone} />
      </Section>
      <CreditNotes invoiceId={facts.invoice.id} />
    </>
  );
}

function CreditNotes({ invoiceId }: { readonly invoiceId: string }) {
  const loaded = useLoad(() => api().creditNotes.ofInvoice(invoiceId), [invoiceId]);
  return (
    <ListSection
      caption={t.creditNotes}
      of={loaded}
      pageParameter="note"
      keyOf={({ id }) => id}
      empty={t.noCreditNotes}
      columns={[
        {
          title: t.number,
          cell: ({ id, formattedNumber, creditNoteNumber }) => (
            <IdLink page="/credit-notes" id={id} label={formattedNumber ?? String(creditNoteNumber)} />
          ),
        },
        { title: t.date, cell: ({ creditNoteDate }) => day(creditNoteDate) },
        { title: t.reason, cell: ({ reason }) => texts.creditNotes.reasons[reason] },
        { title: t.amount, isNumber: true, cell: ({ amount, currency }) => money(amount, currency) },
      ]}
    />
  );
}

/** Facts, tags, custom fields and history. */
function More({ facts }: { readonly facts: InvoiceFacts }) {
  const { invoice, account } = facts;
  const object = { type: 'INVOICE', id: invoice.id } as const;
  return (
    <>
      <Section title={t.facts}>
        <Facts
          of={[
            [t.id, <Copyable text={invoice.id} />],
            [t.targetDate, day(invoice.targetDate)],
            [t.issued, instant(invoice.issuedDate, account.timeZone)],
            [t.note, invoice.note ?? undefined],
            [t.group, invoice.groupId === invoice.id ? undefined : <Copyable text={invoice.groupId} />],
            [t.usageRecords, invoice.trackingIds.length === 0 ? undefined : invoice.trackingIds.join(', ')],
          ]}
        />
      </Section>
      <Tags of={object} />
      <CustomFields of={object} />
      <Section title={texts.history.title}>
        <History accountId={account.id} object={object} />
      </Section>
    </>
  );
}
