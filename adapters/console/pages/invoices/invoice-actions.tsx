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
  const { invoices, tags } = api();
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
      <Action
        name="commit"
        needs="invoice:commit"
        isHidden={!isDraft}
        explanation={t.commit(money(invoice.amount, currency))}
        run={() => invoices.commit(id)}
        isPrimary
      />
      <Action
        name="writeOff"
        needs="tag:add"
        isHidden={!isOwed(invoice)}
        explanation={t.writeOff(money(invoice.balance, currency))}
        run={() => tags.add(object, [WRITTEN_OFF])}
        isDangerous
      />
      <Action
        name="undoWriteOff"
        needs="tag:delete"
        isHidden={!invoice.isWrittenOff}
        explanation={t.undoWriteOff(money(invoice.rawBalance, currency))}
        run={() => tags.remove(object, [WRITTEN_OFF])}
      />
      <Action
        name="void"
        needs="invoice:void"
        isHidden={isVoid || isPaid}
        explanation={isDraft ? t.voidDraft : t.void}
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
        if (!isAmount(amount)) return null;
        const paid = money(amount, currency);
        const after = balance.minus(amount);
        return [
          isExternal ? t.records(paid) : t.charges(paid, nameOf(paymentMethodId)),
          after.isNegative() ? t.tooMuch(money(balance, currency)) : t.rest(money(after, currency)),
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
