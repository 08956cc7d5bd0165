import {
  type Account,
  AttemptState,
  type AutoPayHold,
  INVOICE_PAYMENT_CONTROL_PLUGIN,
  type InvoicePayment,
  InvoicePaymentStatus,
  InvoicePaymentType,
  type InvoiceRefund,
  type New,
  type Payment,
  type PaymentAttempt,
  type PaymentMethod,
  type PaymentTransaction,
  TransactionStatus,
  TransactionType,
} from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { typeOf } from '../state/payment-state.ts';
import type { OperationFacts, OperationRequest } from './operation-facts.ts';
import type { NewOperation } from './operation-plan.ts';
import type { ConsultedRun, PlanTools, ReservationFacts, ReservedCall } from './reservation.ts';

/** The records of a gateway call that has not been made yet. */
export interface PlannedCall extends ReservedCall {
  readonly newPayment: Omit<New<Payment>, 'paymentNumber'> | null;
  readonly transaction: New<PaymentTransaction>;
}

/** The records of a gateway call that pays an invoice. */
export interface PlannedCharge extends PlannedCall {
  readonly transaction: New<PaymentTransaction> & { readonly amount: Decimal };
  readonly attempt: New<PaymentAttempt>;
  readonly newRow: New<InvoicePayment> | null;
  readonly changedRow: InvoicePayment | null;
}

/** Plans the records of an operation. A new payment without keys uses its ids as keys (§1.3, §1.4). */
export function plannedOperation(
  { method, gateway, amount, currency, invoiceRefund = null, isRefused = false }: NewOperation,
  asked: {
    readonly request: OperationRequest;
    readonly facts: Pick<OperationFacts, 'account' | 'payment'>;
    readonly consulted: ConsultedRun | null;
  } & Pick<PlanTools, 'ids' | 'now' | 'leaseUntil'>,
): PlannedCall {
  const { request, consulted, ...tools } = asked;
  const { account, payment } = asked.facts;
  assertInvariant(method, 'A reserved operation has no payment method', { paymentId: payment?.id ?? null });
  const { ids, now } = tools;
  const paymentId = payment?.id ?? consulted?.planned.paymentId ?? ids.next();
  const id = consulted?.planned.transactionId ?? ids.next();
  const transaction = newTransaction(account, tools, {
    id,
    paymentId,
    attemptId: consulted?.attempt.id ?? null,
    externalKey: request.transactionExternalKey ?? id,
    transactionType: typeOf(request.operation),
    effectiveDate: request.effectiveDate ?? now,
    amount,
    currency,
    invoiceRefund,
  });
  const externalKey = request.paymentExternalKey ?? paymentId;
  const made = { id: paymentId, externalKey, paymentMethodId: method.id };
  return {
    account,
    gateway,
    paymentId,
    paymentMethodId: method.id,
    properties: request.properties,
    isRefused,
    newPayment: payment === null ? newPayment(account, made, now) : null,
    transaction,
  };
}

/**
 * Plans a purchase for an invoice. The purchase creates a new payment, repeats an attempt (§8.3), or retries a failed
 * payment (§4.2 rule 2).
 */
export function plannedCharge(
  facts: ReservationFacts,
  tools: PlanTools,
  paid: {
    readonly payment: Payment | null;
    /** The attempt that is repeated with the same key, or null for a new attempt. */
    readonly origin: PaymentAttempt | null;
    readonly amount: Decimal;
    readonly method: PaymentMethod;
  },
): PlannedCharge {
  const { payment, origin, amount, method } = paid;
  const { account, invoice, api, consulted } = facts;
  const { ids, now } = tools;
  const paymentId = payment?.id ?? consulted?.planned.paymentId ?? ids.next();
  const transactionId = consulted?.planned.transactionId ?? ids.next();
  const paymentKey = payment?.externalKey ?? api?.paymentKey ?? paymentId;
  const transactionKey = origin?.transactionExternalKey ?? api?.transactionKey ?? transactionId;
  const gateway = tools.gateways.get(method.pluginName);
  assertInvariant(gateway, 'A charge needs a registered gateway', { pluginName: method.pluginName });
  const run = { paymentKey, transactionKey, paymentMethodId: method.id, amount };
  const attempt =
    consulted?.attempt ?? newAttempt(facts, tools, { ...run, transactionId, stateName: AttemptState.INIT });
  const currency = consulted?.currency ?? invoice.currency;
  const transaction = newTransaction(account, tools, {
    id: transactionId,
    paymentId,
    attemptId: attempt.id,
    externalKey: transactionKey,
    transactionType: TransactionType.PURCHASE,
    effectiveDate: now,
    amount: (currency === invoice.currency ? null : consulted?.amount) ?? amount,
    currency,
    invoiceRefund: null,
  });
  const made = { id: paymentId, externalKey: paymentKey, paymentMethodId: method.id };
  const charged = { paymentId, transactionKey, amount };
  return {
    account,
    gateway,
    paymentId,
    paymentMethodId: method.id,
    properties: consulted?.properties ?? api?.properties ?? origin?.pluginProperties ?? [],
    isControlled: consulted !== undefined,
    attempt,
    newPayment: payment === null ? newPayment(account, made, now) : null,
    transaction,
    newRow: origin === null ? attemptRow(facts, tools, charged) : null,
    changedRow: origin === null ? null : repeatedRow(facts, tools, charged),
  };
}

function newPayment(
  { id: accountId, recordId: accountRecordId }: Account,
  made: Pick<Payment, 'id' | 'externalKey' | 'paymentMethodId'>,
  createdDate: Instant,
): Omit<New<Payment>, 'paymentNumber'> {
  return { ...made, accountId, accountRecordId, stateName: null, lastSuccessStateName: null, createdDate };
}

function newTransaction<A extends Decimal | null>(
  { recordId: accountRecordId }: Account,
  { now, leaseUntil }: Pick<PlanTools, 'now' | 'leaseUntil'>,
  made: Pick<
    PaymentTransaction,
    'id' | 'paymentId' | 'attemptId' | 'externalKey' | 'transactionType' | 'effectiveDate' | 'currency'
  > & { readonly amount: A; readonly invoiceRefund: InvoiceRefund | null },
): New<PaymentTransaction> & { readonly amount: A } {
  return {
    ...made,
    accountRecordId,
    status: TransactionStatus.UNKNOWN,
    processedAmount: null,
    processedCurrency: null,
    gatewayErrorCode: null,
    gatewayErrorMsg: null,
    paymentResponse: null,
    leaseUntil,
    createdDate: now,
  };
}

/** The amount that a payment charges for an invoice, in the invoice's currency. */
interface ChargedRow {
  readonly paymentId: Uuid;
  readonly transactionKey: string;
  readonly amount: Decimal;
}

function attemptRow(
  { account, invoice }: ReservationFacts,
  { ids, now }: PlanTools,
  { paymentId, transactionKey, amount }: ChargedRow,
): New<InvoicePayment> {
  return {
    id: ids.next(),
    accountRecordId: account.recordId,
    invoiceId: invoice.id,
    type: InvoicePaymentType.ATTEMPT,
    status: InvoicePaymentStatus.INIT,
    paymentId,
    paymentDate: now,
    amount,
    currency: invoice.currency,
    processedCurrency: invoice.currency,
    transactionExternalKey: transactionKey,
    linkedInvoicePaymentId: null,
    createdDate: now,
  };
}

function repeatedRow(
  { rows }: ReservationFacts,
  { now }: PlanTools,
  { paymentId, transactionKey: key, amount }: ChargedRow,
): InvoicePayment {
  const row = rows.find((each) => each.type === 'ATTEMPT' && each.transactionExternalKey === key);
  assertInvariant(row, 'A retried payment must have its invoice payment', { paymentId, key });
  return { ...row, status: InvoicePaymentStatus.INIT, amount, paymentDate: now };
}

export function newAttempt(
  { account, invoice, api }: ReservationFacts,
  { ids, now }: PlanTools,
  asked: Pick<PaymentAttempt, 'transactionId' | 'paymentMethodId' | 'amount' | 'stateName'> & {
    readonly paymentKey: string;
    readonly transactionKey: string;
  },
): New<PaymentAttempt> {
  const { paymentKey: paymentExternalKey, transactionKey: transactionExternalKey, ...run } = asked;
  return {
    ...run,
    id: ids.next(),
    accountId: account.id,
    accountRecordId: account.recordId,
    paymentExternalKey,
    transactionExternalKey,
    transactionType: TransactionType.PURCHASE,
    currency: invoice.currency,
    pluginNames: [INVOICE_PAYMENT_CONTROL_PLUGIN],
    pluginProperties: null,
    isApiPayment: api !== undefined,
    createdDate: now,
  };
}

/** Returns the hold for an automatic payment that a tag of the account prevents (§9.3). */
export function newHold(
  { account, invoice }: ReservationFacts,
  { ids, now }: PlanTools,
  { attempt, amount }: { readonly attempt: New<PaymentAttempt>; readonly amount: Decimal },
): New<AutoPayHold> {
  return {
    id: ids.next(),
    accountId: account.id,
    accountRecordId: account.recordId,
    invoiceId: invoice.id,
    attemptId: attempt.id,
    amount,
    currency: invoice.currency,
    isActive: true,
    createdDate: now,
  };
}
