import type { ComponentChildren } from 'preact';
import { href, instant, known, money, type PathValues, useLoad, words } from '../../core/index.ts';
import { History } from '../../parts/history.tsx';
import { Badge, Copyable, Facts, Figure, ListSection, Page, Section, Show, Tabs } from '../../parts/index.ts';
import { CustomFields, Tags } from '../../parts/labels.tsx';
import { texts } from '../../texts.ts';
import {
  loadPayment,
  methodName,
  numberOf,
  type PaymentFacts,
  paymentState,
  refundable,
  type Transaction,
  transactionTone,
} from '../invoices/data.ts';
import { outcomeSentences } from './outcome.ts';
import { PaymentActions } from './payment-actions.tsx';
import { amountOf } from './payment-table.tsx';

const t = texts.payments;

/** One payment: what happened, its transactions and attempts, and what can be done. */
export function PaymentPage({ path }: { readonly path: PathValues }) {
  const id = path.id ?? '';
  const loaded = useLoad(() => loadPayment(id), [id]);
  return <Show of={loaded}>{(facts) => <Content facts={facts} />}</Show>;
}

function Content({ facts }: { readonly facts: PaymentFacts }) {
  const { payment, account, invoice } = facts;
  const { totals } = payment;
  const [state, tone] = paymentState(payment);
  return (
    <Page
      title={t.one(payment.paymentNumber)}
      above={[[t.title, href('/payments')]]}
      subtitle={
        <>
          <Badge tone={tone}>{state}</Badge>{' '}
          <a href={href('/accounts', account.id)}>{account.name ?? account.externalKey}</a>
          {invoice !== null && (
            <>
              {' · '}
              <a href={href('/invoices', invoice.id)}>{texts.invoices.one(numberOf(invoice))}</a>
            </>
          )}
        </>
      }
      actions={<PaymentActions facts={facts} />}
    >
      <div class="figures">
        <Figure name={t.amount} value={amountOf(payment)} />
        <Figure name={t.refundedAmount} value={money(totals.refundedAmount, totals.currency)} />
        <Figure name={t.stillRefundable} value={money(refundable(payment), totals.currency)} />
      </div>
      <Tabs
        tabs={[
          { name: 'overview', title: texts.invoices.overview, content: () => <Overview facts={facts} /> },
          { name: 'more', title: texts.invoices.more, content: () => <More facts={facts} /> },
        ]}
      />
    </Page>
  );
}

function Overview({ facts }: { readonly facts: PaymentFacts }) {
  return (
    <>
      <Section title={t.whatHappened}>
        <ul class="reasons">
          {outcomeSentences(facts.payment, facts.account.timeZone).map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      </Section>
      <Transactions facts={facts} />
      <Attempts facts={facts} />
    </>
  );
}

function Transactions({ facts }: { readonly facts: PaymentFacts }) {
  const { payment, account } = facts;
  return (
    <ListSection
      of={known(payment.transactions.toReversed())}
      pageParameter="transaction"
      caption={t.transactions}
      keyOf={({ id }) => id}
      columns={[
        { title: t.date, cell: ({ effectiveDate }) => instant(effectiveDate, account.timeZone) },
        { title: t.type, cell: ({ transactionType }) => t.types[transactionType] },
        {
          title: t.state,
          cell: (row) => <Badge tone={transactionTone(row)}>{words(t.statuses[row.status])}</Badge>,
        },
        { title: t.amount, isNumber: true, cell: ({ amount, currency }) => money(amount, currency) },
        { title: t.gatewayFacts, isText: true, cell: (row) => <GatewayFacts of={row} /> },
      ]}
    />
  );
}

/** What the gateway reported about a transaction. */
function GatewayFacts({ of: row }: { readonly of: Transaction }) {
  const { gatewayErrorMsg, gatewayErrorCode, processedAmount, processedCurrency, pluginInfo } = row;
  const isOther = processedAmount !== null && row.amount !== null && !processedAmount.equals(row.amount);
  const properties = (pluginInfo?.properties ?? []).map(({ key, value }) => [key, value ?? ''] as const);
  const given: (readonly [string, ComponentChildren])[] = [
    [t.code, gatewayErrorCode ?? undefined],
    [
      t.processed,
      isOther && row.status === 'SUCCESS' ? money(processedAmount, processedCurrency) : undefined,
    ],
    [t.reference, pluginInfo?.firstPaymentReferenceId ?? undefined],
    [t.secondReference, pluginInfo?.secondPaymentReferenceId ?? undefined],
    [t.key, row.externalKey === row.id ? undefined : row.externalKey],
    ...properties,
  ];
  return (
    <>
      {gatewayErrorMsg}
      {given.some(([, value]) => value !== undefined) && (
        <details>
          <summary>{t.details}</summary>
          <Facts of={given} />
        </details>
      )}
    </>
  );
}

function Attempts({ facts }: { readonly facts: PaymentFacts }) {
  const { payment, account } = facts;
  const attempts = (payment.attempts ?? []).toReversed();
  if (attempts.length === 0) return null;
  return (
    <ListSection
      of={known(attempts)}
      pageParameter="attempt"
      caption={t.attempts}
      keyOf={({ id, stateName }) => `${id} ${stateName}`}
      columns={[
        { title: t.date, cell: ({ effectiveDate }) => instant(effectiveDate, account.timeZone) },
        { title: t.state, cell: ({ stateName }) => t.attemptStates[stateName] },
        { title: t.amount, isNumber: true, cell: ({ amount, currency }) => money(amount, currency) },
        { title: t.startedBy, cell: ({ isApiPayment }) => (isApiPayment ? t.byPerson : t.bySystem) },
      ]}
    />
  );
}

/** Facts, tags, custom fields and history. */
function More({ facts }: { readonly facts: PaymentFacts }) {
  const { payment, account, method } = facts;
  const object = { type: 'PAYMENT', id: payment.id } as const;
  return (
    <>
      <Section title={texts.invoices.facts}>
        <Facts
          of={[
            [texts.invoices.id, <Copyable text={payment.id} />],
            [t.key, payment.externalKey === payment.id ? undefined : <Copyable text={payment.externalKey} />],
            [t.method, `${methodName(method)}${method.isActive ? '' : ` (${t.deletedMethod})`}`],
            [t.state, words(payment.stateName)],
            [t.lastSuccess, words(payment.lastSuccessStateName)],
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
