import { api } from '../../core/data.ts';
import { day, instant, label, money } from '../../core/format.ts';
import { href } from '../../core/location.ts';
import { LabelsAndHistory } from '../../parts/history.tsx';
import { Copyable, Facts, Figure, IdLink, Page, pageOf, Section, Tabs } from '../../parts/layout.tsx';
import { amountColumn, KnownList, ListSection } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';
import { methodName, paymentColumns } from '../payments/data.tsx';
import { type InvoiceFacts, InvoiceState, isOwed, loadInvoice, numberOf } from './data.tsx';
import { Documents } from './documents.tsx';
import { InvoiceActions } from './invoice-actions.tsx';
import { Lines } from './lines.tsx';
import { Unpaid } from './unpaid.tsx';

const t = texts.invoices;

/** One invoice: why it has its amount, why it is unpaid, and what can be done. */
export const InvoicePage = pageOf(loadInvoice, Content);

function Content(facts: InvoiceFacts) {
  const { invoice, account } = facts;
  const { amount, balance, currency, invoiceDate } = invoice;
  const subtitle = (
    <>
      <InvoiceState invoice={invoice} />{' '}
      <a href={href('/accounts', account.id)}>{account.name ?? account.externalKey}</a>
    </>
  );
  return (
    <Page
      title={t.one(numberOf(invoice))}
      above={[[label('invoices'), href('/invoices')]]}
      subtitle={subtitle}
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
  const methodOf = (methodId: string) => methods.find(({ id }) => id === methodId);
  return (
    <>
      <Unpaid {...facts} />
      <Lines {...facts} />
      <Section name="payments">
        <KnownList
          name="payments"
          pageParameter="payment"
          rows={payments}
          columns={[
            ...paymentColumns(account.timeZone),
            [
              'paymentMethod',
              ({ paymentMethodId }) => {
                const method = methodOf(paymentMethodId);
                return method === undefined ? texts.payments.deletedMethod : methodName(method);
              },
            ],
          ]}
        />
      </Section>
      <ListSection
        name="creditNotes"
        load={() => api().creditNotes.ofInvoice(invoice.id)}
        columns={[
          [
            'number',
            ({ id, formattedNumber, creditNoteNumber }) => (
              <IdLink page="/credit-notes" id={id} label={formattedNumber ?? String(creditNoteNumber)} />
            ),
          ],
          ['date', ({ creditNoteDate }) => day(creditNoteDate)],
          ['reason', ({ reason }) => texts.creditNotes.reasons[reason]],
          amountColumn,
        ]}
      />
    </>
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
