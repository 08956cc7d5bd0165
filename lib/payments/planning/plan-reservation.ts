import {
  AttemptState,
  type AutoPayHold,
  isUnresolved,
  type New,
  type NewBusEvent,
  type Payment,
  type PaymentAttempt,
  type PaymentMethod,
  TransactionStatus,
  TransactionType,
} from '../../records/index.ts';
import { assertInvariant, type BillingError } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import { hasOnlyBegun, spentAttempt } from '../state/outcome-consequences.ts';
import { badParameter, noSuchMethod, noSuchPlugin } from '../state/payment-errors.ts';
import { type InvoiceRetryJob, noPaymentEvent } from '../state/payment-notifications.ts';
import { mayStart, notAllowed } from '../state/payment-state.ts';
import { newAttempt, newHold, type PlannedCharge, plannedCharge } from './call-records.ts';
import {
  checkAskedAmount,
  checkInvoicePayment,
  checkKeysAreFree,
  checkKeysAreOwn,
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

/** A payment that is requested: for an invoice the first time, for an attempt that is repeated, or after its hold. */
export interface PaymentRequest {
  readonly accountRecordId: number;
  readonly invoiceId: Uuid;
  readonly retry: InvoiceRetryJob | null;
  /** The hold whose payment has to be made now (§9.3). */
  readonly holdId?: Uuid;
  readonly api?: ApiPayment;
  /** The run that control plugins have let pass; absent = none was asked. */
  readonly consulted?: ConsultedRun;
}

export type ReservationPlan =
  | { readonly kind: 'WAIT' }
  /** Done without a call: attempts that ended, and the bus event that tells of a failure. */
  | {
      readonly kind: 'STOP';
      readonly ended: readonly New<PaymentAttempt>[];
      readonly events: readonly NewBusEvent[];
      /** The hold, if the account's tags hold the payment back. */
      readonly newHold?: New<AutoPayHold>;
      /** The payment that is meant, where it comes again under the key of one whose outcome is open (§4.2). */
      readonly open?: OpenPayment;
      readonly endedHold?: AutoPayHold;
      /** The attempt whose retry this is, where something of it is to be forgotten now. */
      readonly spent?: readonly PaymentAttempt[];
    }
  | {
      readonly kind: 'CHARGE';
      readonly ended: readonly New<PaymentAttempt>[];
      readonly charge: PlannedCharge;
      readonly endedHold?: AutoPayHold;
      readonly spent?: readonly PaymentAttempt[];
    };

type StopPlan = Extract<ReservationPlan, { kind: 'STOP' }>;
const NOTHING: StopPlan = { kind: 'STOP', ended: [], events: [] };

type Planning = ReservationFacts & PlanTools;

/** Decides what becomes of a request (§8.3, §9.2); writes nothing. */
export function planReservation(
  request: PaymentRequest,
  facts: ReservationFacts,
  tools: PlanTools,
): ReservationPlan {
  const planning = { ...facts, ...tools };
  if (request.retry !== null) return planRetry(request.retry, planning);
  if (request.holdId !== undefined) return planRelease(request.holdId, planning);
  if (request.api !== undefined) return planApiPayment(request.api, planning);
  // At-least-once delivery: an invoice that was tried automatically is not tried by its creation event again.
  if (facts.attempts.some((attempt) => !attempt.isApiPayment)) return NOTHING;
  return planFirst(planning, { ended: [], requestedAmount: null });
}

/**
 * §9.3: the payment of a hold, at most of the amount that was held; it may already have been made, or be held back again.
 * A retry that was held back goes on as the payment that it repeats, unless that has succeeded since.
 */
function planRelease(holdId: Uuid, planning: Planning): ReservationPlan {
  const { hold, isHeldBack, methods } = planning;
  if (hold?.id !== holdId || isHeldBack) return NOTHING;
  const retry = heldRetryOf(hold, planning);
  const requestedAmount = hold.amount;
  // One more purchase may start on the payment, or on another one if its method is gone (§8.3).
  const method = retry === null ? undefined : methods.get(retry.payment.paymentMethodId);
  const plan =
    retry !== null && method !== undefined && mayPurchase(planning, method, retry.payment)
      ? planRun({ ...retry, ended: [], requestedAmount }, planning)
      : planFirst(planning, { ended: [], requestedAmount });
  if (plan.kind === 'WAIT' || isForLater(plan, hold, planning)) return plan;
  return { ...plan, endedHold: hold, ...(retry && { spent: spentAttempt(retry.origin) }) };
}

/**
 * While the outcome of another payment of the invoice is open, what cannot be paid beside it waits for that: the hold is
 * released again when it is known.
 */
function isForLater(
  plan: Exclude<ReservationPlan, { kind: 'WAIT' }>,
  hold: AutoPayHold,
  { transactions }: ReservationFacts,
): boolean {
  const isOpen = transactions.some(
    (each) =>
      isUnresolved(each) &&
      (each.status === TransactionStatus.UNKNOWN || each.transactionType === TransactionType.PURCHASE),
  );
  return isOpen && (plan.kind === 'STOP' || plan.charge.transaction.amount.lessThan(hold.amount));
}

/** §9.6: what an API payment cannot pay now it passes over, or waits for; nothing is remembered of it. */
function planApiPayment(api: ApiPayment, planning: Planning): ReservationPlan {
  const { consulted, keyed } = planning;
  checkAskedAmount(api.amount, planning);
  checkKeysAreOwn(api, planning);
  const open = openPaymentOf(api, planning);
  if (open !== null) {
    methodIdOf(api, open.payment);
    return { ...NOTHING, open };
  }
  const failed = failedPaymentOf(api, planning);
  if (failed === null) checkKeysAreFree(api, keyed);
  else if (failed.origin === null) checkTransactionKeyIsFree(api, keyed);
  // A run that was begun for another payment is begun again.
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

/** The method of a payment is fixed by its first transaction (§1.3); null = the account's default. */
function methodIdOf({ methodId }: ApiPayment, repeated: Payment | undefined): Uuid | null {
  const fixed = repeated?.paymentMethodId;
  if (fixed === undefined) return methodId;
  if (methodId === null || methodId === fixed) return fixed;
  throw badParameter('paymentMethodId', `must be ${fixed}, with which the payment was begun`);
}

function planFirst(
  planning: Planning,
  {
    ended,
    requestedAmount,
  }: { readonly ended: readonly New<PaymentAttempt>[]; readonly requestedAmount: Decimal | null },
): ReservationPlan {
  // What was begun for a payment that there is does not begin another one.
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
  if (decision.kind === 'PAY' && mayPurchase(planning, decision.method, null))
    return {
      kind: 'CHARGE',
      ended,
      charge: chargeOf(planning, { ...decision, payment: null, origin: null }),
    };
  if (decision.kind === 'ABORT' && !lacksMethod(decision)) return { kind: 'STOP', ended, events: [] };
  // Nothing can be charged, and that is reported: the invoice stays as it is.
  const attempt = unpaidAttempt(planning, planning.invoice.rawBalance);
  return { kind: 'STOP', ended: [...ended, attempt], events: [failureEvent(planning, attempt)] };
}

function chargeOf(planning: Planning, paid: Parameters<typeof plannedCharge>[2]): PlannedCharge {
  return plannedCharge(planning, planning, paid);
}

/** The method that control plugins have chosen, else the one that is asked for, else the account's default. */
function knownMethod(
  { consulted, account, methods }: ReservationFacts,
  asked: Uuid | null,
): PaymentMethod | undefined {
  const methodId = consulted?.paymentMethodId ?? asked ?? account.paymentMethodId;
  const stored = methodId === null ? undefined : methods.get(methodId);
  return stored?.accountId === account.id ? stored : undefined;
}

/** A method can be charged if it is active and its gateway is registered (otherwise there is no transaction, §2.2). */
function usableMethod({ gateways }: PlanTools, method: PaymentMethod | undefined): PaymentMethod | null {
  return method?.isActive && gateways.has(method.pluginName) ? method : null;
}

function unusable({ account, gateways }: Planning, method: PaymentMethod | undefined): BillingError {
  if (method === undefined) return noDefaultMethod(account.id);
  return method.isActive ? noSuchPlugin(method.pluginName, gateways) : noSuchMethod(method.id);
}

function lacksMethod(decision: InvoicePaymentDecision): boolean {
  return decision.kind === 'ABORT' && decision.reason === 'NO_PAYMENT_METHOD';
}

/** Whether a purchase with the method may start, on this payment or a new one (§3.1). */
function mayPurchase(
  { transactions, stateMachines }: Planning,
  { pluginName }: Pick<PaymentMethod, 'pluginName'>,
  payment: Payment | null,
): boolean {
  return mayStart(TransactionType.PURCHASE, payment?.lastSuccessStateName ?? null, {
    transactions: transactions.filter(({ paymentId }) => paymentId === payment?.id),
    table: stateMachines.get(pluginName),
  });
}

function unpaidAttempt(planning: Planning, amount: Decimal): New<PaymentAttempt> {
  const key = planning.ids.next();
  return abortedAttempt(planning, { paymentKey: key, transactionKey: key, paymentMethodId: null, amount });
}

function abortedAttempt(
  planning: Planning,
  run: Omit<Parameters<typeof newAttempt>[2], 'transactionId' | 'stateName'>,
): New<PaymentAttempt> {
  return newAttempt(planning, planning, { ...run, transactionId: null, stateName: AttemptState.ABORTED });
}

/** §8.3: repeats an attempt, on the same payment with the same key. */
function planRetry(job: InvoiceRetryJob, planning: Planning): ReservationPlan {
  const payment = planning.payments.find(({ id }) => id === job.paymentId);
  const runs = planning.attempts.filter(
    (attempt) =>
      attempt.paymentExternalKey === payment?.externalKey &&
      attempt.transactionType === TransactionType.PURCHASE &&
      !hasOnlyBegun(attempt, planning.transactions),
  );
  const origin = runs.find(({ id }) => id === job.attemptId);
  assertInvariant(payment && origin, 'A retry must name a stored payment and attempt', { ...job });
  // Delivered twice, or overtaken: the attempt was repeated or decided since.
  if (runs.at(-1) !== origin || origin.stateName !== AttemptState.RETRIED) return NOTHING;
  // The run that stands for the retry if it ends before its payment is tried again.
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
  /** The run that stands for it if it is not made. */
  readonly held: New<PaymentAttempt>;
  /** That run, where it is still to be stored. */
  readonly ended: readonly New<PaymentAttempt>[];
  readonly requestedAmount: Decimal | null;
}

/** A retry that is to be made now (§8.3). */
function planRun(
  { payment, origin, held, ended, requestedAmount }: DueRetry,
  planning: Planning,
): ReservationPlan {
  const stored = planning.methods.get(payment.paymentMethodId);
  if (stored?.isActive !== true) return planFirst(planning, { ended, requestedAmount: null });
  // A run that was begun for another payment is begun again.
  if (planning.consulted?.planned.isNewPayment === true) return { kind: 'WAIT' };
  const decision = decide(planning, usableMethod(planning, stored), requestedAmount);
  if (decision.kind === 'WAIT') return { kind: 'WAIT' };
  if (decision.kind === 'HOLD') {
    // The hold of another payment of the invoice stands for all that is due.
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
  // An amount in another currency settles what its plugins were asked about (§9.4). It cannot be cut: if that is no longer
  // due, they are asked again.
  const settled = consulted.planned.settles ?? decision.amount;
  return decision.amount.lessThan(settled) ? { kind: 'WAIT' } : { ...decision, amount: settled };
}

function failureEvent({ account, invoice, now }: Planning, attempt: New<PaymentAttempt>): NewBusEvent {
  const { id: invoiceId, currency } = invoice;
  return noPaymentEvent({ accountId: account.id, invoiceId, currency, now, attempt });
}
