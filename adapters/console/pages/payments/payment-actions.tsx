import { api, type Transaction } from '../../core/data.ts';
import { instant, label, money } from '../../core/format.ts';
import { Action } from '../../parts/action.tsx';
import { amountField } from '../../parts/form.tsx';
import { texts } from '../../texts.ts';
import { checkOutcome, isAmount, type PaymentFacts, refundable, scheduledRetries } from './data.tsx';
import { GiveBack } from './give-back.tsx';

const t = texts.paymentActions;

/** What the user may do with a payment in its state. */
export function PaymentActions(facts: PaymentFacts) {
  const { payment, account, invoice, method } = facts;
  const { id: paymentId, transactions, totals, lastSuccessStateName } = payment;
  const { currency } = totals;
  const ofInvoice = invoice === null ? api().payments : api().invoicePayments;
  const isCharged = refundable(payment).greaterThan(0);
  const uncaptured = totals.authAmount.minus(totals.capturedAmount);
  const isHeld = ['AUTH_SUCCESS', 'CAPTURE_SUCCESS'].includes(lastSuccessStateName ?? '');
  const open = transactions.find(({ status }) => status === 'PENDING' || status === 'UNKNOWN');
  const [retry] = scheduledRetries(payment);
  return (
    <>
      <GiveBack
        facts={{
          account,
          invoices: invoice === null ? [] : [invoice],
          payments: [payment],
          methods: [method],
        }}
        isPrimary={isCharged}
      />
      {isHeld && uncaptured.greaterThan(0) && (
        <Action
          name="capture"
          needs="payment:trigger"
          explanation={t.capture(money(uncaptured, currency))}
          initial={{ amount: uncaptured.toFixed() }}
          fields={{ amount: amountField(currency) }}
          run={async ({ amount }) => checkOutcome(await api().payments.capture({ paymentId, amount }))}
          isPrimary
        />
      )}
      {lastSuccessStateName === 'AUTH_SUCCESS' && (
        <Action
          name="release"
          needs="payment:trigger"
          run={async () => checkOutcome(await api().payments.void({ paymentId }))}
          isDangerous
        />
      )}
      {open !== undefined && (
        <Action
          name="askTheGatewayAgain"
          needs="payment:trigger"
          run={async () => checkOutcome(await ofInvoice.complete({ paymentId, transactionId: open.id }))}
          isPrimary
        />
      )}
      {retry !== undefined && (
        <Action
          name="cancelTheNextAttempt"
          needs="payment:trigger"
          explanation={t.cancelRetry(instant(retry.effectiveDate, account.timeZone))}
          run={() =>
            api().payments.cancelScheduledRetry({ transactionExternalKey: retry.transactionExternalKey })
          }
          isDangerous
        />
      )}
      {isCharged && <Chargeback {...facts} />}
      {standingChargebacks(transactions).map(({ id, externalKey, amount }) => (
        <Action
          key={id}
          name="reverseChargeback"
          label={t.reverse(money(amount, currency))}
          needs="payment:chargeback"
          run={() => ofInvoice.reverseChargeback({ paymentId, transactionExternalKey: externalKey })}
        />
      ))}
      {transactions.length > 0 && <FixState {...facts} />}
    </>
  );
}

function Chargeback({ payment, invoice }: PaymentFacts) {
  const { id: paymentId, totals } = payment;
  const { chargeback } = invoice === null ? api().payments : api().invoicePayments;
  return (
    <Action
      name="recordChargeback"
      needs="payment:chargeback"
      initial={{ amount: refundable(payment).toFixed() }}
      fields={{ amount: amountField(totals.currency) }}
      preview={({ amount }) => {
        if (invoice === null || !isAmount(amount)) return null;
        const { balance, currency } = invoice;
        return texts.giveBack.owesAgain(money(balance, currency), money(balance.plus(amount), currency));
      }}
      run={async ({ amount }) => checkOutcome(await chargeback({ paymentId, amount }))}
      isDangerous
    />
  );
}

/** Returns the latest transaction of each chargeback that stands. */
function standingChargebacks(transactions: readonly Transaction[]): readonly Transaction[] {
  const latest = new Map(
    transactions
      .filter(({ transactionType }) => transactionType === 'CHARGEBACK')
      .map((transaction) => [transaction.externalKey, transaction]),
  );
  return [...latest.values()].filter(({ status }) => status === 'SUCCESS');
}

const FIXED_STATUSES = ['SUCCESS', 'PAYMENT_FAILURE', 'PLUGIN_FAILURE', 'PENDING', 'UNKNOWN'] as const;

/** The correction of a wrong state, for operators who have checked the gateway. */
function FixState({ payment, account }: PaymentFacts) {
  const { types, statuses } = texts.payments;
  const nameOf = ({ transactionType, effectiveDate, status }: Transaction) =>
    `${types[transactionType]}, ${instant(effectiveDate, account.timeZone)}: ${statuses[status]}`;
  const transactions = payment.transactions.toReversed();
  return (
    <Action
      name="fixTheState"
      needs="admin:update"
      fields={{
        transactionId: {
          kind: 'select',
          label: label('transaction'),
          options: transactions.map((each) => [each.id, nameOf(each)] as const),
        },
        status: {
          kind: 'select',
          label: t.newStatus,
          options: FIXED_STATUSES.map((status) => [status, statuses[status]] as const),
        },
      }}
      run={(values) => api().payments.fixTransaction({ paymentId: payment.id, ...values })}
      isDangerous
    />
  );
}
