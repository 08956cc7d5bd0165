import type { JSX } from 'preact';
import { api, may, money } from '../../core/index.ts';
import { Action, type Field, textOf, type Values } from '../../parts/index.ts';
import { texts } from '../../texts.ts';
import { GiveBack } from '../payments/give-back.tsx';
import { amountIn, checkOutcome } from '../payments/outcome.ts';
import { type InvoiceFacts, isOwed, methodName, paymentsOf } from './data.ts';

const t = texts.invoiceActions;
const WRITTEN_OFF = '00000000-0000-0000-0000-000000000004';

interface Props {
  readonly facts: InvoiceFacts;
}

/** What the user may do with an invoice in its state. */
export function InvoiceActions({ facts }: Props) {
  const { invoice } = facts;
  const isDraft = invoice.status === 'DRAFT';
  const isVoid = invoice.status === 'VOID';
  // The API does not void invoices with payments. They are refunded first.
  const isPaid = !paymentsOf(invoice).isZero();
  const mayPay = isOwed(invoice) && may('payment:trigger');
  return (
    <>
      {!isDraft && !isVoid && <GiveBack facts={{ ...facts, invoices: [invoice] }} isPrimary />}
      {mayPay && chargeableMethods(facts).length > 0 && <Pay facts={facts} isExternal={false} />}
      {mayPay && <Pay facts={facts} isExternal />}
      {isDraft && may('invoice:commit') && <DraftActions facts={facts} />}
      {!isDraft && !isVoid && <WriteOff facts={facts} />}
      {!isVoid && !isPaid && may('invoice:void') && <Void facts={facts} />}
    </>
  );
}

/** Charges a payment method, or records money that arrived otherwise. */
function Pay({ facts, isExternal }: Props & { readonly isExternal: boolean }) {
  const { invoice, account } = facts;
  const methods = chargeableMethods(facts).map((method) => [method.id, methodName(method)] as const);
  const label = (values: Values) => methods.find(([id]) => id === values.method)?.[1] ?? '';
  const amount: Field = {
    name: 'amount',
    label: t.amount(invoice.currency),
    kind: 'amount',
    isRequired: true,
  };
  const method: Field = { name: 'method', label: t.method, kind: 'select', options: methods };
  return (
    <Action
      label={isExternal ? t.record : t.payNow}
      explanation={isExternal ? t.recordExplanation : t.payNowExplanation}
      initial={{
        amount: invoice.balance.toFixed(),
        method: account.paymentMethodId ?? methods[0]?.[0] ?? '',
      }}
      fields={isExternal ? [amount] : [method, amount]}
      preview={(values) =>
        afterPayment(facts, values, (paid) => (isExternal ? t.records(paid) : t.charges(paid, label(values))))
      }
      run={async (values) =>
        checkOutcome(
          await api().invoicePayments.pay({
            invoiceId: invoice.id,
            amount: textOf(values, 'amount') ?? null,
            ...(isExternal ? { isExternal } : { paymentMethodId: textOf(values, 'method') ?? null }),
          }),
        )
      }
      done={isExternal ? t.recorded : t.paid}
    />
  );
}

function chargeableMethods({ methods }: InvoiceFacts) {
  return methods.filter(({ pluginName }) => pluginName !== '__EXTERNAL_PAYMENT__');
}

/** Returns the effect of a payment in sentences; null for an invalid amount. */
function afterPayment(
  { invoice }: InvoiceFacts,
  values: Values,
  effect: (amount: string) => string,
): Promise<JSX.Element> | null {
  const amount = amountIn(values);
  if (amount === null) return null;
  const { balance, currency } = invoice;
  const after = balance.minus(amount);
  const rest = after.isNegative() ? t.tooMuch(money(balance, currency)) : t.rest(money(after, currency));
  return Promise.resolve(
    <p>
      {effect(money(amount, currency))} {rest}
    </p>,
  );
}

function DraftActions({ facts }: Props) {
  const { invoice } = facts;
  return (
    <>
      <Action
        label={t.commit}
        explanation={t.commitExplanation(money(invoice.amount, invoice.currency))}
        run={() => api().invoices.commit(invoice.id)}
        done={t.committed}
        isPrimary
      />
      <Action
        label={t.note}
        explanation={t.noteExplanation}
        initial={{ note: invoice.note ?? '' }}
        fields={[{ name: 'note', label: t.note, kind: 'area' }]}
        run={(values) =>
          api().invoices.setNote({ invoiceId: invoice.id, note: textOf(values, 'note') ?? null })
        }
        done={t.noteSet}
      />
    </>
  );
}

function WriteOff({ facts }: Props) {
  const { invoice } = facts;
  const object = { type: 'INVOICE', id: invoice.id } as const;
  if (invoice.isWrittenOff) {
    return may('tag:delete') ? (
      <Action
        label={t.undoWriteOff}
        explanation={t.undoWriteOffExplanation(money(invoice.rawBalance, invoice.currency))}
        run={() => api().tags.remove(object, [WRITTEN_OFF])}
        done={t.writeOffUndone}
      />
    ) : null;
  }
  if (!isOwed(invoice) || !may('tag:add')) return null;
  return (
    <Action
      label={t.writeOff}
      explanation={t.writeOffExplanation(money(invoice.balance, invoice.currency))}
      run={() => api().tags.add(object, [WRITTEN_OFF])}
      done={t.writtenOff}
      isDangerous
    />
  );
}

function Void({ facts }: Props) {
  const { invoice } = facts;
  return (
    <Action
      label={t.void}
      explanation={invoice.status === 'DRAFT' ? t.voidDraftExplanation : t.voidExplanation}
      run={() => api().invoices.void(invoice.id)}
      done={t.voided}
      isDangerous
    />
  );
}
