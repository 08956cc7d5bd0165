import { api } from '../../core/data.ts';
import { label } from '../../core/format.ts';
import { Action } from '../../parts/action.tsx';
import { Badge, Download, Load, Section, saveFile, type Tone } from '../../parts/layout.tsx';
import { Paper } from '../../parts/paper.tsx';
import { ListSection } from '../../parts/table.tsx';
import { type InvoiceFacts, numberOf } from './data.tsx';

/** The document that the customer gets, its files, and the deliveries of its e-invoices. */
export function Documents({ invoice }: InvoiceFacts) {
  const actions = (
    <>
      <Download
        name="pdf"
        file={`invoice-${numberOf(invoice)}.pdf`}
        type="application/pdf"
        load={() => api().invoices.pdf(invoice.id)}
      />
      {invoice.status === 'COMMITTED' && <EInvoice invoiceId={invoice.id} />}
    </>
  );
  return (
    <>
      <Section name="documentOfTheCustomer" actions={actions}>
        <Load from={() => api().invoices.html(invoice.id)}>
          {(html) => <Paper title={label('documentOfTheCustomer')} html={html} />}
        </Load>
      </Section>
      <Deliveries invoiceId={invoice.id} />
    </>
  );
}

const FORMATS = [
  ['UBL:EN16931', 'UBL, EN 16931'],
  ['UBL:PEPPOL_BIS3', 'UBL, Peppol BIS 3'],
  ['UBL:XRECHNUNG', 'UBL, XRechnung'],
  ['CII:EN16931', 'CII, EN 16931'],
  ['CII:XRECHNUNG', 'CII, XRechnung'],
  ['FACTUR_X:EN16931', 'Factur-X (PDF with CII)'],
] as const;

interface OfInvoice {
  readonly invoiceId: string;
}

function EInvoice({ invoiceId }: OfInvoice) {
  return (
    <Action
      name="eInvoice"
      fields={{ format: { kind: 'select', options: FORMATS } }}
      confirm={label('download')}
      run={async (values) => {
        const [format, profile] = values.format.split(':') as ['UBL', 'EN16931'];
        const file = await api().invoices.eInvoice({ invoiceId, format, profile });
        saveFile(file.bytes, { name: file.fileName, type: file.mediaType });
      }}
    />
  );
}

const tones: Readonly<Record<string, Tone>> = { SENT: 'good', FAILED: 'bad', PENDING: 'warning' };

function Deliveries({ invoiceId }: OfInvoice) {
  return (
    <ListSection
      name="eInvoiceDeliveries"
      load={() => api().invoices.eInvoiceDeliveries(invoiceId)}
      columns={[
        ['format', ({ format, profile }) => `${format}, ${profile}`],
        ['state', ({ state }) => <Badge tone={tones[state]}>{label(state)}</Badge>],
        'attempts',
        ['lastAttempt', 'attemptedDate'],
        ['nextAttempt', 'nextAttemptDate'],
        ['answer', ({ receipt, lastError }) => lastError ?? receipt, 'text'],
        [
          '',
          ({ id }) => (
            <Action
              name="sendEInvoiceAgain"
              needs="invoice:trigger"
              run={() => api().invoices.resendEInvoice(id)}
            />
          ),
        ],
      ]}
    />
  );
}
