import { instant, known, money } from '../../core/index.ts';
import { Badge, IdLink, ListTable } from '../../parts/index.ts';
import { texts } from '../../texts.ts';
import { methodName, type Payment, type PaymentMethod, paymentState } from '../invoices/data.ts';

const t = texts.payments;

type ListedPayment = Omit<Payment, 'targetInvoiceId'>;

/** Returns the sentence of the gateway about the latest failure; empty if the latest transaction has none. */
export function gatewayMessage({ transactions }: ListedPayment): string {
  const last = transactions.at(-1);
  return last?.gatewayErrorMsg ?? last?.gatewayErrorCode ?? '';
}

/** Returns the amount with which the payment began. */
export function amountOf({ transactions, totals }: ListedPayment): string {
  const [first] = transactions;
  return first === undefined ? '–' : money(first.amount, first.currency ?? totals.currency);
}

/** Returns the columns of a list of payments. Dates are in the given time zone, by default in that of the browser. */
export const paymentColumns = (timeZone?: string) =>
  [
    {
      title: t.number,
      sort: 'number',
      cell: ({ id, paymentNumber }: ListedPayment) => (
        <IdLink page="/payments" id={id} label={String(paymentNumber)} />
      ),
    },
    { title: t.date, cell: ({ createdDate }: ListedPayment) => instant(createdDate, timeZone) },
    {
      title: t.state,
      cell: (row: ListedPayment) => <Badge tone={paymentState(row)[1]}>{paymentState(row)[0]}</Badge>,
    },
    { title: t.amount, isNumber: true, cell: amountOf },
    { title: t.gatewayMessage, isText: true, cell: gatewayMessage },
  ] as const;

/** The payments of an invoice. */
export function PaymentTable(props: {
  readonly payments: readonly Payment[];
  readonly methods: readonly PaymentMethod[];
  readonly timeZone: string;
}) {
  const method = ({ paymentMethodId }: Payment) => {
    const found = props.methods.find(({ id }) => id === paymentMethodId);
    return found === undefined ? t.deletedMethod : methodName(found);
  };
  const [number, ...others] = paymentColumns(props.timeZone);
  return (
    <ListTable
      of={known(props.payments)}
      pageParameter="payment"
      caption={t.title}
      keyOf={({ id }) => id}
      empty={t.none}
      columns={[{ title: number.title, cell: number.cell }, ...others, { title: t.method, cell: method }]}
    />
  );
}
