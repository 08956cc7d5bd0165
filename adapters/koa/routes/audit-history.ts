import { ErrorCode } from '../../../lib/errors/index.ts';
import type { Uuid } from '../../../lib/ids/index.ts';
import { ObjectType } from '../../../lib/objects/object-type.ts';
import { AuditLog, auditHistoryJson, auditLogsJson } from '../models/audit-log.ts';
import { json } from '../routing/answer.ts';
import { type Route, tenantRoute } from '../routing/route.ts';
import { listOf } from '../wire/wire-type.ts';

interface AuditedResource {
  /** Path below the core prefix up to the id. */
  readonly path: string;
  readonly idName: string;
  /** Name in the operation id. */
  readonly noun: string;
  readonly area: string;
  readonly described: string;
  readonly type: ObjectType;
  /** Code of an unknown id. */
  readonly unknown: ErrorCode;
}

const success = { status: 200, body: listOf(AuditLog) } as const;

/** accounts.md §14.1 */
const resources: readonly AuditedResource[] = [
  {
    path: 'accounts/block',
    idName: 'blockingId',
    noun: 'BlockingState',
    area: 'subscriptions',
    described: 'a blocking state',
    type: ObjectType.BLOCKING_STATES,
    unknown: ErrorCode.OBJECT_NOT_FOUND,
  },
  {
    path: 'bundles',
    idName: 'bundleId',
    noun: 'Bundle',
    area: 'bundles',
    described: 'a bundle',
    type: ObjectType.BUNDLE,
    unknown: ErrorCode.SUBSCRIPTION_GET_INVALID_BUNDLE_ID,
  },
  {
    path: 'subscriptions',
    idName: 'subscriptionId',
    noun: 'Subscription',
    area: 'subscriptions',
    described: 'a subscription',
    type: ObjectType.SUBSCRIPTION,
    unknown: ErrorCode.SUBSCRIPTION_INVALID_SUBSCRIPTION_ID,
  },
  {
    path: 'subscriptions/events',
    idName: 'eventId',
    noun: 'SubscriptionEvent',
    area: 'subscriptions',
    described: 'an event of a subscription',
    type: ObjectType.SUBSCRIPTION_EVENT,
    unknown: ErrorCode.OBJECT_NOT_FOUND,
  },
  {
    path: 'invoices',
    idName: 'invoiceId',
    noun: 'Invoice',
    area: 'invoices',
    described: 'an invoice',
    type: ObjectType.INVOICE,
    unknown: ErrorCode.INVOICE_NOT_FOUND,
  },
  {
    path: 'invoiceItems',
    idName: 'invoiceItemId',
    noun: 'InvoiceItem',
    area: 'invoiceItems',
    described: 'an invoice item',
    type: ObjectType.INVOICE_ITEM,
    unknown: ErrorCode.INVOICE_ITEM_NOT_FOUND,
  },
  {
    path: 'invoicePayments',
    idName: 'invoicePaymentId',
    noun: 'InvoicePayment',
    area: 'invoicePayments',
    described: 'an invoice payment, by its own id',
    type: ObjectType.INVOICE_PAYMENT,
    unknown: ErrorCode.INVOICE_PAYMENT_NOT_FOUND,
  },
  {
    path: 'payments',
    idName: 'paymentId',
    noun: 'Payment',
    area: 'payments',
    described: 'a payment',
    type: ObjectType.PAYMENT,
    unknown: ErrorCode.PAYMENT_NO_SUCH_PAYMENT,
  },
  {
    path: 'payments/attempts',
    idName: 'paymentAttemptId',
    noun: 'PaymentAttempt',
    area: 'payments',
    described: 'a payment attempt',
    type: ObjectType.PAYMENT_ATTEMPT,
    unknown: ErrorCode.OBJECT_NOT_FOUND,
  },
  {
    path: 'paymentTransactions',
    idName: 'transactionId',
    noun: 'Transaction',
    area: 'paymentTransactions',
    described: 'a payment transaction',
    type: ObjectType.TRANSACTION,
    unknown: ErrorCode.PAYMENT_NO_SUCH_PAYMENT,
  },
  {
    path: 'paymentMethods',
    idName: 'paymentMethodId',
    noun: 'PaymentMethod',
    area: 'paymentMethods',
    described: 'a payment method',
    type: ObjectType.PAYMENT_METHOD,
    unknown: ErrorCode.PAYMENT_NO_SUCH_PAYMENT_METHOD,
  },
  {
    path: 'tagDefinitions',
    idName: 'tagDefinitionId',
    noun: 'TagDefinition',
    area: 'tags',
    described: 'a tag definition',
    type: ObjectType.TAG_DEFINITION,
    unknown: ErrorCode.TAG_DEFINITION_DOES_NOT_EXIST,
  },
  {
    path: 'tags',
    idName: 'tagId',
    noun: 'Tag',
    area: 'tags',
    described: 'a tag',
    type: ObjectType.TAG,
    unknown: ErrorCode.OBJECT_NOT_FOUND,
  },
  {
    path: 'customFields',
    idName: 'customFieldId',
    noun: 'CustomField',
    area: 'customFields',
    described: 'a custom field',
    type: ObjectType.CUSTOM_FIELD,
    unknown: ErrorCode.OBJECT_NOT_FOUND,
  },
];

/** Audit rows with the history of their objects. */
export const auditHistoryRoutes: readonly Route[] = [
  ...resources.map(routeOf),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/accounts/{accountId}/auditLogs',
    operationId: 'getAccountAuditLogs',
    area: 'accounts',
    summary: 'List the changes of an account and of all that belongs to it',
    permission: 'NONE',
    success,
    fails: [ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID],
    async handle({ billing, context, params }) {
      return json(auditLogsJson(await billing.audit.ofAccount(context, params.accountId)));
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/accounts/{accountId}/auditLogsWithHistory',
    operationId: 'getAccountAuditLogsWithHistory',
    area: 'accounts',
    summary: 'List the changes of an account with the account as it was after each',
    permission: 'NONE',
    success,
    fails: [ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID],
    async handle({ billing, context, params }) {
      const object = { type: ObjectType.ACCOUNT, id: params.accountId };
      const rows = await billing.audit.history(context, object);
      return json(auditHistoryJson(rows, context.tenant.recordId));
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/accounts/{accountId}/emails/{accountEmailId}/auditLogsWithHistory',
    operationId: 'getAccountEmailAuditLogsWithHistory',
    area: 'accounts',
    summary: 'List the changes of a secondary address with the state after each',
    permission: 'NONE',
    success,
    fails: [ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID, ErrorCode.OBJECT_NOT_FOUND],
    async handle({ billing, context, params }) {
      const object = { type: ObjectType.ACCOUNT_EMAIL, id: params.accountEmailId };
      const rows = await billing.audit.historyWithin(context, params.accountId, object);
      return json(auditHistoryJson(rows, context.tenant.recordId));
    },
  }),
];

function routeOf({ path, idName, noun, area, described, type, unknown }: AuditedResource): Route {
  return tenantRoute({
    method: 'GET',
    path: `/1.0/kb/${path}/{${idName}}/auditLogsWithHistory`,
    operationId: `get${noun}AuditLogsWithHistory`,
    area,
    summary: `List the changes of ${described} with the state after each`,
    permission: 'NONE',
    success,
    fails: [unknown],
    async handle({ billing, context, params }) {
      const id = (params as Readonly<Record<string, Uuid>>)[idName] as Uuid;
      const rows = await billing.audit.history(context, { type, id });
      return json(auditHistoryJson(rows, context.tenant.recordId));
    },
  });
}
