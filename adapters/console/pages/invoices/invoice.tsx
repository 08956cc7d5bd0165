import { api } from '../../core/data.ts';
import { day, instant, label, money } from '../../core/format.ts';
import { Action } from '../../parts/action.tsx';
import { LabelsAndHistory } from '../../parts/history.tsx';
import {
  AccountLink,
  Copyable,
  Download,
  Facts,
  Figure,
  Load,
  Page,
  pageOf,
  Section,
  Sentences,
  saveFile,
  Tabs,
} from '../../parts/layout.tsx';
import { Outlook } from '../../parts/outlook.tsx';
import { Paper } from '../../parts/paper.tsx';
import { ListSection } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';
import { methodName, outcomeSentences, paymentColumns } from '../payments/data.tsx';
import { type InvoiceFacts, InvoiceState, isOwed, loadInvoice, numberOf } from './data.tsx';
import { InvoiceActions } from './invoice-actions.tsx';
import { Lines } from './lines.tsx';

const t = texts.unpaid;

/** One invoice: why it has its amount, why it is unpaid, and what can be done. */
export const InvoicePage = pageOf(loadInvoice, (facts) => {
  const { invoice, account } = facts;
  const { amount, balance, currency, invoiceDate } = invoice;
  return (
    <Page
      title={texts.invoices.one(numberOf(invoice))}
      above={['invoices']}
      subtitle={
        <>
          <InvoiceState {...invoice} /> <AccountLink {...account} />
        </>
      }
      actions={<InvoiceActions {...facts} />}
    >
      <div class="figures">
        <Figure name="amount" value={money(amount, currency)} />
        <Figure name="balance" value={money(balance, currency)} tone={isOwed(invoice) ? 'bad' : undefined} />
        <Figure name="date" value={day(invoiceDate)} />
      </div>
      <Tabs
        of={{
          overview: () => <Overview {...facts} />,
          document: () => <Document {...facts} />,
          labelsAndHistory: () => <More {...facts} />,
        }}
      />
    </Page>
  );
});

function Overview(facts: InvoiceFacts) {
  const { payments, methods, account } = facts;
  const nameOf = (methodId: string) => {
    const method = methods.find(({ id }) => id === methodId);
    return method === undefined ? texts.payments.deletedMethod : methodName(method);
  };
  return (
    <>
      <Unpaid {...facts} />
      <Lines {...facts} />
      <ListSection
        name="payments"
        rows={payments}
        columns={[
          ...paymentColumns(account.timeZone),
          ['paymentMethod', ({ paymentMethodId }) => nameOf(paymentMethodId)],
        ]}
      />
    </>
  );
}

/** Why an invoice is not paid, and what happens next, in sentences. */
function Unpaid(facts: InvoiceFacts) {
  const { invoice, account } = facts;
  const { status, isWrittenOff, parentInvoiceId } = invoice;
  if (isOwed(invoice))
    return (
      <Section name="whyUnpaid" title={t.title}>
        <Sentences of={paymentReasons(facts)} />
        <Outlook accountId={account.id} parentInvoiceId={parentInvoiceId} />
      </Section>
    );
  const reason = status === 'COMMITTED' ? isWrittenOff && t.writtenOff : t[status];
  return reason && <p class="banner">{reason}</p>;
}

/** What happened to the latest payment, and when the next attempt is made. */
function paymentReasons({ payments, account, methods, invoice }: InvoiceFacts): readonly string[] {
  const method = methods.find(({ id }) => id === account.paymentMethodId);
  const noMethod = method === undefined ? [t.noMethod] : [];
  const last = payments.at(-1);
  if (last === undefined) return method === undefined ? noMethod : [t.notTried(methodName(method))];
  const failures = last.transactions.filter(({ status }) => status === 'PAYMENT_FAILURE').length;
  const tries = failures > 1 ? [t.tries(failures, day(invoice.invoiceDate))] : [];
  const [outcome = '', ...ahead] = outcomeSentences(last, account.timeZone);
  return [...noMethod, outcome, ...tries, ...ahead];
}

/** The formats of e-invoices with their profiles. */
const FORMATS = (
  [
    'UBL EN16931',
    'UBL PEPPOL_BIS3',
    'UBL XRECHNUNG',
    'CII EN16931',
    'CII XRECHNUNG',
    'FACTUR_X EN16931',
  ] as const
).map((each) => [each, each] as const);

/** The document that the customer gets, and its files. */
function Document({ invoice }: InvoiceFacts) {
  const { id: invoiceId, status } = invoice;
  const { html, pdf, eInvoice } = api().invoices;
  const actions = (
    <>
      <Download name="pdf" file={`invoice-${numberOf(invoice)}.pdf`} load={() => pdf(invoiceId)} />
      <Action
        name="eInvoice"
        isHidden={status !== 'COMMITTED'}
        fields={{ format: { kind: 'select', options: FORMATS } }}
        run={async (values) => {
          const [format, profile] = values.format.split(' ') as ['UBL', 'EN16931'];
          const { bytes, fileName } = await eInvoice({ invoiceId, format, profile });
          saveFile(bytes, fileName);
        }}
      />
    </>
  );
  return (
    <Section name="documentOfTheCustomer" actions={actions}>
      <Load from={() => html(invoiceId)}>
        {(text) => <Paper title={label('documentOfTheCustomer')} html={text} />}
      </Load>
    </Section>
  );
}

/** Facts, tags, custom fields and history. */
function More({ invoice, account }: InvoiceFacts) {
  const { id, targetDate, issuedDate, note, trackingIds } = invoice;
  return (
    <>
      <Section name="facts">
        <Facts
          of={{
            id: <Copyable text={id} />,
            billedThrough: targetDate,
            issued: instant(issuedDate, account.timeZone),
            note,
            usageRecords: trackingIds.length === 0 ? null : trackingIds,
          }}
        />
      </Section>
      <LabelsAndHistory accountId={account.id} of={{ type: 'INVOICE', id }} />
    </>
  );
}
