import { api } from '../../core/data.ts';
import { day, instant, money } from '../../core/format.ts';
import { LabelsAndHistory } from '../../parts/history.tsx';
import {
  AccountLink,
  Copyable,
  Download,
  Facts,
  Figure,
  Page,
  pageOf,
  Section,
  Sentences,
  Tabs,
} from '../../parts/layout.tsx';
import { Outlook } from '../../parts/outlook.tsx';
import { ListSection } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';
import { methodName, outcomeSentences, paymentColumns } from '../payments/data.tsx';
import { type InvoiceFacts, InvoiceState, isOwed, loadInvoice, numberOf } from './data.tsx';
import { Documents } from './documents.tsx';
import { InvoiceActions } from './invoice-actions.tsx';
import { Lines } from './lines.tsx';

const t = texts.invoices;

/** One invoice: why it has its amount, why it is unpaid, and what can be done. */
export const InvoicePage = pageOf(loadInvoice, Content);

function Content(facts: InvoiceFacts) {
  const { invoice, account } = facts;
  const { amount, balance, currency, invoiceDate } = invoice;
  return (
    <Page
      title={t.one(numberOf(invoice))}
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
          document: () => <Documents {...facts} />,
          labelsAndHistory: () => <More {...facts} />,
        }}
      />
    </Page>
  );
}

function Overview(facts: InvoiceFacts) {
  const { invoice, payments, methods, account } = facts;
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
      <CreditNotes invoiceId={invoice.id} />
    </>
  );
}

/** Why an invoice is not paid, and what happens next, in sentences. */
function Unpaid(facts: InvoiceFacts) {
  const { invoice, account } = facts;
  const { status, isWrittenOff, parentInvoiceId } = invoice;
  if (isOwed(invoice))
    return (
      <Section name="whyUnpaid" title={texts.unpaid.title}>
        <Sentences of={paymentReasons(facts)} />
        <Outlook accountId={account.id} parentInvoiceId={parentInvoiceId} />
      </Section>
    );
  const reason = status === 'COMMITTED' ? isWrittenOff && texts.unpaid.writtenOff : texts.unpaid[status];
  return (
    reason && (
      <Section name="whatHappensNext" title={texts.unpaid.state}>
        <p>{reason}</p>
      </Section>
    )
  );
}

/** What happened to the latest payment, and when the next attempt is made. */
function paymentReasons({ payments, account, methods, invoice }: InvoiceFacts): readonly string[] {
  const method = methods.find(({ id }) => id === account.paymentMethodId);
  const noMethod = method === undefined ? [texts.unpaid.noMethod] : [];
  const last = payments.at(-1);
  if (last === undefined)
    return method === undefined ? noMethod : [texts.unpaid.notTried(methodName(method))];
  const failures = last.transactions.filter(({ status }) => status === 'PAYMENT_FAILURE').length;
  const tries = failures > 1 ? [texts.unpaid.tries(failures, day(invoice.invoiceDate))] : [];
  const [outcome = '', ...ahead] = outcomeSentences(last, account.timeZone);
  return [...noMethod, outcome, ...tries, ...ahead];
}

function CreditNotes({ invoiceId }: { readonly invoiceId: string }) {
  return (
    <ListSection
      name="creditNotes"
      load={async () =>
        (await api().creditNotes.ofInvoice(invoiceId)).map((note) => ({
          ...note,
          number: note.formattedNumber ?? String(note.creditNoteNumber),
        }))
      }
      columns={[
        'number',
        ['date', 'creditNoteDate'],
        ['reason', ({ reason }) => t.creditReasons[reason]],
        'amount',
        [
          '',
          ({ id, number }) => (
            <Download
              name="pdf"
              file={`credit-note-${number}.pdf`}
              type="application/pdf"
              load={() => api().creditNotes.pdf(id)}
            />
          ),
        ],
      ]}
    />
  );
}

/** Facts, tags, custom fields and history. */
function More({ invoice, account }: InvoiceFacts) {
  const { id, targetDate, issuedDate, note, groupId, trackingIds } = invoice;
  return (
    <>
      <Section name="facts">
        <Facts
          of={{
            id: <Copyable text={id} />,
            billedThrough: targetDate,
            issued: instant(issuedDate, account.timeZone),
            note,
            groupOfInvoices: groupId === id ? null : <Copyable text={groupId} />,
            usageRecords: trackingIds.length === 0 ? null : trackingIds,
          }}
        />
      </Section>
      <LabelsAndHistory accountId={account.id} of={{ type: 'INVOICE', id }} />
    </>
  );
}
