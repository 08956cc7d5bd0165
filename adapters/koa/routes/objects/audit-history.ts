import { ObjectType } from '../../../../lib/records/index.ts';
import { ErrorCode } from '../../../../lib/values/errors/index.ts';
import type { Uuid } from '../../../../lib/values/ids/index.ts';
import { AuditLog, auditHistoryJson, auditLogsJson } from '../../models/audit-log.ts';
import { json } from '../../routing/answer.ts';
import { fieldedResources, type ObjectResource } from '../../routing/objects.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import { listOf, unaudited } from '../../wire/wire-type.ts';

const success = { status: 200, body: listOf(AuditLog) } as const;

/** Kinds whose history has a route of its own below, or uses another id. */
const ownRoutes: readonly string[] = ['accounts', 'invoicePayments'];

/** accounts §14.1 */
const resources: readonly ObjectResource[] = [
  ...fieldedResources.filter(({ path }) => !ownRoutes.includes(path)),
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
    path: 'subscriptions/events',
    idName: 'eventId',
    noun: 'SubscriptionEvent',
    described: 'an event of a subscription',
    type: ObjectType.SUBSCRIPTION_EVENT,
    unknown: ErrorCode.OBJECT_NOT_FOUND,
  },
  {
    path: 'invoicePayments',
    idName: 'invoicePaymentId',
    noun: 'InvoicePayment',
    described: 'an invoice payment, by its own id',
    type: ObjectType.INVOICE_PAYMENT,
    unknown: ErrorCode.INVOICE_PAYMENT_NOT_FOUND,
  },
  {
    path: 'payments/attempts',
    idName: 'paymentAttemptId',
    noun: 'PaymentAttempt',
    described: 'a payment attempt',
    type: ObjectType.PAYMENT_ATTEMPT,
    unknown: ErrorCode.OBJECT_NOT_FOUND,
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
    described: 'a tag',
    type: ObjectType.TAG,
    unknown: ErrorCode.OBJECT_NOT_FOUND,
  },
  {
    path: 'customFields',
    idName: 'customFieldId',
    noun: 'CustomField',
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
    summary: 'List the changes of an account and of all that belongs to it',
    permission: 'NONE',
    success,
    fails: [ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID],
    async handle({ billing, context, params, dialect }) {
      return json(
        auditLogsJson(await billing.audit.ofAccount(context, params.accountId), unaudited(dialect)),
      );
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/accounts/{accountId}/auditLogsWithHistory',
    operationId: 'getAccountAuditLogsWithHistory',
    summary: 'List the changes of an account with the account as it was after each',
    permission: 'NONE',
    success,
    fails: [ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID],
    async handle({ billing, context, params, dialect }) {
      const object = { type: ObjectType.ACCOUNT, id: params.accountId };
      const rows = await billing.audit.history(context, object);
      return json(auditHistoryJson(rows, context.tenant.recordId, unaudited(dialect)));
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/accounts/{accountId}/emails/{accountEmailId}/auditLogsWithHistory',
    operationId: 'getAccountEmailAuditLogsWithHistory',
    summary: 'List the changes of a secondary address with the state after each',
    permission: 'NONE',
    success,
    fails: [ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID, ErrorCode.OBJECT_NOT_FOUND],
    async handle({ billing, context, params, dialect }) {
      const object = { type: ObjectType.ACCOUNT_EMAIL, id: params.accountEmailId };
      const rows = await billing.audit.historyWithin(context, params.accountId, object);
      return json(auditHistoryJson(rows, context.tenant.recordId, unaudited(dialect)));
    },
  }),
];

function routeOf({ path, idName, noun, described, type, unknown, ...document }: ObjectResource): Route {
  return tenantRoute({
    method: 'GET',
    path: `/1.0/kb/${path}/{${idName}}/auditLogsWithHistory`,
    operationId: `get${noun}AuditLogsWithHistory`,
    ...document,
    summary: `List the changes of ${described} with the state after each`,
    permission: 'NONE',
    success,
    fails: [unknown],
    async handle({ billing, context, params, dialect }) {
      const id = (params as Readonly<Record<string, Uuid>>)[idName] as Uuid;
      const rows = await billing.audit.history(context, { type, id });
      return json(auditHistoryJson(rows, context.tenant.recordId, unaudited(dialect)));
    },
  });
}
