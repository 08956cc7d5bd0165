import { api } from '../../core/data.ts';
import { money } from '../../core/format.ts';
import {
  Action,
  amountField,
  type FieldOrName,
  textOrNull,
  textsOf,
  type Values,
} from '../../parts/action.tsx';
import { texts } from '../../texts.ts';
import { amountIn, checkOutcome, methodName } from '../payments/data.tsx';
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
            initial={{ note: invoice.note ?? '' }}
            fields={[{ name: 'note', kind: 'area' }]}
            run={(values) => api().invoices.setNote({ invoiceId: id, note: textOrNull(values, 'note') })}
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
  const options = methods.filter(isChargeable).map((method) => [method.id, methodName(method)] as const);
  const fields: readonly FieldOrName[] = [
    !isExternal && { name: 'paymentMethodId', kind: 'select', options },
    amountField(invoice.currency),
  ];
  const effectOf = (values: Values, amount: string) => {
    const { balance, currency } = invoice;
    const method = options.find(([id]) => id === values.paymentMethodId)?.[1] ?? '';
    const paid = money(amount, currency);
    const after = balance.minus(amount);
    const rest = after.isNegative() ? t.tooMuch(money(balance, currency)) : t.rest(money(after, currency));
    return `${isExternal ? t.records(paid) : t.charges(paid, method)} ${rest}`;
  };
  return (
    <Action
      name={isExternal ? 'recordPayment' : 'payNow'}
      needs="payment:trigger"
      initial={{
        amount: invoice.balance.toFixed(),
        paymentMethodId: account.paymentMethodId ?? options[0]?.[0] ?? '',
      }}
      fields={fields}
      preview={(values) => {
        const amount = amountIn(values);
        return amount === null ? null : Promise.resolve(effectOf(values, amount));
      }}
      run={async (values) =>
        checkOutcome(
          await api().invoicePayments.pay({
            invoiceId: invoice.id,
            ...textsOf(values, 'amount'),
            ...(isExternal ? { isExternal } : textsOf(values, 'paymentMethodId')),
          }),
        )
      }
    />
  );
}

function isChargeable({ pluginName }: InvoiceFacts['methods'][number]): boolean {
  return pluginName !== '__EXTERNAL_PAYMENT__';
}
