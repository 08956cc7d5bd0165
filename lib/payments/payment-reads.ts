import { noSuchAccount } from '../accounts/service.ts';
import type { CallContext } from '../context.ts';
import { BillingError, ErrorCode } from '../errors/index.ts';
import type { Uuid } from '../ids/index.ts';
import type { Ports } from '../ports/index.ts';
import type { ReadSession } from '../ports/storage/index.ts';
import {
  type InvoicePayment,
  InvoicePaymentType,
  type Payment,
  type PaymentAttempt,
  type PaymentTransaction,
} from './model.ts';
import { type PaymentTotals, paymentTotals } from './payment-totals.ts';

/** A payment as it is read (payments.md §1.3, §4.4). */
export interface PaymentView extends Payment {
  readonly totals: PaymentTotals;
  /** In creation order. */
  readonly transactions: readonly PaymentTransaction[];
  /** Oldest first; null unless asked for. */
  readonly attempts: readonly PaymentAttempt[] | null;
}

/** A payment with the invoice that it pays; null of a direct payment. */
export interface InvoicePaymentView extends PaymentView {
  readonly targetInvoiceId: Uuid | null;
}

export interface PaymentReadOptions {
  readonly withAttempts: boolean;
}

/** Reads of payments; each takes a constant number of queries and writes nothing (payments.md §7.2 rule 3). */
export class PaymentReads {
  readonly #ports: Pick<Ports, 'storage'>;

  constructor(ports: Pick<Ports, 'storage'>) {
    this.#ports = ports;
  }

  /** The account's payments, oldest first. @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002). */
  async ofAccount(
    context: CallContext,
    accountId: Uuid,
    options: PaymentReadOptions = { withAttempts: false },
  ): Promise<readonly PaymentView[]> {
    return this.#ports.storage.read(context.tenant, async (session) => {
      await checkAccount(session, accountId);
      return viewPayments(session, await session.payments.findByAccounts([accountId]), options);
    });
  }

  /**
   * The account's payments with the invoices that they pay, oldest first.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  async invoicePaymentsOfAccount(
    context: CallContext,
    accountId: Uuid,
    options: PaymentReadOptions = { withAttempts: false },
  ): Promise<readonly InvoicePaymentView[]> {
    return this.#ports.storage.read(context.tenant, async (session) => {
      await checkAccount(session, accountId);
      const payments = await session.payments.findByAccounts([accountId]);
      const rows = await session.payments.findInvoicePaymentsByPayments(payments.map(({ id }) => id));
      return withInvoices(await viewPayments(session, payments, options), rows);
    });
  }

  /**
   * Every payment of the invoice, failed ones included, oldest first.
   * @throws BillingError INVOICE_NOT_FOUND (4006).
   */
  async invoicePaymentsOfInvoice(
    context: CallContext,
    invoiceId: Uuid,
    options: PaymentReadOptions = { withAttempts: false },
  ): Promise<readonly InvoicePaymentView[]> {
    return this.#ports.storage.read(context.tenant, async (session) => {
      const [invoice] = await session.invoices.findByIds([invoiceId]);
      if (!invoice) throw noSuchInvoice(invoiceId);
      const rows = await session.payments.findInvoicePaymentsByInvoices([invoiceId]);
      const ids = [...new Set(rows.flatMap(({ paymentId }) => paymentId ?? []))];
      const payments = await session.payments.findByIds(ids);
      const ordered = payments.toSorted((one, other) => one.recordId - other.recordId);
      return withInvoices(await viewPayments(session, ordered, options), rows);
    });
  }
}

async function viewPayments(
  session: ReadSession,
  payments: readonly Payment[],
  { withAttempts }: PaymentReadOptions,
): Promise<readonly PaymentView[]> {
  if (payments.length === 0) return [];
  const transactions = Map.groupBy(
    await session.payments.findTransactions(payments.map(({ id }) => id)),
    ({ paymentId }) => paymentId,
  );
  const keys = payments.map(({ externalKey }) => externalKey);
  const attempts = withAttempts
    ? Map.groupBy(
        await session.payments.findAttemptsByPaymentKeys(keys),
        (attempt) => attempt.paymentExternalKey,
      )
    : null;
  return payments.map((payment) => {
    const own = transactions.get(payment.id) ?? [];
    return {
      ...payment,
      totals: paymentTotals(own),
      transactions: own,
      attempts: attempts && (attempts.get(payment.externalKey) ?? []),
    };
  });
}

function withInvoices(
  payments: readonly PaymentView[],
  rows: readonly InvoicePayment[],
): readonly InvoicePaymentView[] {
  const paid = rows.filter(({ type }) => type === InvoicePaymentType.ATTEMPT);
  const invoiceOf = new Map(paid.map(({ paymentId, invoiceId }) => [paymentId, invoiceId]));
  return payments.map((payment) => ({ ...payment, targetInvoiceId: invoiceOf.get(payment.id) ?? null }));
}

async function checkAccount(session: ReadSession, accountId: Uuid): Promise<void> {
  const [account] = await session.accounts.findByIds([accountId]);
  if (!account) throw noSuchAccount(accountId);
}

function noSuchInvoice(invoiceId: Uuid): BillingError {
  return new BillingError({
    code: ErrorCode.INVOICE_NOT_FOUND,
    message: `No invoice could be found for id ${invoiceId}`,
    facts: { invoiceId },
  });
}
