import type { WriteSession } from '../../ports/storage/index.ts';
import {
  type InvoicePayment,
  InvoicePaymentType,
  isUnresolved,
  type NewNotification,
  type PaymentTransaction,
  TransactionStatus,
} from '../../records/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { releaseNotification } from '../state/payment-notifications.ts';
import { isLeased } from '../state/payment-state.ts';

/**
 * The releases of holds that have waited for the outcome of these transactions (§9.3); whether an account is held back
 * again shows when they are due. A call that ends under its own lease has let no release pass, which would have waited.
 */
export async function holdsToRelease(
  session: WriteSession,
  changed: readonly PaymentTransaction[],
  { rows, now }: { readonly rows: readonly InvoicePayment[]; readonly now: Instant },
): Promise<readonly NewNotification[]> {
  const seen = changed.filter(
    (before) =>
      isUnresolved(before) && (before.status === TransactionStatus.PENDING || !isLeased(before, now)),
  );
  const paymentIds = new Set(seen.map(({ paymentId }) => paymentId));
  const paid = rows.filter(
    ({ type, paymentId }) =>
      type === InvoicePaymentType.ATTEMPT && paymentId !== null && paymentIds.has(paymentId),
  );
  const holds = await session.payments.findHoldsByInvoices([
    ...new Set(paid.map(({ invoiceId }) => invoiceId)),
  ]);
  return holds.map((hold) => releaseNotification(hold, now));
}
