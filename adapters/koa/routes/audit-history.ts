import { type AuditRow, ObjectType } from '../../../lib/records/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { Dialect } from '../dialect.ts';
import { AuditLog, auditHistoryJson, auditLogsJson } from '../models/audit-log.ts';
import type { Answer } from '../routing/answer.ts';
import { fieldedResources, type ObjectResource, objectOf, resource } from '../routing/objects.ts';
import { type Route, type TenantCall, tenantRoute } from '../routing/route.ts';
import { listOf, renderingWithoutAudit } from '../wire/wire-type.ts';

const success = { status: 200, body: listOf(AuditLog) } as const;

/**
 * Resources whose history is not at the default path, because the history has its own route below or uses a different
 * id.
 */
const ownRoutes: readonly string[] = ['accounts', 'invoicePayments'];

/** accounts §14.1 */
const resources: readonly ObjectResource[] = [
  ...fieldedResources.filter(({ path }) => !ownRoutes.includes(path)),
  resource('blockingState', ObjectType.BLOCKING_STATES, {
    path: 'accounts/block',
    idName: 'blockingId',
    area: 'subscriptions',
  }),
  resource('subscriptionEvent', ObjectType.SUBSCRIPTION_EVENT, {
    path: 'subscriptions/events',
    idName: 'eventId',
    described: 'a subscription event',
  }),
  resource('invoicePayment', ObjectType.INVOICE_PAYMENT, { described: 'an invoice payment, by its own id' }),
  resource('paymentAttempt', ObjectType.PAYMENT_ATTEMPT, { path: 'payments/attempts' }),
  resource('tagDefinition', ObjectType.TAG_DEFINITION, { area: 'tags' }),
  resource('tag', ObjectType.TAG),
  resource('customField', ObjectType.CUSTOM_FIELD),
];

export const auditHistoryRoutes: readonly Route[] = [
  ...resources.map(routeOf),
  tenantRoute('getAccountAuditLogs', 'GET /accounts/{accountId}/auditLogs', {
    summary: 'List the audit log of an account and its objects',
    success,
    async handle({ billing, context, params, dialect }) {
      const rows = await billing.audit.ofAccount(context, params.accountId);
      return { json: auditLogsJson(rows, renderingWithoutAudit(dialect)) };
    },
  }),
  tenantRoute('getAccountAuditLogsWithHistory', 'GET /accounts/{accountId}/auditLogsWithHistory', {
    summary: 'List the audit log of an account with the state after each change',
    success,
    handle: (call) => historyAnswer(call, { type: ObjectType.ACCOUNT, id: call.params.accountId }),
  }),
  tenantRoute(
    'getAccountEmailAuditLogsWithHistory',
    'GET /accounts/{accountId}/emails/{accountEmailId}/auditLogsWithHistory',
    {
      summary: 'List the audit log of a secondary email address with the state after each change',
      success,
      async handle(call) {
        const { accountId, accountEmailId: id } = call.params;
        const object = { type: ObjectType.ACCOUNT_EMAIL, id };
        return historyJson(call, await call.billing.audit.historyWithin(call.context, accountId, object));
      },
    },
  ),
];

export const exportRoutes: readonly Route[] = [
  tenantRoute('exportDataForAccount', 'GET /export/{accountId}', {
    summary: 'Export all stored data of an account, as lines of text by table',
    permission: 'admin:export',
    success: { status: 201, statusInK: 200, mediaTypes: ['application/octet-stream'] },
    async handle({ billing, context, dialect, params }) {
      const pieces = await billing.accounts.export(context, params.accountId);
      // http-api §4 line 8
      return { textPieces: pieces, ...(dialect === Dialect.K ? { status: 200 } : {}) };
    },
  }),
];

function routeOf(object: ObjectResource): Route {
  const { path, idName, noun, described, area } = object;
  const endpoint = `GET /${path}/{${idName}}/auditLogsWithHistory` as const;
  return tenantRoute(`get${noun}AuditLogsWithHistory`, endpoint, {
    ...(area !== undefined && { area }),
    summary: `List the audit log of ${described} with the state after each change`,
    success,
    handle: (call) => historyAnswer(call, objectOf(object, call.params)),
  });
}

type HistoryCall = Pick<TenantCall<string, never, null>, 'billing' | 'context' | 'dialect'>;

async function historyAnswer(
  call: HistoryCall,
  object: { readonly type: ObjectType; readonly id: Uuid },
): Promise<Answer> {
  return historyJson(call, await call.billing.audit.history(call.context, object));
}

function historyJson({ context, dialect }: HistoryCall, rows: readonly AuditRow[]): Answer {
  return { json: auditHistoryJson(rows, context.tenant.recordId, renderingWithoutAudit(dialect)) };
}
