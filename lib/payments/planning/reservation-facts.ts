import type { IdGenerator, PaymentGateway } from '../../ports/index.ts';
import {
  type Account,
  AttemptState,
  type AutoPayHold,
  type Invoice,
  type InvoicePayment,
  type Payment,
  type PaymentAttempt,
  type PaymentMethod,
  type PaymentTransaction,
  type PluginProperty,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { OperationTable } from '../state/payment-state.ts';
import { type LostSuccess, lostSuccesses } from './invoice-payment-check.ts';
import type { ConsultedRun } from './reserved-call.ts';

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
  /** The run that control plugins have let pass; absent = none was asked. */
  readonly consulted?: ConsultedRun;
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
  of: Pick<ReservationFacts, 'account' | 'invoice' | 'isHeldBack' | 'hold' | 'api' | 'consulted'>,
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

/** A payment of an invoice that a call asks for (§9.6). */
export interface ApiPayment {
  /** Null = the account's default method. */
  readonly methodId: Uuid | null;
  /** Null = the balance. */
  readonly amount: Decimal | null;
  /** The client's own keys; null = ours. */
  readonly paymentKey: string | null;
  readonly transactionKey: string | null;
  readonly properties: readonly PluginProperty[];
  /** Control plugins by name; null = those of the tenant. */
  readonly controlPlugins: readonly string[] | null;
  /**
   * True: it waits for another payment of the invoice, and an account without a method is an error; false: what cannot
   * be paid now is passed over.
   */
  readonly waits: boolean;
}

/** Payments and transactions of the tenant with the keys that API payments give. */
export interface KeyedRecords {
  readonly payments: readonly Payment[];
  readonly transactions: readonly PaymentTransaction[];
}

/** A retry that the account's tags hold back. */
export interface HeldRetry {
  readonly payment: Payment;
  /** The run that it repeats. */
  readonly origin: PaymentAttempt;
  /** The run that was stored when it was held back. */
  readonly held: PaymentAttempt;
}

/** Returns the retry that the hold stands for; null = the hold stands for the first payment of its invoice (§9.3). */
export function heldRetryOf(
  { attemptId }: Pick<AutoPayHold, 'attemptId'>,
  { attempts, payments }: Pick<ReservationFacts, 'attempts' | 'payments'>,
): HeldRetry | null {
  const held = attempts.find(({ id }) => id === attemptId);
  const payment = payments.find(({ externalKey }) => externalKey === held?.paymentExternalKey);
  const origin = attempts.findLast(
    ({ stateName, paymentExternalKey, transactionExternalKey }) =>
      stateName === AttemptState.RETRIED &&
      paymentExternalKey === held?.paymentExternalKey &&
      transactionExternalKey === held.transactionExternalKey,
  );
  return held && payment && origin ? { payment, origin, held } : null;
}

/** The holds in the order in which they are released: the oldest invoice first (§9.3). */
export function oldestFirst(
  holds: readonly AutoPayHold[],
  invoices: readonly Invoice[],
): readonly AutoPayHold[] {
  const order = invoices
    .toSorted((a, b) => a.invoiceDate - b.invoiceDate || a.invoiceNumber - b.invoiceNumber)
    .map(({ id }) => id);
  return holds.toSorted((a, b) => order.indexOf(a.invoiceId) - order.indexOf(b.invoiceId));
}
