import { assertInvariant } from '../errors/index.ts';
import type { Uuid } from '../ids/index.ts';
import type { Decimal } from '../money/index.ts';
import type { New } from '../ports/storage/session.ts';
import type { NewBusEvent } from '../queue/model.ts';
import {
  firstCharge,
  newAttempt,
  type PlannedCharge,
  type PlanTools,
  type ReservationFacts,
  retryCharge,
} from './charge-records.ts';
import { AbortReason, checkInvoicePayment } from './invoice-payment-check.ts';
import { AttemptState, type PaymentAttempt, type PaymentMethod, TransactionType } from './model.ts';
import { noPaymentEvent } from './payment-events.ts';
import type { RetryJob } from './payment-notifications.ts';
import { mayStart } from './payment-state.ts';

/** A payment that is asked for: of an invoice for the first time, or again for a retried attempt. */
export interface PaymentRequest {
  readonly accountRecordId: number;
  readonly invoiceId: Uuid;
  readonly retry: RetryJob | null;
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
    return { kind: 'CHARGE', ended, charge: firstCharge(facts, tools, decision) };
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
    const { amount, method } = decision;
    const charge = retryCharge(facts, tools, { payment, origin, amount, method });
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

function failureEvent(facts: ReservationFacts, tools: PlanTools, attempt: New<PaymentAttempt>): NewBusEvent {
  const { id: invoiceId, currency } = facts.invoice;
  return noPaymentEvent({ accountId: facts.account.id, invoiceId, currency, now: tools.now, attempt });
}
