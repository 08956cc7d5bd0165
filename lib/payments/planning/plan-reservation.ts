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
import { hasOnlyBegun, spentAttempt } from '../state/ended-attempt.ts';
import { badParameter, noSuchMethod, noSuchPlugin } from '../state/payment-errors.ts';
import { noPaymentEvent } from '../state/payment-events.ts';
import type { InvoiceRetryJob } from '../state/payment-notifications.ts';
import { mayStart, notAllowed } from '../state/payment-state.ts';
import {
  checkKeysAreFree,
  checkKeysAreOwn,
  checkTransactionKeyIsFree,
  type FailedPayment,
  failedPaymentOf,
  noDefaultMethod,
  type OpenPayment,
  openPaymentOf,
} from './api-payment.ts';
import {
  firstCharge,
  furtherCharge,
  newAttempt,
  newHold,
  type PlannedCharge,
  retryCharge,
} from './charge-records.ts';
import {
  AbortReason,
  checkAskedAmount,
  checkInvoicePayment,
  type InvoicePaymentDecision,
} from './invoice-payment-check.ts';
import {
  type ApiPayment,
  type ControlledCharge,
  type HeldRetry,
  heldRetryOf,
  type PlanTools,
  type ReservationFacts,
} from './reservation-facts.ts';

/** A payment that is requested: for an invoice the first time, for an attempt that is repeated, or after its hold. */
export interface PaymentRequest {
  readonly accountRecordId: number;
  readonly invoiceId: Uuid;
  readonly retry: InvoiceRetryJob | null;
  /** The hold whose payment has to be made now (§9.3). */
  readonly holdId?: Uuid;
  /** An API payment (§9.2); absent = an automatic one. */
  readonly api?: ApiPayment;
  /** What control plugins have let pass; absent = none was asked. */
  readonly controlled?: ControlledCharge;
}

export type ReservationPlan =
  /** A call for the invoice is running: ask again later. */
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

const NOTHING: Extract<ReservationPlan, { kind: 'STOP' }> = { kind: 'STOP', ended: [], events: [] };

/** Decides what becomes of a request (§8.3, §9.2); writes nothing. */
export function planReservation(
  request: PaymentRequest,
  facts: ReservationFacts,
  tools: PlanTools,
): ReservationPlan {
  if (request.retry !== null) return planRetry(request.retry, facts, tools);
  if (request.holdId !== undefined) return planRelease(request.holdId, facts, tools);
  if (request.api !== undefined) return planApiPayment(request.api, facts, tools);
  // At-least-once delivery: an invoice that was tried automatically is not tried by its creation event again.
  if (facts.attempts.some((attempt) => !attempt.isApiPayment)) return NOTHING;
  return planFirst(facts, tools, { ended: [], requestedAmount: null });
}

/**
 * §9.3: the payment of a hold, at most of the amount that was held; it may already have been made, or be held back again.
 * A retry that was held back goes on as the payment that it repeats, unless that has succeeded since.
 */
function planRelease(holdId: Uuid, facts: ReservationFacts, tools: PlanTools): ReservationPlan {
  const { hold } = facts;
  if (hold?.id !== holdId || facts.isHeldBack) return NOTHING;
  const retry = heldRetryOf(hold, facts);
  const requestedAmount = hold.amount;
  const plan =
    retry !== null && mayGoOn(retry.payment, facts, tools)
      ? planRun({ ...retry, ended: [], requestedAmount }, facts, tools)
      : planFirst(facts, tools, { ended: [], requestedAmount });
  if (plan.kind === 'WAIT' || isForLater(plan, hold, facts)) return plan;
  return { ...plan, endedHold: hold, ...(retry && { spent: spentAttempt(retry.origin) }) };
}

/** Whether one more purchase may start on the payment, or on another one where its method is gone (§8.3). */
function mayGoOn(payment: Payment, facts: ReservationFacts, tools: PlanTools): boolean {
  const method = facts.methods.get(payment.paymentMethodId);
  return method !== undefined && mayPurchase(method, { payment, facts, tools });
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
function planApiPayment(api: ApiPayment, facts: ReservationFacts, tools: PlanTools): ReservationPlan {
  const { controlled, invoice } = facts;
  checkAskedAmount(api.amount, { invoice, allowEmptyInvoice: tools.allowEmptyInvoice });
  checkKeysAreOwn(api, facts);
  const open = openPaymentOf(api, facts);
  if (open !== null) {
    methodIdOf(api, open.payment);
    return { ...NOTHING, open };
  }
  const failed = failedPaymentOf(api, facts);
  if (failed === null) checkKeysAreFree(api, facts.keyed);
  else if (failed.origin === null) checkTransactionKeyIsFree(api, facts.keyed);
  // What was begun for another payment than this is begun anew.
  if (controlled && controlled.planned.isNewPayment !== (failed === null)) return { kind: 'WAIT' };
  const methodId = methodIdOf(api, failed?.payment);
  const method = methodOf(facts, methodId, tools);
  const decision = decide(facts, tools, { method, requestedAmount: api.amount });
  if (decision.kind === 'WAIT') return api.waits ? { kind: 'WAIT' } : NOTHING;
  if (decision.kind !== 'PAY') {
    const lacksMethod = decision.kind === 'ABORT' && decision.reason === AbortReason.NO_PAYMENT_METHOD;
    if (lacksMethod && api.waits) throw unusable(knownMethod(facts, methodId), facts.account.id, tools);
    return NOTHING;
  }
  const payment = failed?.payment ?? null;
  if (!mayPurchase(decision.method, { payment, facts, tools })) return refused(api, payment);
  return { kind: 'CHARGE', ended: [], charge: chargeOf(failed, { ...decision, facts, tools }) };
}

/** Of a new payment, of one that is repeated under its key, or of one that is tried again under another key. */
function chargeOf(
  failed: FailedPayment | null,
  {
    facts,
    tools,
    ...paid
  }: {
    readonly facts: ReservationFacts;
    readonly tools: PlanTools;
    readonly amount: Decimal;
    readonly method: PaymentMethod;
  },
): PlannedCharge {
  if (failed === null) return firstCharge(facts, tools, paid);
  const { payment, origin } = failed;
  if (origin === null) return furtherCharge(facts, tools, { ...paid, payment });
  return retryCharge(facts, tools, { ...paid, payment, origin });
}

/** The method of a payment is fixed by its first transaction (§1.3); null = the account's default. */
function methodIdOf({ methodId }: ApiPayment, repeated: Payment | undefined): Uuid | null {
  const fixed = repeated?.paymentMethodId;
  if (fixed === undefined) return methodId;
  if (methodId === null || methodId === fixed) return fixed;
  throw badParameter('paymentMethodId', `must be ${fixed}, with which the payment was begun`);
}

/** The state machine of the tenant lets no purchase start (§3.1). */
function refused({ waits }: ApiPayment, payment: Payment | null): ReservationPlan {
  if (waits) throw notAllowed(TransactionType.PURCHASE, payment);
  return NOTHING;
}

/** A new payment with the named method, else with the account's default. */
function planFirst(
  facts: ReservationFacts,
  tools: PlanTools,
  asked: { readonly ended: readonly New<PaymentAttempt>[]; readonly requestedAmount: Decimal | null },
): ReservationPlan {
  const { ended, requestedAmount } = asked;
  const { controlled } = facts;
  // What was begun for a payment that there is does not begin another one.
  if (controlled?.planned.isNewPayment === false) return { kind: 'WAIT' };
  const method = methodOf(facts, null, tools);
  const decision = decide(facts, tools, { method, requestedAmount });
  if (decision.kind === 'WAIT') return { kind: 'WAIT' };
  if (decision.kind === 'PAY') {
    if (mayPurchase(decision.method, { payment: null, facts, tools }))
      return { kind: 'CHARGE', ended, charge: firstCharge(facts, tools, decision) };
    return unpaid(facts, tools, ended);
  }
  if (decision.kind === 'HOLD') {
    const held = unpaidAttempt(facts, tools, decision.amount);
    return {
      kind: 'STOP',
      ended: [...ended, held],
      events: [],
      newHold: newHold(facts, tools, { attempt: held, amount: decision.amount }),
    };
  }
  if (decision.reason !== AbortReason.NO_PAYMENT_METHOD) return { kind: 'STOP', ended, events: [] };
  return unpaid(facts, tools, ended);
}

function methodOf(facts: ReservationFacts, asked: Uuid | null, tools: PlanTools): PaymentMethod | null {
  return usableMethod(knownMethod(facts, asked), tools);
}

/** The method that control plugins have chosen, else the one that is asked for, else the account's default. */
function knownMethod(
  { controlled, account, methods }: ReservationFacts,
  asked: Uuid | null,
): PaymentMethod | undefined {
  const methodId = controlled?.paymentMethodId ?? asked ?? account.paymentMethodId;
  const stored = methodId === null ? undefined : methods.get(methodId);
  return stored?.accountId === account.id ? stored : undefined;
}

/** Why nothing can be charged by this method, or without any. */
function unusable(method: PaymentMethod | undefined, accountId: Uuid, { gateways }: PlanTools): BillingError {
  if (method === undefined) return noDefaultMethod(accountId);
  return method.isActive ? noSuchPlugin(method.pluginName, gateways) : noSuchMethod(method.id);
}

/** Nothing can be charged, and that is told: the invoice stays as it is. */
function unpaid(
  facts: ReservationFacts,
  tools: PlanTools,
  ended: readonly New<PaymentAttempt>[],
): Extract<ReservationPlan, { kind: 'STOP' }> {
  const attempt = unpaidAttempt(facts, tools, facts.invoice.rawBalance);
  return { kind: 'STOP', ended: [...ended, attempt], events: [failureEvent(facts, tools, attempt)] };
}

/** Whether a purchase with the method may start, on this payment or a new one (§3.1). */
function mayPurchase(
  { pluginName }: Pick<PaymentMethod, 'pluginName'>,
  on: { readonly payment: Payment | null; readonly facts: ReservationFacts; readonly tools: PlanTools },
): boolean {
  const { payment, facts, tools } = on;
  const transactions = facts.transactions.filter(({ paymentId }) => paymentId === payment?.id);
  const table = tools.stateMachines.get(pluginName);
  return mayStart(TransactionType.PURCHASE, payment?.lastSuccessStateName ?? null, { transactions, table });
}

/** An attempt that ended before a payment was made. */
function unpaidAttempt(facts: ReservationFacts, tools: PlanTools, amount: Decimal): New<PaymentAttempt> {
  const key = tools.ids.next();
  return newAttempt(facts, tools, {
    paymentKey: key,
    transactionKey: key,
    transactionId: null,
    paymentMethodId: null,
    amount,
    stateName: AttemptState.ABORTED,
  });
}

/** §8.3: repeats an attempt, on the same payment with the same key. */
function planRetry(job: InvoiceRetryJob, facts: ReservationFacts, tools: PlanTools): ReservationPlan {
  const payment = facts.payments.find(({ id }) => id === job.paymentId);
  const runs = facts.attempts.filter(
    (attempt) =>
      attempt.paymentExternalKey === payment?.externalKey &&
      attempt.transactionType === TransactionType.PURCHASE &&
      !hasOnlyBegun(attempt, facts.transactions),
  );
  const origin = runs.find(({ id }) => id === job.attemptId);
  assertInvariant(payment && origin, 'A retry must name a stored payment and attempt', { ...job });
  // Delivered twice, or overtaken: the attempt was repeated or decided since.
  if (runs.at(-1) !== origin || origin.stateName !== AttemptState.RETRIED) return NOTHING;
  const held = abortedRetry({ payment, origin }, facts, tools);
  const plan = planRun(
    { payment, origin, held, ended: [held], requestedAmount: origin.amount },
    facts,
    tools,
  );
  const isHeld = plan.kind === 'STOP' && plan.newHold !== undefined;
  return plan.kind === 'WAIT' || isHeld ? plan : { ...plan, spent: spentAttempt(origin) };
}

/** A retry that ends before its payment is tried again. */
function abortedRetry(
  { payment, origin }: Pick<HeldRetry, 'payment' | 'origin'>,
  facts: ReservationFacts,
  tools: PlanTools,
): New<PaymentAttempt> {
  return newAttempt(facts, tools, {
    paymentKey: payment.externalKey,
    transactionKey: origin.transactionExternalKey,
    transactionId: null,
    paymentMethodId: payment.paymentMethodId,
    amount: origin.amount,
    stateName: AttemptState.ABORTED,
  });
}

/** A retry that is to be made now. */
interface DueRetry {
  readonly payment: Payment;
  /** The run that it repeats. */
  readonly origin: PaymentAttempt;
  /** The run that stands for it if it is not made. */
  readonly held: New<PaymentAttempt>;
  /** That run, where it is still to be stored. */
  readonly ended: readonly New<PaymentAttempt>[];
  readonly requestedAmount: Decimal | null;
}

/** A retry that is to be made now (§8.3). */
function planRun(
  { payment, origin, held, ended, requestedAmount }: DueRetry,
  facts: ReservationFacts,
  tools: PlanTools,
): ReservationPlan {
  const stored = facts.methods.get(payment.paymentMethodId);
  if (stored?.isActive !== true) return planFirst(facts, tools, { ended, requestedAmount: null });
  // What was begun for another payment than this is begun again.
  if (facts.controlled?.planned.isNewPayment === true) return { kind: 'WAIT' };
  const method = usableMethod(stored, tools);
  const decision = decide(facts, tools, { method, requestedAmount });
  if (decision.kind === 'WAIT') return { kind: 'WAIT' };
  if (decision.kind === 'HOLD') {
    // The hold of another payment of the invoice stands for all that is due.
    if (facts.hold !== null) return { kind: 'STOP', ended, events: [] };
    const hold = newHold(facts, tools, { attempt: held, amount: decision.amount });
    return { kind: 'STOP', ended, events: [], newHold: hold };
  }
  if (decision.kind === 'PAY' && mayPurchase(decision.method, { payment, facts, tools })) {
    const { amount, method } = decision;
    const charge = retryCharge(facts, tools, { payment, origin, amount, method });
    return { kind: 'CHARGE', ended: [], charge };
  }
  const noMethod = decision.kind === 'ABORT' && decision.reason === AbortReason.NO_PAYMENT_METHOD;
  return { kind: 'STOP', ended, events: noMethod ? [failureEvent(facts, tools, held)] : [] };
}

function decide(
  facts: ReservationFacts,
  tools: PlanTools,
  {
    method,
    requestedAmount,
  }: { readonly method: PaymentMethod | null; readonly requestedAmount: Decimal | null },
): InvoicePaymentDecision | { readonly kind: 'WAIT' } {
  const { controlled, invoice } = facts;
  const isForeign = controlled !== undefined && controlled.currency !== invoice.currency;
  const decision = checkInvoicePayment({
    account: facts.account,
    invoice,
    rows: facts.rows,
    transactions: facts.transactions,
    isApiPayment: facts.api !== undefined,
    refusesExcess: facts.api?.waits === true,
    isHeldBack: facts.isHeldBack,
    allowEmptyInvoice: tools.allowEmptyInvoice,
    now: tools.now,
    method,
    requestedAmount: isForeign ? requestedAmount : (controlled?.amount ?? requestedAmount),
  });
  return isForeign && decision.kind === 'PAY' ? converted(decision, controlled.planned) : decision;
}

/**
 * An amount in another currency settles what its plugins were asked about (§9.4); where that is no longer due they are
 * asked anew, for it cannot be cut.
 */
function converted(
  decision: Extract<InvoicePaymentDecision, { kind: 'PAY' }>,
  { amount }: ControlledCharge['planned'],
): InvoicePaymentDecision | { readonly kind: 'WAIT' } {
  return decision.amount.lessThan(amount) ? { kind: 'WAIT' } : { ...decision, amount };
}

/** A method can be charged if it is active and its gateway is registered (otherwise there is no transaction, §2.2). */
function usableMethod(method: PaymentMethod | undefined, tools: PlanTools): PaymentMethod | null {
  return method?.isActive && tools.gateways.has(method.pluginName) ? method : null;
}

function failureEvent(facts: ReservationFacts, tools: PlanTools, attempt: New<PaymentAttempt>): NewBusEvent {
  const { id: invoiceId, currency } = facts.invoice;
  return noPaymentEvent({ accountId: facts.account.id, invoiceId, currency, now: tools.now, attempt });
}
