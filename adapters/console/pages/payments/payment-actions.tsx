import { api, type Transaction } from '../../core/data.ts';
import { instant, label, money } from '../../core/format.ts';
import { Action } from '../../parts/action.tsx';
import { amountField } from '../../parts/form.tsx';
import { texts } from '../../texts.ts';
import { checkOutcome, isAmount, type PaymentFacts, refundable } from './data.tsx';
import { GiveBack } from './give-back.tsx';

/** What the user may do with a payment in its state. */
export function PaymentActions({ payment, account, invoice, method }: PaymentFacts) {
  const { id: paymentId, transactions, totals } = payment;
  const invoices = invoice === null ? [] : [invoice];
  const ofInvoice = invoice === null ? api().payments : api().invoicePayments;
  const open = transactions.find(({ status }) => status === 'PENDING' || status === 'UNKNOWN');
  return (
    <>
      <GiveBack facts={{ account, invoices, payments: [payment], methods: [method] }} isPrimary />
      {open !== undefined && (
        <Action
          name="askTheGatewayAgain"
          needs="payment:trigger"
          run={async () => checkOutcome(await ofInvoice.complete({ paymentId, transactionId: open.id }))}
          isPrimary
        />
      )}
      <Action
        name="recordChargeback"
        needs="payment:chargeback"
        isHidden={!refundable(payment).greaterThan(0)}
        initial={{ amount: refundable(payment).toFixed() }}
        fields={{ amount: amountField(totals.currency) }}
        preview={({ amount }) => {
          if (invoice === null || !isAmount(amount)) return null;
          const { balance, currency } = invoice;
          return texts.giveBack.owesAgain(money(balance, currency), money(balance.plus(amount), currency));
        }}
        run={async ({ amount }) => checkOutcome(await ofInvoice.chargeback({ paymentId, amount }))}
        isDangerous
      />
      {standingChargebacks(transactions).map(({ id, externalKey, amount }) => (
        <Action
          key={id}
          name="reverseChargeback"
          label={texts.payments.reverse(money(amount, totals.currency))}
          needs="payment:chargeback"
          run={() => ofInvoice.reverseChargeback({ paymentId, transactionExternalKey: externalKey })}
        />
      ))}
      <FixState paymentId={paymentId} transactions={transactions} timeZone={account.timeZone} />
    </>
  );
}

/** Returns the latest transaction of each chargeback that stands. */
function standingChargebacks(transactions: readonly Transaction[]): readonly Transaction[] {
  const chargebacks = transactions.filter(({ transactionType }) => transactionType === 'CHARGEBACK');
  const latest = new Map(chargebacks.map((transaction) => [transaction.externalKey, transaction]));
  return [...latest.values()].filter(({ status }) => status === 'SUCCESS');
}

const FIXED_STATUSES = ['SUCCESS', 'PAYMENT_FAILURE', 'PLUGIN_FAILURE', 'PENDING', 'UNKNOWN'] as const;

interface FixStateProps {
  readonly paymentId: string;
  readonly transactions: readonly Transaction[];
  readonly timeZone: string;
}

/** The correction of a wrong state, for operators who have checked the gateway. */
function FixState({ paymentId, transactions, timeZone }: FixStateProps) {
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
