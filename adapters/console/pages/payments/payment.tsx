import { api, type Transaction } from '../../core/data.ts';
import { instant, label, money, words } from '../../core/format.ts';
import { href } from '../../core/location.ts';
import { Action } from '../../parts/action.tsx';
import { amountField } from '../../parts/form.tsx';
import { History } from '../../parts/history.tsx';
import { Page, pageOf, Section, Tabs } from '../../parts/layout.tsx';
import { ListSection } from '../../parts/table.tsx';
import { AccountLink, Badge, Facts, Figures, Sentences } from '../../parts/values.tsx';
import { texts } from '../../texts.ts';
import { numberOf } from '../invoices/data.tsx';
import {
  amountOf,
  checkOutcome,
  methodName,
  outcomeSentences,
  PaymentState,
  refundable,
  statusTone,
} from './data.tsx';
import { GiveBack } from './give-back.tsx';

const t = texts.payments;

/** A payment with what its page and its actions need. */
type PaymentFacts = Awaited<ReturnType<typeof loadPayment>>;

async function loadPayment(id: string) {
  const { payments, accounts, paymentMethods, invoices } = api();
  const payment = await payments.invoicePayment(id, { withAttempts: true, withPluginInfo: true });
  const { accountId, paymentMethodId, targetInvoiceId } = payment;
  const [account, method, invoice] = await Promise.all([
    accounts.get(accountId),
    paymentMethods.get(paymentMethodId, { includeDeleted: true }),
    targetInvoiceId === null ? null : invoices.get(targetInvoiceId),
  ]);
  return { payment, account, method, invoice };
}

/** One payment: what happened, its transactions and attempts, and what can be done. */
export const PaymentPage = pageOf(loadPayment, (facts) => {
  const { payment, account, invoice, method } = facts;
  const { totals } = payment;
  return (
    <Page
      title={t.one(payment.paymentNumber)}
      subtitle={
        <>
          <PaymentState {...payment} /> <AccountLink {...account} /> {methodName(method)}{' '}
          {invoice !== null && (
            <a href={href('/invoices', invoice.id)}>{texts.invoices.one(numberOf(invoice))}</a>
          )}
        </>
      }
      actions={<PaymentActions {...facts} />}
    >
      <Figures
        of={[
          [label('amount'), amountOf(payment)],
          [label('refunded'), money(totals.refundedAmount, totals.currency)],
          [label('canBeRefunded'), money(refundable(payment), totals.currency)],
        ]}
      />
      <Tabs
        of={{
          overview: () => <Overview {...facts} />,
          history: () => <History accountId={account.id} of={{ type: 'PAYMENT', id: payment.id }} />,
        }}
      />
    </Page>
  );
});

function Overview({ payment, account: { timeZone } }: PaymentFacts) {
  const dateOf = ({ effectiveDate }: { readonly effectiveDate: Date }) => instant(effectiveDate, timeZone);
  return (
    <>
      <Section name="whatHappened" title={t.whatHappened}>
        <Sentences of={outcomeSentences(payment, timeZone)} />
      </Section>
      <ListSection
        name="transactions"
        rows={payment.transactions.toReversed()}
        columns={[
          ['date', dateOf],
          ['kind', ({ transactionType }) => label(transactionType)],
          ['state', ({ status }) => <Badge tone={statusTone(status)}>{label(status)}</Badge>],
          'amount',
          ['whatTheGatewayReported', GatewayFacts],
        ]}
      />
      <ListSection
        name="attempts"
        rows={(payment.attempts ?? []).toReversed()}
        columns={[['date', dateOf], ['state', ({ stateName }) => words(stateName)], 'amount', 'isApiPayment']}
      />
    </>
  );
}

/** The gateway's report on a transaction. */
function GatewayFacts({ id, externalKey, pluginInfo, ...transaction }: Transaction) {
  const given = {
    code: transaction.gatewayErrorCode,
    processed: money(transaction.processedAmount, transaction.processedCurrency),
    reference: pluginInfo?.firstPaymentReferenceId,
    secondReference: pluginInfo?.secondPaymentReferenceId,
    externalKey: externalKey === id ? null : externalKey,
    ...Object.fromEntries((pluginInfo?.properties ?? []).map(({ key, value }) => [key, value])),
  };
  return (
    <>
      {transaction.gatewayErrorMsg}
      <details>
        <summary>{label('details')}</summary>
        <Facts of={given} />
      </details>
    </>
  );
}

/** The actions that the user may perform on a payment in its current state. */
function PaymentActions(facts: PaymentFacts) {
  const { payment, account, invoice, method } = facts;
  const { id: paymentId, totals } = payment;
  const invoices = invoice === null ? [] : [invoice];
  const ofInvoice = invoice === null ? api().payments : api().invoicePayments;
  return (
    <>
      <GiveBack facts={{ account, invoices, payments: [payment], methods: [method] }} />
      <Action
        name="recordChargeback"
        needs="payment:chargeback"
        isHidden={!refundable(payment).greaterThan(0)}
        initial={{ amount: refundable(payment).toFixed() }}
        fields={{ amount: amountField(totals.currency) }}
        preview={({ amount }) => {
          if (invoice === null) return null;
          const { balance, currency } = invoice;
          return texts.giveBack.owesAgain(money(balance, currency), money(balance.plus(amount), currency));
        }}
        run={async ({ amount }) => checkOutcome(await ofInvoice.chargeback({ paymentId, amount }))}
        isDangerous
      />
      <FixState {...facts} />
    </>
  );
}

const FIXED_STATUSES = ['SUCCESS', 'PAYMENT_FAILURE', 'PLUGIN_FAILURE', 'PENDING', 'UNKNOWN'] as const;

/** The correction of a wrong state, for operators who have checked the gateway. */
function FixState({ payment: { id: paymentId, transactions }, account: { timeZone } }: PaymentFacts) {
  const nameOf = ({ transactionType, effectiveDate, status }: Transaction) =>
    `${label(transactionType)}, ${instant(effectiveDate, timeZone)}: ${label(status)}`;
  const options = transactions.toReversed().map((each) => [each.id, nameOf(each)] as const);
  return (
    <Action
      name="fixTheState"
      needs="admin:update"
      isHidden={transactions.length === 0}
      fields={{
        transactionId: { kind: 'select', label: label('transaction'), options },
        status: { kind: 'select', label: texts.payments.newStatus, options: FIXED_STATUSES },
      }}
      run={(values) => api().payments.fixTransaction({ paymentId, ...values })}
      isDangerous
    />
  );
}
