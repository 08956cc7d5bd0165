import { api, instant, may, useLoad } from '../../core/index.ts';
import { Action, Badge, ListSection, Section, Show, type Tone } from '../../parts/index.ts';
import { Paper } from '../../parts/paper.tsx';
import { texts } from '../../texts.ts';
import { type InvoiceFacts, numberOf } from './data.ts';
import { Download, saveFile } from './download.tsx';

const t = texts.documents;

/** The document that the customer gets, its files, and the deliveries of its e-invoices. */
export function Documents({ facts }: { readonly facts: InvoiceFacts }) {
  const { invoice } = facts;
  const html = useLoad(() => api().invoices.html(invoice.id), [invoice.id]);
  const name = `${t.file}-${numberOf(invoice)}`;
  return (
    <>
      <Section
        title={t.title}
        actions={
          <>
            <Download
              label={t.pdf}
              name={`${name}.pdf`}
              type="application/pdf"
              load={() => api().invoices.pdf(invoice.id)}
            />
            {invoice.status === 'COMMITTED' && <EInvoice invoiceId={invoice.id} />}
          </>
        }
      >
        <Show of={html}>{(text) => <Paper title={t.title} html={text} />}</Show>
      </Section>
      <Deliveries invoiceId={invoice.id} />
    </>
  );
}

const FORMS = [
  ['UBL:EN16931', 'UBL, EN 16931'],
  ['UBL:PEPPOL_BIS3', 'UBL, Peppol BIS 3'],
  ['UBL:XRECHNUNG', 'UBL, XRechnung'],
  ['CII:EN16931', 'CII, EN 16931'],
  ['CII:XRECHNUNG', 'CII, XRechnung'],
  ['FACTUR_X:EN16931', 'Factur-X (PDF with CII)'],
] as const;

function EInvoice({ invoiceId }: { readonly invoiceId: string }) {
  return (
    <Action
      label={t.eInvoice}
      explanation={t.eInvoiceExplanation}
      initial={{ form: FORMS[0][0] }}
      fields={[{ name: 'form', label: t.form, kind: 'select', options: FORMS }]}
      confirm={t.download}
      run={async ({ form }) => {
        const [format, profile] = String(form).split(':') as ['UBL', 'EN16931'];
        const file = await api().invoices.eInvoice({ invoiceId, format, profile });
        saveFile(file.bytes, { name: file.fileName, type: file.mediaType });
      }}
      done={t.downloaded}
    />
  );
}

const tones: Readonly<Record<string, Tone>> = { SENT: 'good', FAILED: 'bad', PENDING: 'warning' };

function Deliveries({ invoiceId }: { readonly invoiceId: string }) {
  const loaded = useLoad(() => api().invoices.eInvoiceDeliveries(invoiceId), [invoiceId]);
  return (
    <ListSection
      caption={t.deliveries}
      of={loaded}
      pageParameter="delivery"
      keyOf={({ id }) => id}
      empty={t.noDeliveries}
      columns={[
        { title: t.form, cell: ({ format, profile }) => `${format}, ${profile}` },
        { title: t.state, cell: ({ state }) => <Badge tone={tones[state]}>{t.states[state]}</Badge> },
        { title: t.attempts, isNumber: true, cell: ({ attempts }) => attempts },
        { title: t.lastAttempt, cell: ({ attemptedDate }) => instant(attemptedDate) },
        { title: t.nextAttempt, cell: ({ nextAttemptDate }) => instant(nextAttemptDate) },
        { title: t.answer, isText: true, cell: ({ receipt, lastError }) => lastError ?? receipt ?? '' },
        {
          title: '',
          cell: ({ id }) =>
            may('invoice:trigger') && (
              <Action
                label={t.sendAgain}
                explanation={t.sendAgainExplanation}
                run={() => api().invoices.resendEInvoice(id)}
                done={t.sentAgain}
              />
            ),
        },
      ]}
    />
  );
}
