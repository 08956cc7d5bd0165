import type { Account } from '../accounts/model.ts';
import { assertInvariant } from '../errors/index.ts';
import type { Uuid } from '../ids/index.ts';
import type { Invoice } from '../invoicing/model.ts';
import type { Currency, Decimal } from '../money/index.ts';
import type { IdGenerator } from '../ports/identity.ts';
import type { PaymentGateway } from '../ports/payment-gateway.ts';
import type { New } from '../ports/storage/session.ts';
import type { NewBusEvent } from '../queue/model.ts';
import type { Instant } from '../time/index.ts';
import { AbortReason, checkInvoicePayment } from './invoice-payment-check.ts';
import {
  AttemptState,
  INVOICE_PAYMENT_CONTROL_PLUGIN,
  type InvoicePayment,
  InvoicePaymentStatus,
  InvoicePaymentType,
  type Payment,
  type PaymentAttempt,
  type PaymentMethod,
  type PaymentTransaction,
  TransactionStatus,
  TransactionType,
} from './model.ts';
import { noPaymentEvent } from './payment-events.ts';
import type { RetryJob } from './payment-notifications.ts';
import { mayStart } from './payment-state.ts';

/** A payment that is asked for: of an invoice for the first time, or again for a retried attempt. */
export interface PaymentRequest {
  readonly accountRecordId: number;
  readonly invoiceId: Uuid;
  readonly retry: RetryJob | null;
}

/** Everything known under the account's lock about the invoice of a request. */
export interface ReservationFacts {
  readonly account: Account;
  readonly invoice: Invoice;
  /** Payment rows of the invoice; their payments; the transactions and attempts of those, in creation order. */
  readonly rows: readonly InvoicePayment[];
  readonly payments: readonly Payment[];
  readonly transactions: readonly PaymentTransaction[];
  readonly attempts: readonly PaymentAttempt[];
  /** The default method of the account and the methods of the payments. */
  readonly methods: ReadonlyMap<Uuid, PaymentMethod>;
}

export interface PlanTools {
  readonly ids: IdGenerator;
  readonly gateways: ReadonlyMap<string, PaymentGateway>;
  readonly now: Instant;
  readonly leaseUntil: Instant;
  readonly allowEmptyInvoice: boolean;
}

/** The records of one call to a gateway, before the call. */
export interface PlannedCharge {
  readonly account: Account;
  readonly gateway: PaymentGateway;
  readonly paymentId: Uuid;
  readonly paymentMethodId: Uuid;
  /** Null when a payment is tried again. */
  readonly newPayment: Omit<New<Payment>, 'paymentNumber'> | null;
  readonly transaction: New<PaymentTransaction> & { readonly amount: Decimal; readonly currency: Currency };
  readonly attempt: New<PaymentAttempt>;
  readonly newRow: New<InvoicePayment> | null;
  readonly changedRow: InvoicePayment | null;
}

export type ReservationPlan =
  /** A call for the invoice is running: ask again later. */
  | { readonly kind: 'WAIT' }
  /** Done: attempts that ended without a call, and the event that tells of a failure. */
  | {
      readonly kind: 'STOP';
      readonly ended: readonly New<PaymentAttempt>[];
      readonly events: readonly NewBusEvent[];
    }
  | {
      readonly kind: 'CHARGE';
      readonly ended: readonly New<PaymentAttempt>[];
      readonly charge: PlannedCharge;
    };

const NOTHING: ReservationPlan = { kind: 'STOP', ended: [], events: [] };

/** Decides what a request becomes (payments.md §8.3, §9.2); writes nothing. */
export function planReservation(
  request: PaymentRequest,
  facts: ReservationFacts,
  tools: PlanTools,
): ReservationPlan {
  if (request.retry !== null) return planRetry(request.retry, facts, tools);
  // At-least-once delivery: an invoice that was tried automatically is not tried by its creation event again.
  if (facts.attempts.some((attempt) => !attempt.isApiPayment)) return NOTHING;
  return planFirst(facts, tools, []);
}

/** A new payment of the balance with the account's default method. */
function planFirst(
  facts: ReservationFacts,
  tools: PlanTools,
  ended: readonly New<PaymentAttempt>[],
): ReservationPlan {
  const defaultId = facts.account.paymentMethodId;
  const method = usableMethod(defaultId === null ? undefined : facts.methods.get(defaultId), tools);
  const decision = decide(facts, tools, { method, requestedAmount: null });
  if (decision.kind === 'WAIT') return { kind: 'WAIT' };
  if (decision.kind === 'PAY') {
    return { kind: 'CHARGE', ended, charge: firstCharge(facts, tools, decision.amount, decision.method) };
  }
  if (decision.reason !== AbortReason.NO_PAYMENT_METHOD) return { kind: 'STOP', ended, events: [] };
  const key = tools.ids.next();
  const attempt = newAttempt(facts, tools, {
    paymentKey: key,
    transactionKey: key,
    transactionId: null,
    paymentMethodId: null,
    amount: facts.invoice.rawBalance,
    stateName: AttemptState.ABORTED,
  });
  return { kind: 'STOP', ended: [...ended, attempt], events: [failureEvent(facts, tools, attempt)] };
}

/** §8.3: the flow of an attempt again, on the same payment with the same key. */
function planRetry(job: RetryJob, facts: ReservationFacts, tools: PlanTools): ReservationPlan {
  const payment = facts.payments.find(({ id }) => id === job.paymentId);
  const runs = facts.attempts.filter((attempt) => attempt.paymentExternalKey === payment?.externalKey);
  const origin = runs.find(({ id }) => id === job.attemptId);
  assertInvariant(payment && origin, 'A retry must name a stored payment and attempt', { ...job });
  // Delivered again, or overtaken: the attempt was run again or has been decided anew since.
  if (runs.at(-1) !== origin || origin.stateName !== AttemptState.RETRIED) return NOTHING;
  const stored = facts.methods.get(payment.paymentMethodId);
  const aborted = newAttempt(facts, tools, {
    paymentKey: payment.externalKey,
    transactionKey: origin.transactionExternalKey,
    transactionId: null,
    paymentMethodId: payment.paymentMethodId,
    amount: origin.amount,
    stateName: AttemptState.ABORTED,
  });
  if (stored?.isActive !== true) return planFirst(facts, tools, [aborted]);
  const method = usableMethod(stored, tools);
  const decision = decide(facts, tools, { method, requestedAmount: origin.amount });
  if (decision.kind === 'WAIT') return { kind: 'WAIT' };
  const own = facts.transactions.filter(({ paymentId }) => paymentId === payment.id);
  const allowed = mayStart(TransactionType.PURCHASE, payment.lastSuccessStateName, own);
  if (decision.kind === 'PAY' && allowed) {
    const charge = retryCharge(facts, tools, {
      payment,
      origin,
      amount: decision.amount,
      method: decision.method,
    });
    return { kind: 'CHARGE', ended: [], charge };
  }
  const noMethod = decision.kind === 'ABORT' && decision.reason === AbortReason.NO_PAYMENT_METHOD;
  return { kind: 'STOP', ended: [aborted], events: noMethod ? [failureEvent(facts, tools, aborted)] : [] };
}

function decide(
  facts: ReservationFacts,
  tools: PlanTools,
  asked: { readonly method: PaymentMethod | null; readonly requestedAmount: Decimal | null },
) {
  return checkInvoicePayment({
    account: facts.account,
    invoice: facts.invoice,
    rows: facts.rows,
    transactions: facts.transactions,
    isApiPayment: false,
    allowEmptyInvoice: tools.allowEmptyInvoice,
    now: tools.now,
    ...asked,
  });
}

/** A method can be charged when it is active and its gateway is registered (no transaction otherwise, §2.2). */
function usableMethod(method: PaymentMethod | undefined, tools: PlanTools): PaymentMethod | null {
  return method?.isActive && tools.gateways.has(method.pluginName) ? method : null;
}

function firstCharge(
  facts: ReservationFacts,
  tools: PlanTools,
  amount: Decimal,
  method: PaymentMethod,
): PlannedCharge {
  const { account } = facts;
  const paymentId = tools.ids.next();
  const transactionId = tools.ids.next();
  const newPayment = {
    id: paymentId,
    accountId: account.id,
    accountRecordId: account.recordId,
    externalKey: paymentId,
    paymentMethodId: method.id,
    stateName: null,
    lastSuccessStateName: null,
    createdDate: tools.now,
  };
  const records = chargeRecords(facts, tools, {
    paymentId,
    paymentKey: paymentId,
    transactionId,
    transactionKey: transactionId,
    amount,
    method,
  });
  const newRow: New<InvoicePayment> = {
    id: tools.ids.next(),
    accountRecordId: account.recordId,
    invoiceId: facts.invoice.id,
    type: InvoicePaymentType.ATTEMPT,
    status: InvoicePaymentStatus.INIT,
    paymentId,
    paymentDate: tools.now,
    amount,
    currency: facts.invoice.currency,
    processedCurrency: facts.invoice.currency,
    transactionExternalKey: transactionId,
    linkedInvoicePaymentId: null,
    createdDate: tools.now,
  };
  return { ...records, newPayment, newRow, changedRow: null };
}

function retryCharge(
  facts: ReservationFacts,
  tools: PlanTools,
  run: { payment: Payment; origin: PaymentAttempt; amount: Decimal; method: PaymentMethod },
): PlannedCharge {
  const key = run.origin.transactionExternalKey;
  const row = facts.rows.find(
    (each) => each.type === InvoicePaymentType.ATTEMPT && each.transactionExternalKey === key,
  );
  assertInvariant(row, 'A retried payment must have its invoice payment', { paymentId: run.payment.id, key });
  const records = chargeRecords(facts, tools, {
    paymentId: run.payment.id,
    paymentKey: run.payment.externalKey,
    transactionId: tools.ids.next(),
    transactionKey: key,
    amount: run.amount,
    method: run.method,
  });
  const changedRow = {
    ...row,
    status: InvoicePaymentStatus.INIT,
    amount: run.amount,
    paymentDate: tools.now,
  };
  return { ...records, newPayment: null, newRow: null, changedRow };
}

function chargeRecords(
  facts: ReservationFacts,
  tools: PlanTools,
  run: {
    readonly paymentId: Uuid;
    readonly paymentKey: string;
    readonly transactionId: Uuid;
    readonly transactionKey: string;
    readonly amount: Decimal;
    readonly method: PaymentMethod;
  },
): Omit<PlannedCharge, 'newPayment' | 'newRow' | 'changedRow'> {
  const gateway = tools.gateways.get(run.method.pluginName);
  assertInvariant(gateway, 'A charge needs a registered gateway', { pluginName: run.method.pluginName });
  const attempt = newAttempt(facts, tools, {
    ...run,
    paymentMethodId: run.method.id,
    stateName: AttemptState.INIT,
  });
  const transaction = {
    id: run.transactionId,
    paymentId: run.paymentId,
    accountRecordId: facts.account.recordId,
    attemptId: attempt.id,
    externalKey: run.transactionKey,
    transactionType: TransactionType.PURCHASE,
    effectiveDate: tools.now,
    status: TransactionStatus.UNKNOWN,
    amount: run.amount,
    currency: facts.invoice.currency,
    processedAmount: null,
    processedCurrency: null,
    gatewayErrorCode: null,
    gatewayErrorMsg: null,
    leaseUntil: tools.leaseUntil,
    createdDate: tools.now,
  };
  const { account } = facts;
  return { account, gateway, paymentId: run.paymentId, paymentMethodId: run.method.id, transaction, attempt };
}

function newAttempt(
  facts: ReservationFacts,
  tools: PlanTools,
  run: {
    readonly paymentKey: string;
    readonly transactionKey: string;
    readonly transactionId: Uuid | null;
    readonly paymentMethodId: Uuid | null;
    readonly amount: Decimal | null;
    readonly stateName: AttemptState;
  },
): New<PaymentAttempt> {
  return {
    id: tools.ids.next(),
    accountId: facts.account.id,
    accountRecordId: facts.account.recordId,
    paymentMethodId: run.paymentMethodId,
    paymentExternalKey: run.paymentKey,
    transactionId: run.transactionId,
    transactionExternalKey: run.transactionKey,
    transactionType: TransactionType.PURCHASE,
    stateName: run.stateName,
    amount: run.amount,
    currency: facts.invoice.currency,
    pluginNames: [INVOICE_PAYMENT_CONTROL_PLUGIN],
    isApiPayment: false,
    createdDate: tools.now,
  };
}

function failureEvent(facts: ReservationFacts, tools: PlanTools, attempt: New<PaymentAttempt>): NewBusEvent {
  const { id: invoiceId, currency } = facts.invoice;
  return noPaymentEvent({ accountId: facts.account.id, invoiceId, currency, now: tools.now, attempt });
}
