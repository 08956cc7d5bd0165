import {
  AttemptState,
  type AutoPayHold,
  isUnresolved,
  type New,
  type NewBusEvent,
  type Payment,
  type PaymentAttempt,
  type PaymentMethod,
  TransactionType,
} from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import { hasOnlyBegun, spentAttempt } from '../state/outcome-consequences.ts';
import { badParameter, noSuchMethod, noSuchPlugin } from '../state/payment-errors.ts';
import { type InvoiceRetryJob, noPaymentEvent } from '../state/payment-notifications.ts';
import { mayStart, notAllowed } from '../state/payment-state.ts';
import { newAttempt, newHold, type PlannedCharge, plannedCharge } from './call-records.ts';
import {
  checkInvoicePayment,
  checkKeysAreFree,
  checkKeysAreOwn,
  checkRequestedAmount,
  checkTransactionKeyIsFree,
  failedPaymentOf,
  type InvoicePaymentDecision,
  noDefaultMethod,
  type OpenPayment,
  openPaymentOf,
} from './invoice-payment-check.ts';
import {
  type ApiPayment,
  type ConsultedRun,
  type HeldRetry,
  heldRetryOf,
  type PlanTools,
  type ReservationFacts,
} from './reservation.ts';

/**
 * A request for a payment: the first payment of an invoice, a repeated attempt, or a payment that a hold has delayed.
 */
export interface PaymentRequest {
  readonly accountRecordId: number;
  readonly invoiceId: Uuid;
  readonly retry: InvoiceRetryJob | null;
  /** The released hold that this payment fulfills (§9.3). */
  readonly holdId?: Uuid;
  readonly api?: ApiPayment;
  /** The run that control plugins allowed. The field is absent if no plugins were called. */
  readonly consulted?: ConsultedRun;
}

export type ReservationPlan = { readonly kind: 'WAIT' } | StopPlan | ChargePlan;

interface DecidedPlan {
  readonly ended: readonly New<PaymentAttempt>[];
  readonly endedHold?: AutoPayHold;
  /** The previous attempts whose plugin properties must be deleted now because this retry uses those properties. */
  readonly spent?: readonly PaymentAttempt[];
}

/** A plan without a gateway call. It contains the attempts that ended and the event that reports the failure. */
interface StopPlan extends DecidedPlan {
  readonly kind: 'STOP';
  readonly events: readonly NewBusEvent[];
  /** The new hold if a tag of the account prevents the payment. */
  readonly newHold?: New<AutoPayHold>;
  /** The open payment that has the same key as the request (§4.2). */
  readonly open?: OpenPayment;
}

interface ChargePlan extends DecidedPlan {
  readonly kind: 'CHARGE';
  readonly charge: PlannedCharge;
}
const NOTHING: StopPlan = { kind: 'STOP', ended: [], events: [] };

type Planning = ReservationFacts & PlanTools;

/** Decides how to handle a request (§8.3, §9.2). Writes nothing. */
export function planReservation(
  request: PaymentRequest,
  facts: ReservationFacts,
  tools: PlanTools,
): ReservationPlan {
  const planning = { ...facts, ...tools };
  if (request.retry !== null) return planRetry(request.retry, planning);
  if (request.holdId !== undefined) return planRelease(request.holdId, planning);
  if (request.api !== undefined) return planApiPayment(request.api, planning);
  // Events may be delivered twice, but the creation of an invoice triggers only one automatic payment attempt.
  if (facts.attempts.some((attempt) => !attempt.isApiPayment)) return NOTHING;
  return planFirst(planning, { ended: [], requestedAmount: null });
}

/**
 * Plans the payment of a released hold, up to the amount of the hold (§9.3). If the hold is for a retry, the retry
 * continues its payment, unless that payment has succeeded.
 */
function planRelease(holdId: Uuid, planning: Planning): ReservationPlan {
  const { hold, isHeldBack, methods } = planning;
  if (hold?.id !== holdId || isHeldBack) return NOTHING;
  const retry = heldRetryOf(hold, planning);
  const requestedAmount = hold.amount;
  // A retry is another purchase on the same payment, or a new payment if the method was deleted (§8.3).
  const method = retry === null ? undefined : methods.get(retry.payment.paymentMethodId);
  const plan =
    retry !== null && method !== undefined && mayPurchase(planning, method, retry.payment)
      ? planRun({ ...retry, ended: [], requestedAmount }, planning)
      : planFirst(planning, { ended: [], requestedAmount });
  if (plan.kind === 'WAIT' || isForLater(plan, hold, planning)) return plan;
  return { ...plan, endedHold: hold, ...(retry && { spent: spentAttempt(retry.origin) }) };
}

/**
 * Returns true if the rest of the hold's amount must wait for another open payment of the invoice. The outcome of that
 * payment releases the hold again.
 */
function isForLater(
  plan: Exclude<ReservationPlan, { kind: 'WAIT' }>,
  hold: AutoPayHold,
  { transactions }: ReservationFacts,
) {
  const isOpen = transactions.some(
    (each) => isUnresolved(each) && (each.status === 'UNKNOWN' || each.transactionType === 'PURCHASE'),
  );
  return isOpen && (plan.kind === 'STOP' || plan.charge.transaction.amount.lessThan(hold.amount));
}

/**
 * Plans an API payment (§9.6). If an invoice cannot be paid now, the plan either skips the invoice or waits. The plan
 * creates no hold.
 */
function planApiPayment(api: ApiPayment, planning: Planning): ReservationPlan {
  const { consulted, keyed } = planning;
  checkRequestedAmount(api.amount, planning);
  checkKeysAreOwn(api, planning);
  const open = openPaymentOf(api, planning);
  if (open !== null) {
    methodIdOf(api, open.payment);
    return { ...NOTHING, open };
  }
  const failed = failedPaymentOf(api, planning);
  if (failed === null) checkKeysAreFree(api, keyed);
  else if (failed.origin === null) checkTransactionKeyIsFree(api, keyed);
  // A run that began for another payment must begin again.
  if (consulted && consulted.planned.isNewPayment !== (failed === null)) return { kind: 'WAIT' };
  const methodId = methodIdOf(api, failed?.payment);
  const known = knownMethod(planning, methodId);
  const decision = decide(planning, usableMethod(planning, known), api.amount);
  const { payment = null, origin = null } = failed ?? {};
  const isPaid = decision.kind === 'PAY' && mayPurchase(planning, decision.method, payment);
  if (!isPaid && !api.waits) return NOTHING;
  if (decision.kind === 'WAIT') return { kind: 'WAIT' };
  if (lacksMethod(decision)) throw unusable(planning, known);
  if (decision.kind !== 'PAY') return NOTHING;
  if (!isPaid) throw notAllowed(TransactionType.PURCHASE, payment);
  return { kind: 'CHARGE', ended: [], charge: chargeOf(planning, { ...decision, payment, origin }) };
}

/**
 * Returns the method of the payment's first transaction, which all its transactions use (§1.3). Null means the
 * account's default method.
 */
function methodIdOf({ methodId }: ApiPayment, repeated: Payment | undefined) {
  const fixed = repeated?.paymentMethodId;
  if (fixed === undefined) return methodId;
  if (methodId === null || methodId === fixed) return fixed;
  throw badParameter('paymentMethodId', `must be ${fixed}, the payment method that the payment started with`);
}

function planFirst(
  planning: Planning,
  asked: { readonly ended: readonly New<PaymentAttempt>[]; readonly requestedAmount: Decimal | null },
): ReservationPlan {
  const { ended, requestedAmount } = asked;
  // A run that started for an existing payment does not create another payment.
  if (planning.consulted?.planned.isNewPayment === false) return { kind: 'WAIT' };
  const method = usableMethod(planning, knownMethod(planning, null));
  const decision = decide(planning, method, requestedAmount);
  if (decision.kind === 'WAIT') return { kind: 'WAIT' };
  if (decision.kind === 'HOLD') {
    const { amount } = decision;
    const attempt = unpaidAttempt(planning, amount);
    const hold = newHold(planning, planning, { attempt, amount });
    return { kind: 'STOP', ended: [...ended, attempt], events: [], newHold: hold };
  }
  if (decision.kind === 'PAY' && mayPurchase(planning, decision.method, null)) {
    const paid = { ...decision, payment: null, origin: null };
    return { kind: 'CHARGE', ended, charge: chargeOf(planning, paid) };
  }
  if (decision.kind === 'ABORT' && !lacksMethod(decision)) return { kind: 'STOP', ended, events: [] };
  // Nothing can be charged. The failure is reported, and the invoice stays unchanged.
  const attempt = unpaidAttempt(planning, planning.invoice.rawBalance);
  return { kind: 'STOP', ended: [...ended, attempt], events: [failureEvent(planning, attempt)] };
}

function chargeOf(planning: Planning, paid: Parameters<typeof plannedCharge>[2]) {
  return plannedCharge(planning, planning, paid);
}

/**
 * Returns the method selected by control plugins, otherwise the requested method, otherwise the account's default
 * method.
 */
function knownMethod({ consulted, account, methods }: ReservationFacts, asked: Uuid | null) {
  const methodId = consulted?.paymentMethodId ?? asked ?? account.paymentMethodId;
  const stored = methodId === null ? undefined : methods.get(methodId);
  return stored?.accountId === account.id ? stored : undefined;
}

/**
 * Returns the method if it is active and its gateway is registered. Without a gateway, a transaction cannot be created
 * (§2.2).
 */
function usableMethod({ gateways }: PlanTools, method: PaymentMethod | undefined) {
  return method?.isActive && gateways.has(method.pluginName) ? method : null;
}

function unusable({ account, gateways }: Planning, method: PaymentMethod | undefined) {
  if (method === undefined) return noDefaultMethod(account.id);
  return method.isActive ? noSuchPlugin(method.pluginName, gateways) : noSuchMethod(method.id);
}

function lacksMethod(decision: InvoicePaymentDecision) {
  return decision.kind === 'ABORT' && decision.reason === 'NO_PAYMENT_METHOD';
}

/** Returns true if a purchase with the method can start, either on this payment or on a new one (§3.1). */
function mayPurchase(
  { transactions, stateMachines }: Planning,
  { pluginName }: Pick<PaymentMethod, 'pluginName'>,
  payment: Payment | null,
) {
  return mayStart(TransactionType.PURCHASE, payment?.lastSuccessStateName ?? null, {
    transactions: transactions.filter(({ paymentId }) => paymentId === payment?.id),
    table: stateMachines.get(pluginName),
  });
}

function unpaidAttempt(planning: Planning, amount: Decimal) {
  const key = planning.ids.next();
  return abortedAttempt(planning, { paymentKey: key, transactionKey: key, paymentMethodId: null, amount });
}

function abortedAttempt(
  planning: Planning,
  run: Omit<Parameters<typeof newAttempt>[2], 'transactionId' | 'stateName'>,
) {
  return newAttempt(planning, planning, { ...run, transactionId: null, stateName: AttemptState.ABORTED });
}

/** Repeats an attempt on the same payment with the same key (§8.3). */
function planRetry(job: InvoiceRetryJob, planning: Planning): ReservationPlan {
  const payment = planning.payments.find(({ id }) => id === job.paymentId);
  const runs = planning.attempts.filter(
    (attempt) =>
      attempt.paymentExternalKey === payment?.externalKey &&
      attempt.transactionType === 'PURCHASE' &&
      !hasOnlyBegun(attempt, planning.transactions),
  );
  const origin = runs.find(({ id }) => id === job.attemptId);
  assertInvariant(payment && origin, 'A retry must name a stored payment and attempt', { ...job });
  // The job was delivered twice or is outdated, because the attempt has been repeated or resolved since.
  if (runs.at(-1) !== origin || origin.stateName !== 'RETRIED') return NOTHING;
  // This attempt is returned if the retry ends before its payment is tried again.
  const held = abortedAttempt(planning, {
    paymentKey: payment.externalKey,
    transactionKey: origin.transactionExternalKey,
    paymentMethodId: payment.paymentMethodId,
    amount: origin.amount,
  });
  const plan = planRun({ payment, origin, held, ended: [held], requestedAmount: origin.amount }, planning);
  const isHeld = plan.kind === 'STOP' && plan.newHold !== undefined;
  return plan.kind === 'WAIT' || isHeld ? plan : { ...plan, spent: spentAttempt(origin) };
}

interface DueRetry extends Omit<HeldRetry, 'held'> {
  /** The attempt that is recorded if the retry is not made. */
  readonly held: New<PaymentAttempt>;
  /** The held attempt if it still has to be stored. */
  readonly ended: readonly New<PaymentAttempt>[];
  readonly requestedAmount: Decimal | null;
}

/** Plans a retry that is due (§8.3). */
function planRun(
  { payment, origin, held, ended, requestedAmount }: DueRetry,
  planning: Planning,
): ReservationPlan {
  const stored = planning.methods.get(payment.paymentMethodId);
  if (stored?.isActive !== true) return planFirst(planning, { ended, requestedAmount: null });
  // A run that began for another payment must begin again.
  if (planning.consulted?.planned.isNewPayment === true) return { kind: 'WAIT' };
  const decision = decide(planning, usableMethod(planning, stored), requestedAmount);
  if (decision.kind === 'WAIT') return { kind: 'WAIT' };
  if (decision.kind === 'HOLD') {
    // The held attempt of another payment already covers the whole amount that is due on the invoice.
    if (planning.hold !== null) return { kind: 'STOP', ended, events: [] };
    const hold = newHold(planning, planning, { attempt: held, amount: decision.amount });
    return { kind: 'STOP', ended, events: [], newHold: hold };
  }
  if (decision.kind === 'PAY' && mayPurchase(planning, decision.method, payment))
    return { kind: 'CHARGE', ended: [], charge: chargeOf(planning, { ...decision, payment, origin }) };
  return { kind: 'STOP', ended, events: lacksMethod(decision) ? [failureEvent(planning, held)] : [] };
}

function decide(
  planning: Planning,
  method: PaymentMethod | null,
  requestedAmount: Decimal | null,
): InvoicePaymentDecision | { readonly kind: 'WAIT' } {
  const { consulted, invoice, api } = planning;
  const isForeign = consulted !== undefined && consulted.currency !== invoice.currency;
  const decision = checkInvoicePayment({
    ...planning,
    isApiPayment: api !== undefined,
    refusesExcess: api?.waits === true,
    method,
    requestedAmount: isForeign ? requestedAmount : (consulted?.amount ?? requestedAmount),
  });
  if (!isForeign || decision.kind !== 'PAY') return decision;
  // A payment in another currency settles the amount that the plugins approved (§9.4).
  // The approved amount cannot be reduced, so the plugins are called again if less is due.
  const settled = consulted.planned.settles ?? decision.amount;
  return decision.amount.lessThan(settled) ? { kind: 'WAIT' } : { ...decision, amount: settled };
}

function failureEvent({ account, invoice, now }: Planning, attempt: New<PaymentAttempt>) {
  const { id: invoiceId, currency } = invoice;
  return noPaymentEvent({ accountId: account.id, invoiceId, currency, now, attempt });
}
