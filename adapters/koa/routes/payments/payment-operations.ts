import type { NewPaymentInput, PaymentResult } from '../../../../lib/payments/index.ts';
import { TransactionType } from '../../../../lib/records/index.ts';
import type { Permission } from '../../../../lib/security/index.ts';
import { BillingError, ErrorCode } from '../../../../lib/values/errors/index.ts';
import type { Uuid } from '../../../../lib/values/ids/index.ts';
import type { Decimal } from '../../../../lib/values/money/index.ts';
import { Dialect } from '../../dialect.ts';
import { PaymentTransactionInput } from '../../models/payment.ts';
import type { Answer } from '../../routing/answer.ts';
import { jsonBody, optionalJsonBody } from '../../routing/body.ts';
import { type Method, type Route, type Success, type TenantCall, tenantRoute } from '../../routing/route.ts';
import {
  plainText,
  pluginProperties,
  type QueryOf,
  required,
  textList,
  uuidParameter,
} from '../../wire/query.ts';
import { outcomeOf, paymentFailures, paymentOutcomes } from './payment-outcome.ts';
import { propertyOf } from './plugin-property.ts';

/** `CP` and `PP` of http-api §13. */
export const controlled = { controlPluginName: textList, pluginProperty: pluginProperties };

type Controlled = QueryOf<typeof controlled>;
type Body = NonNullable<
  ReturnType<ReturnType<typeof optionalJsonBody<typeof PaymentTransactionInput>>['read']>
>;
type OperationCall = Pick<TenantCall<string, typeof controlled, Body | null>, 'billing' | 'context'>;
type Asked = ReturnType<typeof inputOf> & { readonly paymentId: Uuid | null };

/** One operation on a payment, that exists by the payment's id and by its key. */
interface Operation {
  readonly method: Method;
  /** Path behind the payment. */
  readonly suffix: string;
  readonly operationId: string;
  readonly summary: string;
  readonly permission: Permission;
  readonly success?: Success;
  /** Whether a body is needed where the path has the id; default true. */
  readonly needsBody?: false;
  /** Whether an amount has to be given; default false. */
  readonly needsAmount?: true;
  /** How one of a payment of an invoice fails besides (payments §9.5 rule 5). */
  readonly failsOfInvoice?: readonly ErrorCode[];
  run(call: OperationCall, input: Asked, body: Body | null): Promise<PaymentResult>;
}

const created: Success = { status: 201, location: '/payments/{paymentId}' };

const operations: readonly Operation[] = [
  {
    method: 'POST',
    suffix: '',
    operationId: 'captureAuthorization',
    summary: 'Capture an amount of what was authorized',
    permission: 'payment:trigger',
    success: created,
    needsAmount: true,
    run: ({ billing, context }, input) => billing.payments.capture(context, withAmount(input)),
  },
  {
    method: 'PUT',
    suffix: '',
    operationId: 'completeTransaction',
    summary: 'Complete a pending transaction',
    permission: 'payment:trigger',
    needsBody: false,
    run: ({ billing, context }, input, body) =>
      billing.payments.complete(context, { ...input, ...chosenBy(body) }),
  },
  {
    method: 'DELETE',
    suffix: '',
    operationId: 'voidPayment',
    summary: 'Void the latest successful transaction',
    permission: 'payment:trigger',
    needsBody: false,
    run: ({ billing, context }, input) => billing.payments.void(context, input),
  },
  {
    method: 'POST',
    suffix: '/refunds',
    operationId: 'refundPayment',
    summary: 'Refund an amount of what was taken',
    permission: 'payment:refund',
    success: created,
    needsAmount: true,
    failsOfInvoice: [ErrorCode.INVOICE_REFUND_AMOUNT_TOO_HIGH],
    run: ({ billing, context }, input) => billing.payments.refund(context, withAmount(input)),
  },
  {
    method: 'POST',
    suffix: '/chargebacks',
    operationId: 'chargebackPayment',
    summary: 'Record a chargeback',
    permission: 'payment:chargeback',
    success: { status: 204, statusInK: 201, location: '/payments/{paymentId}' },
    needsAmount: true,
    failsOfInvoice: [ErrorCode.INVOICE_CHARGE_BACK_AMOUNT_TOO_HIGH],
    run: ({ billing, context }, input) => billing.payments.chargeback(context, withAmount(input)),
  },
  {
    method: 'POST',
    suffix: '/chargebackReversals',
    operationId: 'chargebackReversalPayment',
    summary: 'Record that a chargeback was reversed',
    permission: 'payment:chargeback',
    success: created,
    run: ({ billing, context }, { transactionExternalKey: key, ...input }) => {
      const transactionExternalKey = key ?? missing('transactionExternalKey');
      return billing.payments.reverseChargeback(context, { ...input, transactionExternalKey });
    },
  },
];

export const paymentOperationRoutes: readonly Route[] = [
  ...operations.flatMap((operation) => [byId(operation), byKey(operation)]),
  tenantRoute({
    method: 'POST',
    path: '/1.0/kb/accounts/{accountId}/payments',
    operationId: 'processPayment',
    area: 'payments',
    summary: 'Authorize, purchase or credit on an account',
    permission: 'payment:trigger',
    query: { paymentMethodId: uuidParameter, ...controlled },
    body: jsonBody(PaymentTransactionInput),
    success: created,
    fails: [...paymentFailures, ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID, ErrorCode.PRECONDITION_FAILED],
    outcomes: paymentOutcomes,
    async handle({ billing, context, params, query, body }) {
      const input = {
        ...inputOf(body, query),
        accountId: params.accountId,
        paymentMethodId: query.paymentMethodId,
      };
      return outcomeOf(await newPayment({ billing, context }, input, body));
    },
  }),
  tenantRoute({
    method: 'POST',
    path: '/1.0/kb/accounts/payments',
    operationId: 'processPaymentByExternalKey',
    area: 'payments',
    summary: 'Authorize, purchase or credit on the account with this external key',
    permission: 'payment:trigger',
    query: { externalKey: required(plainText), paymentMethodId: uuidParameter, ...controlled },
    body: jsonBody(PaymentTransactionInput),
    success: created,
    fails: [...paymentFailures, ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_KEY, ErrorCode.PRECONDITION_FAILED],
    outcomes: paymentOutcomes,
    async handle({ billing, context, query, body }) {
      const { id: accountId } = await billing.accounts.getByKey(context, query.externalKey ?? '');
      const input = { ...inputOf(body, query), accountId, paymentMethodId: query.paymentMethodId };
      return outcomeOf(await newPayment({ billing, context }, input, body));
    },
  }),
  tenantRoute({
    method: 'POST',
    path: '/1.0/kb/paymentTransactions/{transactionId}',
    operationId: 'notifyStateChanged',
    summary: 'Record how a pending transaction has ended',
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

/** Runs what a transaction of an account may begin with. @throws BillingError PRECONDITION_FAILED (60006) for others. */
async function newPayment(
  { billing, context }: Pick<OperationCall, 'billing' | 'context'>,
  input: Omit<NewPaymentInput, 'amount'> & { readonly amount?: Decimal | null },
  { transactionType }: { readonly transactionType?: TransactionType | null },
): Promise<PaymentResult> {
  if (!transactionType || !first.has(transactionType)) throw notFirst(transactionType);
  const asked = withAmount(input);
  switch (transactionType) {
    case TransactionType.AUTHORIZE:
      return billing.payments.authorize(context, asked);
    case TransactionType.PURCHASE:
      return billing.payments.purchase(context, asked);
    case TransactionType.CREDIT:
      return billing.payments.credit(context, asked);
    default:
      throw notFirst(transactionType);
  }
}

const first: ReadonlySet<TransactionType> = new Set([
  TransactionType.AUTHORIZE,
  TransactionType.PURCHASE,
  TransactionType.CREDIT,
]);

function notFirst(transactionType: TransactionType | null | undefined): BillingError {
  return new BillingError({
    code: ErrorCode.PRECONDITION_FAILED,
    message: 'PaymentTransactionJson transactionType must be AUTHORIZE, PURCHASE or CREDIT',
    facts: { transactionType: transactionType ?? null },
  });
}

function byId(operation: Operation): Route {
  const { suffix, needsBody, run, needsAmount, failsOfInvoice = [], ...spec } = operation;
  const path = `/1.0/kb/payments/{paymentId}${suffix}` as '/1.0/kb/payments/{paymentId}';
  return tenantRoute({
    ...spec,
    path,
    query: controlled,
    body: needsBody === false ? optionalJsonBody(PaymentTransactionInput) : jsonBody(PaymentTransactionInput),
    fails: [...paymentFailures, ...failsOfInvoice],
    outcomes: outcomesOf(operation),
    async handle(call) {
      const { params, query, body } = call;
      const input = { ...inputOf(body, query), externalKey: null, paymentId: params.paymentId };
      return { ...answerOf(operation, await run(call, input, body)), ...statusOf(operation, call.dialect) };
    },
  });
}

function byKey(operation: Operation): Route {
  const { suffix, needsBody, run, needsAmount, failsOfInvoice = [], ...spec } = operation;
  return tenantRoute({
    ...spec,
    operationId: `${operation.operationId}ByExternalKey`,
    summary: `${operation.summary} of the payment with an external key`,
    path: `/1.0/kb/payments${suffix}`,
    query: controlled,
    body: jsonBody(PaymentTransactionInput),
    fails: [...paymentFailures, ...failsOfInvoice],
    outcomes: outcomesOf(operation),
    async handle(call) {
      const { query, body } = call;
      const input = { ...inputOf(body, query), paymentId: body.paymentId ?? null };
      if (input.paymentId === null && !input.externalKey) missing('paymentExternalKey');
      return { ...answerOf(operation, await run(call, input, body)), ...statusOf(operation, call.dialect) };
    },
  });
}

function outcomesOf({ suffix }: Operation): Readonly<Record<number, string>> {
  return suffix === '/chargebackReversals' ? {} : paymentOutcomes;
}

/** A recorded reversal is a success, whatever the status of its transaction (payments §3.2). */
function answerOf({ suffix, success }: Operation, result: PaymentResult): Answer {
  if (suffix === '/chargebackReversals') return { location: `/payments/${result.payment.id}` };
  return outcomeOf(result, success === undefined ? { at: null } : {});
}

/** The status of dialect K where it is another (http-api §4 line 6). */
function statusOf({ success }: Operation, dialect: Dialect) {
  return dialect === Dialect.K && success?.statusInK !== undefined ? { status: success.statusInK } : {};
}

/** What bodies and queries say of an operation. */
export function inputOf(body: Body | null, query: Controlled) {
  const properties = (body?.properties ?? []).map(propertyOf);
  return {
    externalKey: body?.paymentExternalKey || null,
    transactionExternalKey: body?.transactionExternalKey || null,
    amount: body?.amount ?? null,
    currency: body?.currency ?? null,
    effectiveDate: body?.effectiveDate ?? null,
    properties: [...query.pluginProperty, ...properties],
    ...(query.controlPluginName.length > 0 && { controlPlugins: query.controlPluginName }),
  };
}

function chosenBy(body: Body | null) {
  return { transactionId: body?.transactionId ?? null, transactionType: body?.transactionType ?? null };
}

/** @throws BillingError MISSING_OR_INVALID_FIELD without an amount. */
function withAmount<I extends { readonly amount?: Decimal | null }>(
  input: I,
): I & { readonly amount: Decimal } {
  return { ...input, amount: input.amount ?? missing('amount') };
}

export function missing(field: string): never {
  throw new BillingError({
    code: ErrorCode.MISSING_OR_INVALID_FIELD,
    message: `PaymentTransactionJson ${field} needs to be set`,
    facts: { field },
  });
}
