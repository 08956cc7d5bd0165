import { api } from '../../core/data.ts';
import { day, label, money } from '../../core/format.ts';
import { Action } from '../../parts/action.tsx';
import { amountField } from '../../parts/form.tsx';
import { History } from '../../parts/history.tsx';
import { Download, Load, Page, pageOf, Section, saveFile, Tabs } from '../../parts/layout.tsx';
import { Outlook } from '../../parts/outlook.tsx';
import { Paper } from '../../parts/paper.tsx';
import { ListSection } from '../../parts/table.tsx';
import { AccountLink, Copyable, Figures, Sentences } from '../../parts/values.tsx';
import { texts } from '../../texts.ts';
import { checkOutcome, methodName, outcomeSentences, paymentColumns } from '../payments/data.tsx';
import { GiveBack } from '../payments/give-back.tsx';
import { type InvoiceFacts, InvoiceState, isOwed, loadInvoice, numberOf, paymentsOf } from './data.tsx';
import { Lines } from './lines.tsx';

const t = texts.unpaid;

/** One invoice: why it has its amount, why it is unpaid, and what can be done. */
export const InvoicePage = pageOf(loadInvoice, (facts) => {
  const { invoice, account } = facts;
  const { amount, balance, currency, invoiceDate } = invoice;
  return (
    <Page
      title={texts.invoices.one(numberOf(invoice))}
      subtitle={
        <>
          <InvoiceState {...invoice} /> <AccountLink {...account} /> <Copyable text={invoice.id} />
        </>
      }
      actions={<InvoiceActions {...facts} />}
    >
      <Figures
        of={[
          [label('amount'), money(amount, currency)],
          [label('balance'), money(balance, currency), isOwed(invoice) ? 'bad' : 'quiet'],
          [label('date'), day(invoiceDate)],
        ]}
      />
      <Tabs
        of={{
          overview: () => <Overview {...facts} />,
          document: () => <Document {...facts} />,
          history: () => <History accountId={account.id} of={{ type: 'INVOICE', id: invoice.id }} />,
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
  const { status, isWrittenOff } = invoice;
  if (isOwed(invoice))
    return (
      <Section name="whyUnpaid" title={t.title}>
        <Sentences of={paymentReasons(facts)} />
        <Outlook accountId={account.id} />
      </Section>
    );
  const reason = status === 'COMMITTED' ? isWrittenOff && t.writtenOff : t[status];
  return reason && <p class="banner">{reason}</p>;
}

/** The outcome of the latest payment, and the time of the next attempt. */
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

/** The tag of an invoice that is written off. */
const WRITTEN_OFF = '00000000-0000-0000-0000-000000000004';

/** The actions that the user may perform on an invoice in its current state. */
function InvoiceActions(facts: InvoiceFacts) {
  const { invoice, methods } = facts;
  const { id, status, currency } = invoice;
  const { invoices, tags } = api();
  const object = { type: 'INVOICE', id } as const;
  const isDraft = status === 'DRAFT';
  const isVoid = status === 'VOID';
  // The API does not void invoices with payments. They are refunded first.
  const isPaid = !paymentsOf(invoice).isZero();
  return (
    <>
      {!isDraft && !isVoid && <GiveBack facts={{ ...facts, invoices: [invoice] }} />}
      {isOwed(invoice) && methods.some(isChargeable) && <Pay {...facts} isExternal={false} />}
      {isOwed(invoice) && <Pay {...facts} isExternal />}
      <Action
        name="commit"
        needs="invoice:commit"
        isHidden={!isDraft}
        explanation={texts.invoiceActions.commit(money(invoice.amount, currency))}
        run={() => invoices.commit(id)}
        isPrimary
      />
      <Action
        name="writeOff"
        needs="tag:add"
        isHidden={!isOwed(invoice)}
        explanation={texts.invoiceActions.writeOff(money(invoice.balance, currency))}
        run={() => tags.add(object, [WRITTEN_OFF])}
        isDangerous
      />
      <Action
        name="undoWriteOff"
        needs="tag:delete"
        isHidden={!invoice.isWrittenOff}
        explanation={texts.invoiceActions.undoWriteOff(money(invoice.rawBalance, currency))}
        run={() => tags.remove(object, [WRITTEN_OFF])}
      />
      <Action
        name="void"
        needs="invoice:void"
        isHidden={isVoid || isPaid}
        explanation={isDraft ? texts.invoiceActions.voidDraft : texts.invoiceActions.void}
        run={() => invoices.void(id)}
        isDangerous
      />
    </>
  );
}

/** Charges a payment method, or records money that arrived otherwise. */
function Pay({ invoice, account, methods, isExternal }: InvoiceFacts & { readonly isExternal: boolean }) {
  const { id: invoiceId, balance, currency } = invoice;
  const options = methods.filter(isChargeable).map((method) => [method.id, methodName(method)] as const);
  const nameOf = (methodId: string | undefined) => options.find(([id]) => id === methodId)?.[1] ?? '';
  return (
    <Action
      name={isExternal ? 'recordPayment' : 'payNow'}
      needs="payment:trigger"
      initial={{ amount: balance.toFixed(), paymentMethodId: account.paymentMethodId }}
      fields={{
        paymentMethodId: !isExternal && { kind: 'select', options },
        amount: amountField(currency),
      }}
      preview={({ amount, paymentMethodId }) => {
        const paid = money(amount, currency);
        const after = balance.minus(amount);
        return [
          isExternal
            ? texts.invoiceActions.records(paid)
            : texts.invoiceActions.charges(paid, nameOf(paymentMethodId)),
          after.isNegative()
            ? texts.invoiceActions.tooMuch(money(balance, currency))
            : texts.invoiceActions.rest(money(after, currency)),
        ].join(' ');
      }}
      run={async ({ amount, paymentMethodId }) => {
        const by = paymentMethodId === undefined ? { isExternal } : { paymentMethodId };
        checkOutcome(await api().invoicePayments.pay({ invoiceId, amount, ...by }));
      }}
    />
  );
}

function isChargeable({ pluginName }: InvoiceFacts['methods'][number]): boolean {
  return pluginName !== '__EXTERNAL_PAYMENT__';
}
