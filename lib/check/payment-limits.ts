import { refundable, takenOf } from '../payments/index.ts';
import {
  type InvoicePayment,
  InvoicePaymentStatus,
  InvoicePaymentType,
  type PaymentTransaction,
  TransactionStatus,
  TransactionType,
} from '../records/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { formatDecimal } from '../values/money/index.ts';
import { CheckedInvariant, type Finding } from './model.ts';

type Moved = Parameters<typeof refundable>[0][number];

/** Finds a payment of which more was given back than came in, both in the payment's currency; `transactions` in creation order. */
export function overRefunded(paymentId: Uuid, transactions: readonly Moved[]): readonly Finding[] {
  const left = refundable(transactions);
  if (!left.isNegative()) return [];
  const captured = takenOf(transactions);
  const refunded = captured.minus(left);
  const message = `of payment ${paymentId} ${formatDecimal(refunded)} was refunded, ${formatDecimal(captured)} captured`;
  return [{ invariant: CheckedInvariant.REFUNDS, message }];
}

/**
 * Finds an invoice that several payments may have been charged for at once: the outcome of one stops the next (payments
 * §9.2 rule 8). Those that are PENDING only reserve what they are to settle, and stand beside each other.
 */
export function severalOpenPayments(
  invoiceId: Uuid,
  payments: readonly Pick<InvoicePayment, 'type' | 'status' | 'paymentId' | 'transactionExternalKey'>[],
  transactionsOf: (
    paymentId: Uuid,
  ) => readonly Pick<PaymentTransaction, 'transactionType' | 'status' | 'externalKey'>[],
): readonly Finding[] {
  const open = payments.filter(
    ({ type, status, paymentId, transactionExternalKey }) =>
      type === InvoicePaymentType.ATTEMPT &&
      status !== InvoicePaymentStatus.SUCCESS &&
      paymentId !== null &&
      transactionsOf(paymentId).some(
        (each) =>
          each.transactionType === TransactionType.PURCHASE &&
          each.externalKey === transactionExternalKey &&
          each.status === TransactionStatus.UNKNOWN,
      ),
  );
  const count = new Set(open.map(({ paymentId }) => paymentId)).size;
  if (count < 2) return [];
  const message = `invoice ${invoiceId} has ${count} payments whose outcome is unknown`;
  return [{ invariant: CheckedInvariant.OPEN_PAYMENT, message }];
}
