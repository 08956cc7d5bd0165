import type { Transaction } from '../../core/data.ts';
import { instant, label, money, words } from '../../core/format.ts';
import { href } from '../../core/location.ts';
import { LabelsAndHistory } from '../../parts/history.tsx';
import {
  AccountLink,
  Badge,
  Copyable,
  Facts,
  Figure,
  Page,
  pageOf,
  Section,
  Sentences,
  Tabs,
} from '../../parts/layout.tsx';
import { ListSection } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';
import { numberOf } from '../invoices/data.tsx';
import {
  amountOf,
  loadPayment,
  methodName,
  outcomeSentences,
  type PaymentFacts,
  PaymentState,
  refundable,
  statusTone,
} from './data.tsx';
import { PaymentActions } from './payment-actions.tsx';

const t = texts.payments;

/** One payment: what happened, its transactions and attempts, and what can be done. */
export const PaymentPage = pageOf(loadPayment, (facts) => {
  const { payment, account, invoice } = facts;
  const { totals } = payment;
  return (
    <Page
      title={t.one(payment.paymentNumber)}
      above={['payments']}
      subtitle={
        <>
          <PaymentState {...payment} /> <AccountLink {...account} />{' '}
          {invoice !== null && (
            <a href={href('/invoices', invoice.id)}>{texts.invoices.one(numberOf(invoice))}</a>
          )}
        </>
      }
      actions={<PaymentActions {...facts} />}
    >
      <div class="figures">
        <Figure name="amount" value={amountOf(payment)} />
        <Figure name="refunded" value={money(totals.refundedAmount, totals.currency)} />
        <Figure name="canBeRefunded" value={money(refundable(payment), totals.currency)} />
      </div>
      <Tabs of={{ overview: () => <Overview {...facts} />, labelsAndHistory: () => <More {...facts} /> }} />
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
          ['whatTheGatewayReported', GatewayFacts, 'text'],
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

/** What the gateway reported about a transaction. */
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

/** Facts, tags, custom fields and history. */
function More({ payment, account, method }: PaymentFacts) {
  const { id, externalKey, stateName, lastSuccessStateName } = payment;
  return (
    <>
      <Section name="facts">
        <Facts
          of={{
            id: <Copyable text={id} />,
            externalKey: externalKey === id ? null : <Copyable text={externalKey} />,
            paymentMethod: `${methodName(method)}${method.isActive ? '' : ` (${t.deletedMethod})`}`,
            state: words(stateName),
            lastSuccess: words(lastSuccessStateName),
          }}
        />
      </Section>
      <LabelsAndHistory accountId={account.id} of={{ type: 'PAYMENT', id }} />
    </>
  );
}
