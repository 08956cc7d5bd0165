import {
  type InvoicePayment,
  InvoicePaymentStatus,
  InvoicePaymentType,
  type PaymentTransaction,
  TransactionStatus,
  TransactionType,
} from '../records/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { formatDecimal, sum } from '../values/money/index.ts';
import { CheckedInvariant, type Finding } from './model.ts';

type Moved = Pick<PaymentTransaction, 'transactionType' | 'status' | 'processedAmount'>;

/** Finds a payment of which more was given back than came in. */
export function overRefunded(paymentId: Uuid, transactions: readonly Moved[]): readonly Finding[] {
  const total = (...types: readonly TransactionType[]) =>
    sum(
      transactions
        .filter((each) => each.status === TransactionStatus.SUCCESS && types.includes(each.transactionType))
        .flatMap(({ processedAmount }) => processedAmount ?? []),
    );
  const captured = total(TransactionType.PURCHASE, TransactionType.CAPTURE);
  const refunded = total(TransactionType.REFUND);
  if (!refunded.greaterThan(captured)) return [];
  const message = `of payment ${paymentId} ${formatDecimal(refunded)} was refunded, ${formatDecimal(captured)} captured`;
  return [{ invariant: CheckedInvariant.REFUNDS, message }];
}

/** Finds an invoice with several open payments. */
export function severalOpenPayments(
  invoiceId: Uuid,
  payments: readonly Pick<InvoicePayment, 'type' | 'status' | 'paymentId'>[],
  transactionsOf: (paymentId: Uuid) => readonly Pick<PaymentTransaction, 'status' | 'leaseUntil'>[],
): readonly Finding[] {
  const open = payments.filter(({ type, status, paymentId }) => {
    if (type !== InvoicePaymentType.ATTEMPT || status === InvoicePaymentStatus.SUCCESS) return false;
    if (status === InvoicePaymentStatus.PENDING) return true;
    return paymentId !== null && transactionsOf(paymentId).some(isOpen);
  });
  const count = new Set(open.map(({ paymentId }) => paymentId)).size;
  if (count < 2) return [];
  const message = `invoice ${invoiceId} has ${count} payments whose outcome is open`;
  return [{ invariant: CheckedInvariant.OPEN_PAYMENT, message }];
}

function isOpen({ status, leaseUntil }: Pick<PaymentTransaction, 'status' | 'leaseUntil'>): boolean {
  return leaseUntil !== null || status === TransactionStatus.UNKNOWN || status === TransactionStatus.PENDING;
}
