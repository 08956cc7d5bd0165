import type {
  ComboPaymentInput,
  FixedStatus,
  NewPaymentInput,
  PaymentResult,
} from '../../../../lib/payments/index.ts';
import { TransactionType } from '../../../../lib/records/index.ts';
import type { Permission } from '../../../../lib/security/index.ts';
import { billingError, ErrorCode } from '../../../../lib/values/errors/index.ts';
import type { Uuid } from '../../../../lib/values/ids/index.ts';
import type { Decimal } from '../../../../lib/values/money/index.ts';
import { Dialect } from '../../dialect.ts';
import { ComboPaymentTransaction } from '../../models/hosted-page.ts';
import { AdminPayment, PaymentTransactionInput } from '../../models/payment.ts';
import type { Answer } from '../../routing/answer.ts';
import { jsonBody } from '../../routing/body.ts';
import {
  type ErrorName,
  type Method,
  type Route,
  type Success,
  type TenantCall,
  tenantRoute,
} from '../../routing/route.ts';
import { plainText, requiredParameter, textList, uuidParameter } from '../../wire/query.ts';
import {
  comboFailures,
  controlled,
  creationPermissions,
  inputOf,
  missing,
  outcomeOf,
  partiesOf,
  paymentFailures,
  paymentOutcomes,
  propertiesOf,
  type TransactionBody,
  transactionBody,
  transactionSelector,
} from './payment-parts.ts';

type OperationCall = Pick<
  TenantCall<string, typeof controlled, TransactionBody | null>,
  'billing' | 'context'
>;
type OperationInput = ReturnType<typeof inputOf> & { readonly paymentId: Uuid | null };

/** An operation on a payment, which is identified by id or key. */
interface Operation {
  readonly method: Method;
  /** Suffix of the payment's path. */
  readonly suffix?: '/refunds' | '/chargebacks' | '/chargebackReversals';
  readonly operationId: string;
  readonly summary: string;
  /** Default: `payment:trigger`. */
  readonly permission?: Permission;
  readonly success?: Success;
  /** False if a request with the payment's id in its path needs no body. */
  readonly needsBody?: false;
  /** Additional errors if the payment pays an invoice (payments §9.5 rule 5). */
  readonly failsOfInvoice?: readonly ErrorName[];
  run(call: OperationCall, input: OperationInput, body: TransactionBody | null): Promise<PaymentResult>;
}

const created: Success = { status: 201, location: '/payments/{paymentId}' };

const operations: readonly Operation[] = [
  {
    method: 'POST',
    operationId: 'captureAuthorization',
    summary: 'Capture an authorized amount',
    success: created,
    run: ({ billing, context }, input) => billing.payments.capture(context, withAmount(input)),
  },
  {
    method: 'PUT',
    operationId: 'completeTransaction',
    summary: 'Complete a pending transaction',
    needsBody: false,
    run: ({ billing, context }, input, body) =>
      billing.payments.complete(context, { ...input, ...transactionSelector(body) }),
  },
  {
    method: 'DELETE',
    operationId: 'voidPayment',
    summary: 'Void the latest successful transaction',
    needsBody: false,
    run: ({ billing, context }, input) => billing.payments.void(context, input),
  },
  {
    method: 'POST',
    suffix: '/refunds',
    operationId: 'refundPayment',
    summary: 'Refund a captured or purchased amount',
    permission: 'payment:refund',
    success: created,
    failsOfInvoice: ['INVOICE_REFUND_AMOUNT_TOO_HIGH'],
    run: ({ billing, context }, input) => billing.payments.refund(context, withAmount(input)),
  },
  {
    method: 'POST',
    suffix: '/chargebacks',
    operationId: 'chargebackPayment',
    summary: 'Record a chargeback',
    permission: 'payment:chargeback',
    success: { status: 204, statusInK: 201, location: '/payments/{paymentId}' },
    failsOfInvoice: ['INVOICE_CHARGE_BACK_AMOUNT_TOO_HIGH'],
    run: ({ billing, context }, input) => billing.payments.chargeback(context, withAmount(input)),
  },
  {
    method: 'POST',
    suffix: '/chargebackReversals',
    operationId: 'chargebackReversalPayment',
    summary: 'Record the reversal of a chargeback',
    permission: 'payment:chargeback',
    success: created,
    run: ({ billing, context }, { transactionExternalKey: key, ...input }) => {
      const transactionExternalKey = key ?? missing('transactionExternalKey');
      return billing.payments.reverseChargeback(context, { ...input, transactionExternalKey });
    },
  },
];

const newPayments = {
  area: 'payments',
  permission: 'payment:trigger',
  body: jsonBody(PaymentTransactionInput),
  success: created,
  outcomes: paymentOutcomes,
} as const;

export const paymentOperationRoutes: readonly Route[] = [
  ...operations.flatMap((operation) => [byId(operation), byKey(operation)]),
  tenantRoute('processPayment', 'POST /accounts/{accountId}/payments', {
    ...newPayments,
    summary: 'Authorize, purchase or credit on an account',
    query: { paymentMethodId: uuidParameter, ...controlled },
    fails: [...paymentFailures, 'PRECONDITION_FAILED'],
    async handle({ billing, context, params, query, body }) {
      const { paymentMethodId } = query;
      const input = { ...inputOf(body, query), ...params, paymentMethodId };
      return outcomeOf(await newPayment({ billing, context }, input, body));
    },
  }),
  tenantRoute('processPaymentByExternalKey', 'POST /accounts/payments', {
    ...newPayments,
    summary: 'Authorize, purchase or credit on an account identified by its external key',
    query: { externalKey: requiredParameter(plainText), paymentMethodId: uuidParameter, ...controlled },
    fails: [...paymentFailures, 'ACCOUNT_DOES_NOT_EXIST_FOR_KEY', 'PRECONDITION_FAILED'],
    async handle({ billing, context, query, body }) {
      const { id: accountId } = await billing.accounts.getByKey(context, query.externalKey ?? '');
      const input = { ...inputOf(body, query), accountId, paymentMethodId: query.paymentMethodId };
      return outcomeOf(await newPayment({ billing, context }, input, body));
    },
  }),
  tenantRoute('notifyStateChanged', 'POST /paymentTransactions/{transactionId}', {
    summary: 'Record the outcome of a pending transaction',
    permission: 'payment:transition',
    query: { controlPluginName: textList },
    body: jsonBody(PaymentTransactionInput),
    success: created,
    fails: paymentFailures,
    async handle({ billing, context, params, body }) {
      const { payment } = await billing.payments.recordNotifiedOutcome(context, {
        transactionId: params.transactionId,
        paymentId: body.paymentId ?? missing('paymentId'),
        status: (body.status ?? missing('status')) as 'SUCCESS',
      });
      return { location: `/payments/${payment.id}` };
    },
  }),
];

/** Routes for combined payments (payments §11) and for corrections by operators (payments §7.4, §8.5). */
export const paymentRepairRoutes: readonly Route[] = [
  tenantRoute('createComboPayment', 'POST /payments/combo', {
    summary: 'Authorize, purchase or credit, creating the account and payment method if they do not exist',
    permission: 'payment:trigger',
    needsFor: creationPermissions,
    query: { controlPluginName: textList },
    body: jsonBody(ComboPaymentTransaction),
    success: created,
    fails: [...paymentFailures, ...comboFailures, 'PRECONDITION_FAILED'],
    outcomes: paymentOutcomes,
    async handle(call) {
      const { query, body } = call;
      const transaction = body.transaction ?? {};
      const asked = inputOf(transaction, { ...query, pluginProperty: [] });
      const properties = [...propertiesOf(body.transactionPluginProperties), ...asked.properties];
      const { transactionType, amount } = transaction;
      // Missing values are reported only after the account and the payment method have been found.
      const given = { transactionType, amount } as Pick<ComboPaymentInput, 'transactionType' | 'amount'>;
      const input = { ...asked, ...partiesOf(call, body), properties, ...given };
      return outcomeOf(await call.billing.payments.combo(call.context, input));
    },
  }),
  tenantRoute(
    'cancelScheduledPaymentTransactionById',
    'DELETE /payments/{paymentTransactionId}/cancelScheduledPaymentTransaction',
    {
      summary: 'Cancel the scheduled retry of a transaction',
      permission: 'payment:trigger',
      handle: ({ billing, context, params }) =>
        billing.payments.cancelScheduledRetry(context, { transactionId: params.paymentTransactionId }),
    },
  ),
  tenantRoute(
    'cancelScheduledPaymentTransactionByExternalKey',
    'DELETE /payments/cancelScheduledPaymentTransaction',
    {
      summary: 'Cancel the scheduled retry of a transaction identified by its external key',
      permission: 'payment:trigger',
      query: { transactionExternalKey: requiredParameter(plainText) },
      handle: ({ billing, context, query }) => billing.payments.cancelScheduledRetry(context, query),
    },
  ),
  tenantRoute(
    'updatePaymentTransactionState',
    'PUT /admin/payments/{paymentId}/transactions/{paymentTransactionId}',
    {
      area: 'admin',
      summary: 'Correct the status of a payment transaction',
      permission: 'admin:update',
      body: jsonBody(AdminPayment),
      fails: ['PAYMENT_INVALID_PARAMETER', 'PAYMENT_ACTIVE_TRANSACTION_KEY_EXISTS', 'PAYMENT_INTERNAL_ERROR'],
      async handle({ billing, context, params, body }) {
        await billing.payments.fixTransaction(context, {
          paymentId: params.paymentId,
          transactionId: params.paymentTransactionId,
          status: body.transactionStatus as FixedStatus,
          stateName: body.currentPaymentStateName ?? null,
          lastSuccessStateName: body.lastSuccessPaymentState ?? null,
        });
      },
    },
  ),
];

function byId(operation: Operation): Route {
  const { method, operationId, suffix = '', run } = operation;
  return tenantRoute(operationId, `${method} /payments/{paymentId}${suffix}`, {
    ...factsOf(operation),
    body: operation.needsBody === false ? transactionBody : jsonBody(PaymentTransactionInput),
    async handle(call) {
      const { query, body } = call;
      // The suffix adds no path parameter.
      const { paymentId } = call.params as { readonly paymentId: Uuid };
      const input = { ...inputOf(body, query), externalKey: null, paymentId };
      return answerOf(operation, await run(call, input, body), call.dialect);
    },
  });
}

function byKey(operation: Operation): Route {
  const { method, operationId, suffix = '', run } = operation;
  return tenantRoute(`${operationId}ByExternalKey`, `${method} /payments${suffix}`, {
    ...factsOf(operation),
    summary: `${operation.summary} of the payment with an external key`,
    body: jsonBody(PaymentTransactionInput),
    async handle(call) {
      const { query, body } = call;
      const input = { ...inputOf(body, query), paymentId: body.paymentId ?? null };
      if (input.paymentId === null && !input.externalKey) missing('paymentExternalKey');
      return answerOf(operation, await run(call, input, body), call.dialect);
    },
  });
}

function factsOf(operation: Operation) {
  const { summary, permission = 'payment:trigger', success, failsOfInvoice = [] } = operation;
  return {
    summary,
    permission,
    query: controlled,
    ...(success !== undefined && { success }),
    fails: [...paymentFailures, ...failsOfInvoice],
    outcomes: isReversal(operation) ? {} : paymentOutcomes,
  };
}

/**
 * Returns true for the reversal of a chargeback. The reversal succeeds once it is recorded, regardless of the status of
 * its transaction (payments §3.2).
 */
function isReversal({ suffix }: Operation): boolean {
  return suffix === '/chargebackReversals';
}

/** Returns the response of an operation. In dialect K, its status may differ (http-api §4 line 6). */
function answerOf(operation: Operation, result: PaymentResult, dialect: Dialect): Answer {
  const { success } = operation;
  const answer = isReversal(operation)
    ? { location: `/payments/${result.payment.id}` }
    : outcomeOf(result, { onSuccess: success !== undefined });
  const status = dialect === Dialect.K ? success?.statusInK : undefined;
  return status === undefined ? answer : { ...answer, status };
}

/**
 * Starts a payment.
 * @throws BillingError PRECONDITION_FAILED (60006) if a payment cannot begin with this transaction type.
 */
async function newPayment(
  { billing: { payments }, context }: OperationCall,
  input: Omit<NewPaymentInput, 'amount'> & { readonly amount?: Decimal | null },
  { transactionType = null }: { readonly transactionType?: TransactionType | null },
): Promise<PaymentResult> {
  switch (transactionType) {
    case TransactionType.AUTHORIZE:
      return payments.authorize(context, withAmount(input));
    case TransactionType.PURCHASE:
      return payments.purchase(context, withAmount(input));
    case TransactionType.CREDIT:
      return payments.credit(context, withAmount(input));
    default: {
      const message = 'PaymentTransactionJson transactionType must be AUTHORIZE, PURCHASE or CREDIT';
      throw billingError(ErrorCode.PRECONDITION_FAILED, message, { transactionType });
    }
  }
}

/**
 * Checks that the request contains an amount.
 * @throws BillingError MISSING_OR_INVALID_FIELD if the amount is missing.
 */
function withAmount<I extends { readonly amount?: Decimal | null }>(
  input: I,
): I & { readonly amount: Decimal } {
  return { ...input, amount: input.amount ?? missing('amount') };
}
