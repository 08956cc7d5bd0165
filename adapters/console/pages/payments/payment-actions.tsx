import { api, instant, may, money } from '../../core/index.ts';
import { Action, textOf } from '../../parts/index.ts';
import { texts } from '../../texts.ts';
import { type PaymentFacts, refundable, type Transaction } from '../invoices/data.ts';
import { GiveBack } from './give-back.tsx';
import { amountIn, checkOutcome, scheduledRetries } from './outcome.ts';

const t = texts.paymentActions;

interface Props {
  readonly facts: PaymentFacts;
}

/** What the user may do with a payment in its state. */
export function PaymentActions({ facts }: Props) {
  const { payment, account, invoice, method } = facts;
  const isCharged = refundable(payment).greaterThan(0);
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
      {may('payment:trigger') && <OpenActions facts={facts} />}
      {may('payment:trigger') && scheduledRetries(payment).length > 0 && <CancelRetry facts={facts} />}
      {may('payment:chargeback') && isCharged && <Chargeback facts={facts} />}
      {may('payment:chargeback') && <Reversals facts={facts} />}
      {may('admin:update') && payment.transactions.length > 0 && <FixState facts={facts} />}
    </>
  );
}

/** Capture, void and completion of what is not finished. */
function OpenActions({ facts }: Props) {
  const { payment } = facts;
  const paymentId = payment.id;
  const { currency, authAmount, capturedAmount } = payment.totals;
  const rest = authAmount.minus(capturedAmount);
  const open = payment.transactions.find(({ status }) => status === 'PENDING' || status === 'UNKNOWN');
  const isHeld = ['AUTH_SUCCESS', 'CAPTURE_SUCCESS'].includes(payment.lastSuccessStateName ?? '');
  const complete = payment.targetInvoiceId === null ? api().payments : api().invoicePayments;
  return (
    <>
      {isHeld && rest.greaterThan(0) && (
        <Action
          label={t.capture}
          explanation={t.captureExplanation(money(rest, currency))}
          initial={{ amount: rest.toFixed() }}
          fields={[amountField(currency)]}
          run={async (values) =>
            checkOutcome(await api().payments.capture({ paymentId, amount: textOf(values, 'amount') ?? '' }))
          }
          done={t.captured}
          isPrimary
        />
      )}
      {payment.lastSuccessStateName === 'AUTH_SUCCESS' && (
        <Action
          label={t.void}
          explanation={t.voidExplanation}
          run={async () => checkOutcome(await api().payments.void({ paymentId }))}
          done={t.voided}
          isDangerous
        />
      )}
      {open !== undefined && (
        <Action
          label={t.complete}
          explanation={t.completeExplanation}
          run={async () => checkOutcome(await complete.complete({ paymentId, transactionId: open.id }))}
          done={t.completed}
          isPrimary
        />
      )}
    </>
  );
}

function amountField(currency: string | null) {
  return { name: 'amount', label: t.amount(currency ?? ''), kind: 'amount', isRequired: true } as const;
}

function CancelRetry({ facts }: Props) {
  const [retry] = scheduledRetries(facts.payment);
  if (retry === undefined) return null;
  return (
    <Action
      label={t.cancelRetry}
      explanation={t.cancelRetryExplanation(instant(retry.effectiveDate, facts.account.timeZone))}
      run={() =>
        api().payments.cancelScheduledRetry({ transactionExternalKey: retry.transactionExternalKey })
      }
      done={t.retryCancelled}
      isDangerous
    />
  );
}

function Chargeback({ facts }: Props) {
  const { payment, invoice } = facts;
  const rest = refundable(payment);
  const { currency } = payment.totals;
  const chargeback = invoice === null ? api().payments : api().invoicePayments;
  return (
    <Action
      label={t.chargeback}
      explanation={invoice === null ? t.chargebackExplanation : t.invoiceChargebackExplanation}
      initial={{ amount: rest.toFixed() }}
      fields={[amountField(currency)]}
      {...(invoice !== null && {
        preview: async (values) => {
          const balance = invoice.balance.plus(amountIn(values) ?? 0);
          const [before, after] = [invoice.balance, balance].map((each) => money(each, invoice.currency));
          return texts.giveBack.owesAgain(before ?? '', after ?? '');
        },
      })}
      run={async (values) =>
        checkOutcome(
          await chargeback.chargeback({ paymentId: payment.id, amount: textOf(values, 'amount') ?? '' }),
        )
      }
      done={t.chargedBack}
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

function Reversals({ facts }: Props) {
  const { payment, invoice } = facts;
  const reversal = invoice === null ? api().payments : api().invoicePayments;
  return (
    <>
      {standingChargebacks(payment.transactions).map(({ id, externalKey, amount, currency }) => (
        <Action
          key={id}
          label={t.reverse(money(amount, currency))}
          explanation={t.reverseExplanation}
          run={() =>
            reversal.reverseChargeback({ paymentId: payment.id, transactionExternalKey: externalKey })
          }
          done={t.reversed}
        />
      ))}
    </>
  );
}

const FIXED_STATUSES = ['SUCCESS', 'PAYMENT_FAILURE', 'PLUGIN_FAILURE', 'PENDING', 'UNKNOWN'] as const;

/** The correction of a wrong state, for operators who have checked the gateway. */
function FixState({ facts }: Props) {
  const { payment, account } = facts;
  const transactions = payment.transactions.toReversed();
  const nameOf = ({ transactionType, effectiveDate, status }: Transaction) =>
    t.transaction(
      texts.payments.types[transactionType],
      instant(effectiveDate, account.timeZone),
      texts.payments.statuses[status],
    );
  return (
    <Action
      label={t.fix}
      explanation={t.fixExplanation}
      initial={{ transactionId: transactions[0]?.id ?? '', status: FIXED_STATUSES[0] }}
      fields={[
        {
          name: 'transactionId',
          label: t.ofTransaction,
          kind: 'select',
          options: transactions.map((each) => [each.id, nameOf(each)]),
        },
        {
          name: 'status',
          label: t.newStatus,
          kind: 'select',
          options: FIXED_STATUSES.map((status) => [status, texts.payments.statuses[status]]),
        },
      ]}
      run={(values) =>
        api().payments.fixTransaction({
          paymentId: payment.id,
          transactionId: String(values.transactionId),
          status: values.status as (typeof FIXED_STATUSES)[number],
        })
      }
      done={t.fixed}
      isDangerous
    />
  );
}
