import type { IdGenerator } from '../../ports/index.ts';
import {
  AttemptState,
  type AutoPayHold,
  INVOICE_PAYMENT_CONTROL_PLUGIN,
  type InvoicePayment,
  InvoicePaymentStatus,
  InvoicePaymentType,
  type New,
  type Payment,
  type PaymentAttempt,
  type PaymentMethod,
  type PaymentTransaction,
  type PluginProperty,
  TransactionStatus,
  TransactionType,
} from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Currency, Decimal } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { typeOf } from '../state/payment-state.ts';
import type { OperationFacts, OperationRequest } from './operation-facts.ts';
import type { OperationPlan } from './operation-plan.ts';
import type { PlanTools, ReservationFacts } from './reservation-facts.ts';
import type { ReservedCall } from './reserved-call.ts';

/** The records of one call to a gateway, before the call. */
export interface PlannedCharge extends ReservedCall {
  /** Null when a payment is tried again. */
  readonly newPayment: Omit<New<Payment>, 'paymentNumber'> | null;
  readonly transaction: New<PaymentTransaction> & {
    readonly amount: Decimal;
    readonly currency: Currency;
    readonly leaseUntil: Instant;
  };
  readonly attempt: New<PaymentAttempt>;
  readonly newRow: New<InvoicePayment> | null;
  readonly changedRow: InvoicePayment | null;
}

/** A new payment with its first transaction. */
export function firstCharge(
  facts: ReservationFacts,
  tools: PlanTools,
  { amount, method }: { readonly amount: Decimal; readonly method: PaymentMethod },
): PlannedCharge {
  const { account } = facts;
  const planned = facts.controlled?.planned;
  const paymentId = planned?.paymentId ?? tools.ids.next();
  const transactionId = planned?.transactionId ?? tools.ids.next();
  const paymentKey = facts.api?.paymentKey ?? paymentId;
  const transactionKey = facts.api?.transactionKey ?? transactionId;
  const newPayment = {
    id: paymentId,
    accountId: account.id,
    accountRecordId: account.recordId,
    externalKey: paymentKey,
    paymentMethodId: method.id,
    stateName: null,
    lastSuccessStateName: null,
    createdDate: tools.now,
  };
  const records = chargeRecords(facts, tools, {
    paymentId,
    paymentKey,
    transactionId,
    transactionKey,
    amount,
    method,
  });
  const newRow = attemptRow(facts, tools, { ...records.transaction, amount });
  return { ...records, newPayment, newRow, changedRow: null };
}

/** One more transaction of a payment that has failed, under a key of its own (§4.2 rule 2). */
export function furtherCharge(
  facts: ReservationFacts,
  tools: PlanTools,
  { payment, ...run }: { payment: Payment; amount: Decimal; method: PaymentMethod },
): PlannedCharge {
  const transactionId = facts.controlled?.planned.transactionId ?? tools.ids.next();
  const records = chargeRecords(facts, tools, {
    ...run,
    paymentId: payment.id,
    paymentKey: payment.externalKey,
    transactionId,
    transactionKey: facts.api?.transactionKey ?? transactionId,
  });
  const newRow = attemptRow(facts, tools, { ...records.transaction, amount: run.amount });
  return { ...records, newPayment: null, newRow, changedRow: null };
}

/** What an invoice knows of a charge from the beginning: the amount is to be settled, in the currency of the invoice. */
function attemptRow(
  { account, invoice }: ReservationFacts,
  { ids, now }: PlanTools,
  charge: { readonly paymentId: Uuid; readonly externalKey: string; readonly amount: Decimal },
): New<InvoicePayment> {
  return {
    id: ids.next(),
    accountRecordId: account.recordId,
    invoiceId: invoice.id,
    type: InvoicePaymentType.ATTEMPT,
    status: InvoicePaymentStatus.INIT,
    paymentId: charge.paymentId,
    paymentDate: now,
    amount: charge.amount,
    currency: invoice.currency,
    processedCurrency: invoice.currency,
    transactionExternalKey: charge.externalKey,
    linkedInvoicePaymentId: null,
    createdDate: now,
  };
}

/** One more transaction of the payment, with the key of the attempt that is repeated (§8.3). */
export function retryCharge(
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
    transactionId: facts.controlled?.planned.transactionId ?? tools.ids.next(),
    transactionKey: key,
    amount: run.amount,
    method: run.method,
    properties: run.origin.pluginProperties ?? [],
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
    /** What a repeated attempt was run with. */
    readonly properties?: readonly PluginProperty[];
  },
): Omit<PlannedCharge, 'newPayment' | 'newRow' | 'changedRow'> {
  const gateway = tools.gateways.get(run.method.pluginName);
  assertInvariant(gateway, 'A charge needs a registered gateway', { pluginName: run.method.pluginName });
  const { controlled } = facts;
  const { currency = facts.invoice.currency } = controlled ?? {};
  const amount = controlled && currency !== facts.invoice.currency ? controlled.amount : run.amount;
  const attempt =
    controlled?.attempt ??
    newAttempt(facts, tools, { ...run, paymentMethodId: run.method.id, stateName: AttemptState.INIT });
  const transaction = {
    id: run.transactionId,
    paymentId: run.paymentId,
    accountRecordId: facts.account.recordId,
    attemptId: attempt.id,
    externalKey: run.transactionKey,
    transactionType: TransactionType.PURCHASE,
    effectiveDate: tools.now,
    status: TransactionStatus.UNKNOWN,
    amount,
    currency,
    processedAmount: null,
    processedCurrency: null,
    gatewayErrorCode: null,
    gatewayErrorMsg: null,
    paymentResponse: null,
    invoiceRefund: null,
    leaseUntil: tools.leaseUntil,
    createdDate: tools.now,
  };
  const { account } = facts;
  return {
    account,
    gateway,
    paymentId: run.paymentId,
    paymentMethodId: run.method.id,
    properties: controlled?.properties ?? facts.api?.properties ?? run.properties ?? [],
    transaction,
    attempt,
    isControlled: controlled !== undefined,
  };
}

/** An attempt for this invoice's account and currency (§1.5). */
export function newAttempt(
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
    pluginProperties: null,
    isApiPayment: facts.api !== undefined,
    createdDate: tools.now,
  };
}

/** A hold of an automatic payment, as long as the account has the tags (§9.3). */
export function newHold(
  facts: ReservationFacts,
  tools: PlanTools,
  held: { readonly attempt: New<PaymentAttempt>; readonly amount: Decimal },
): New<AutoPayHold> {
  return {
    id: tools.ids.next(),
    accountId: facts.account.id,
    accountRecordId: facts.account.recordId,
    invoiceId: facts.invoice.id,
    attemptId: held.attempt.id,
    amount: held.amount,
    currency: facts.invoice.currency,
    isActive: true,
    createdDate: tools.now,
  };
}

/** The records of a new transaction, before its call. */
export interface PlannedOperation extends ReservedCall {
  /** Null when the payment is there already. */
  readonly newPayment: Omit<New<Payment>, 'paymentNumber'> | null;
  readonly transaction: New<PaymentTransaction>;
}

/** A new payment takes its ids as keys where none are given (§1.3, §1.4). */
export function newOperation(
  request: OperationRequest,
  { account, payment }: Pick<OperationFacts, 'account' | 'payment'>,
  {
    plan,
    ...tools
  }: {
    readonly plan: Extract<OperationPlan, { kind: 'NEW' }>;
    readonly made: { readonly paymentId: Uuid; readonly transactionId: Uuid } | null;
    readonly ids: IdGenerator;
    readonly now: Instant;
    readonly leaseUntil: Instant;
    readonly attemptId: Uuid | null;
  },
): PlannedOperation {
  const { ids, now } = tools;
  const { method, gateway } = plan;
  assertInvariant(method, 'What is reserved has a payment method', { paymentId: payment?.id ?? null });
  const paymentId = payment?.id ?? tools.made?.paymentId ?? ids.next();
  const id = tools.made?.transactionId ?? ids.next();
  const transaction: New<PaymentTransaction> = {
    id,
    paymentId,
    accountRecordId: account.recordId,
    attemptId: tools.attemptId,
    externalKey: request.transactionExternalKey ?? id,
    transactionType: typeOf(request.operation),
    effectiveDate: request.effectiveDate ?? now,
    status: TransactionStatus.UNKNOWN,
    amount: plan.amount,
    currency: plan.currency,
    processedAmount: null,
    processedCurrency: null,
    gatewayErrorCode: null,
    gatewayErrorMsg: null,
    paymentResponse: null,
    invoiceRefund: plan.invoiceRefund ?? null,
    leaseUntil: tools.leaseUntil,
    createdDate: now,
  };
  const newPayment = payment
    ? null
    : {
        id: paymentId,
        accountId: account.id,
        accountRecordId: account.recordId,
        externalKey: request.paymentExternalKey ?? paymentId,
        paymentMethodId: method.id,
        stateName: null,
        lastSuccessStateName: null,
        createdDate: now,
      };
  const { properties } = request;
  return {
    isRefused: plan.isRefused ?? false,
    account,
    gateway,
    paymentId,
    paymentMethodId: method.id,
    properties,
    newPayment,
    transaction,
  };
}
