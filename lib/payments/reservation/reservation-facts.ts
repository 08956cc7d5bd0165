import type { IdGenerator, PaymentGateway } from '../../ports/index.ts';
import type {
  Account,
  AutoPayHold,
  Invoice,
  InvoicePayment,
  Payment,
  PaymentAttempt,
  PaymentMethod,
  PaymentTransaction,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { OperationTable } from '../state/payment-state.ts';
import type { ApiPayment, KeyedRecords } from './api-request.ts';
import type { ControlledCharge } from './controlled-charge.ts';
import { type LostSuccess, lostSuccesses } from './invoice-payment-check.ts';

/** Everything known about the invoice of a request, under the account's lock. */
export interface ReservationFacts {
  readonly account: Account;
  readonly invoice: Invoice;
  /** Payment rows of the invoice; their payments; the transactions and attempts of these, in creation order. */
  readonly rows: readonly InvoicePayment[];
  readonly payments: readonly Payment[];
  readonly transactions: readonly PaymentTransaction[];
  readonly attempts: readonly PaymentAttempt[];
  /** The default method of the account and the methods of the payments. */
  readonly methods: ReadonlyMap<Uuid, PaymentMethod>;
  /** The account carries a tag that holds automatic payments back. */
  readonly isHeldBack: boolean;
  /** The active hold of the invoice, if one was looked for. */
  readonly hold: AutoPayHold | null;
  /** What an API payment asks for; absent = an automatic one. */
  readonly api?: ApiPayment;
  /** What control plugins have let pass; absent = none was asked. */
  readonly controlled?: ControlledCharge;
  /** What has the keys that an API payment gives, of any invoice. */
  readonly keyed: KeyedRecords;
}

export interface PlanTools {
  readonly ids: IdGenerator;
  readonly gateways: ReadonlyMap<string, PaymentGateway>;
  readonly now: Instant;
  readonly leaseUntil: Instant;
  readonly allowEmptyInvoice: boolean;
  /** The tenant's own tables of operations, by plugin name (§3.1). */
  readonly stateMachines: ReadonlyMap<string, OperationTable>;
}

/** What is stored about the payments of some invoices. */
export interface StoredPayments {
  readonly rows: readonly InvoicePayment[];
  readonly payments: readonly Payment[];
  readonly transactions: readonly PaymentTransaction[];
  readonly attempts: readonly PaymentAttempt[];
  readonly methods: readonly PaymentMethod[];
  readonly keyed: KeyedRecords;
}

/** The facts of an invoice, and its rows that must be repaired first (§9.2 rule 2). */
export interface KnownFacts {
  readonly facts: ReservationFacts;
  readonly lost: readonly (LostSuccess & {
    readonly invoice: Invoice;
    readonly attempt: PaymentAttempt | undefined;
  })[];
}

/** The part of what is stored that concerns the invoice. */
export function factsOf(
  of: Pick<ReservationFacts, 'account' | 'invoice' | 'isHeldBack' | 'hold' | 'api' | 'controlled'>,
  stored: StoredPayments,
): KnownFacts {
  const { invoice } = of;
  const rows = stored.rows.filter(({ invoiceId }) => invoiceId === invoice.id);
  const ids = new Set(rows.map(({ paymentId }) => paymentId));
  const payments = stored.payments.filter(({ id }) => ids.has(id));
  const keys = new Set(payments.map(({ externalKey }) => externalKey));
  const transactions = stored.transactions.filter(({ paymentId }) => ids.has(paymentId));
  const methods = new Map<Uuid, PaymentMethod>(stored.methods.map((method) => [method.id, method]));
  const attempts = stored.attempts.filter(({ paymentExternalKey }) => keys.has(paymentExternalKey));
  const lost = lostSuccesses(rows, transactions).map((found) => {
    const attempt = attempts.find(({ id }) => id === found.transaction.attemptId);
    return { ...found, invoice, attempt };
  });
  const facts = { ...of, rows, payments, transactions, attempts, methods, keyed: stored.keyed };
  return { facts, lost };
}
