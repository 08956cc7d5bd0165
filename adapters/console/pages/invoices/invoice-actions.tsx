import { api } from '../../core/data.ts';
import { money } from '../../core/format.ts';
import { Action } from '../../parts/action.tsx';
import { amountField } from '../../parts/form.tsx';
import { texts } from '../../texts.ts';
import { checkOutcome, isAmount, methodName } from '../payments/data.tsx';
import { GiveBack } from '../payments/give-back.tsx';
import { type InvoiceFacts, isOwed, paymentsOf } from './data.tsx';

const t = texts.invoiceActions;
const WRITTEN_OFF = '00000000-0000-0000-0000-000000000004';

/** What the user may do with an invoice in its state. */
export function InvoiceActions(facts: InvoiceFacts) {
  const { invoice, methods } = facts;
  const { id, status, currency } = invoice;
  const object = { type: 'INVOICE', id } as const;
  const isDraft = status === 'DRAFT';
  const isVoid = status === 'VOID';
  // The API does not void invoices with payments. They are refunded first.
  const isPaid = !paymentsOf(invoice).isZero();
  return (
    <>
      {!isDraft && !isVoid && <GiveBack facts={{ ...facts, invoices: [invoice] }} isPrimary />}
      {isOwed(invoice) && methods.some(isChargeable) && <Pay {...facts} isExternal={false} />}
      {isOwed(invoice) && <Pay {...facts} isExternal />}
      {isDraft && (
        <>
          <Action
            name="commit"
            needs="invoice:commit"
            explanation={t.commit(money(invoice.amount, currency))}
            run={() => api().invoices.commit(id)}
            isPrimary
          />
          <Action
            name="note"
            needs="invoice:commit"
            initial={{ note: invoice.note }}
            fields={{ note: 'area' }}
            run={({ note }) => api().invoices.setNote({ invoiceId: id, note })}
          />
        </>
      )}
      {isOwed(invoice) && (
        <Action
          name="writeOff"
          needs="tag:add"
          explanation={t.writeOff(money(invoice.balance, currency))}
          run={() => api().tags.add(object, [WRITTEN_OFF])}
          isDangerous
        />
      )}
      {invoice.isWrittenOff && (
        <Action
          name="undoWriteOff"
          needs="tag:delete"
          explanation={t.undoWriteOff(money(invoice.rawBalance, currency))}
          run={() => api().tags.remove(object, [WRITTEN_OFF])}
        />
      )}
      {!isVoid && !isPaid && (
        <Action
          name="void"
          needs="invoice:void"
          explanation={isDraft ? t.voidDraft : t.void}
          run={() => api().invoices.void(id)}
          isDangerous
        />
      )}
    </>
  );
}

/** Charges a payment method, or records money that arrived otherwise. */
function Pay(props: InvoiceFacts & { readonly isExternal: boolean }) {
  const { invoice, account, methods, isExternal } = props;
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
        if (!isAmount(amount)) return null;
        const paid = money(amount, currency);
        const after = balance.minus(amount);
        return [
          isExternal ? t.records(paid) : t.charges(paid, nameOf(paymentMethodId)),
          after.isNegative() ? t.tooMuch(money(balance, currency)) : t.rest(money(after, currency)),
        ].join(' ');
      }}
      run={async ({ amount, paymentMethodId }) =>
        checkOutcome(
          await api().invoicePayments.pay({
            invoiceId,
            amount,
            ...(paymentMethodId === undefined ? { isExternal } : { paymentMethodId }),
          }),
        )
      }
    />
  );
}

function isChargeable({ pluginName }: InvoiceFacts['methods'][number]): boolean {
  return pluginName !== '__EXTERNAL_PAYMENT__';
}
