import { api, type Transaction } from '../../core/data.ts';
import { instant, money } from '../../core/format.ts';
import { Action, amountField, requiredText } from '../../parts/action.tsx';
import { texts } from '../../texts.ts';
import { amountIn, checkOutcome, type PaymentFacts, refundable, scheduledRetries } from './data.tsx';
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
          fields={[amountField(currency)]}
          run={async (values) =>
            checkOutcome(await api().payments.capture({ paymentId, amount: requiredText(values, 'amount') }))
          }
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
  const { chargeback } = invoice === null ? api().payments : api().invoicePayments;
  return (
    <Action
      name="recordChargeback"
      needs="payment:chargeback"
      initial={{ amount: refundable(payment).toFixed() }}
      fields={[amountField(payment.totals.currency)]}
      {...(invoice !== null && {
        preview: async (values) => {
          const balance = invoice.balance.plus(amountIn(values) ?? 0);
          const show = (amount: typeof balance) => money(amount, invoice.currency);
          return texts.giveBack.owesAgain(show(invoice.balance), show(balance));
        },
      })}
      run={async (values) =>
        checkOutcome(await chargeback({ paymentId: payment.id, amount: requiredText(values, 'amount') }))
      }
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
  const transactions = payment.transactions.toReversed();
  const nameOf = ({ transactionType, effectiveDate, status }: Transaction) =>
    `${types[transactionType]}, ${instant(effectiveDate, account.timeZone)}: ${statuses[status]}`;
  return (
    <Action
      name="fixTheState"
      needs="admin:update"
      initial={{ transaction: transactions[0]?.id ?? '', status: FIXED_STATUSES[0] }}
      fields={[
        {
          name: 'transaction',
          kind: 'select',
          options: transactions.map((each) => [each.id, nameOf(each)]),
        },
        {
          name: 'status',
          label: t.newStatus,
          kind: 'select',
          options: FIXED_STATUSES.map((status) => [status, statuses[status]]),
        },
      ]}
      run={(values) =>
        api().payments.fixTransaction({
          paymentId: payment.id,
          transactionId: String(values.transaction),
          status: values.status as (typeof FIXED_STATUSES)[number],
        })
      }
      isDangerous
    />
  );
}
