import { ErrorCode } from '../../../../lib/values/errors/index.ts';
import { type Route, systemAuthorOf, tenantRoute } from '../../routing/route.ts';
import { optionalChoice } from '../../wire/query.ts';

/** The caches of the reference, whose names are accepted; of ours, what is kept of catalogs is dropped with any of them. */
const cacheNames = Object.fromEntries(
  [
    'record-id',
    'account-record-id',
    'tenant-record-id',
    'object-id',
    'tenant-catalog',
    'tenant-payment-state-machine-config',
    'tenant-overdue-config',
    'tenant-config',
    'tenant-kv',
    'tenant',
    'overridden-plan',
    'account-immutable',
    'account-bcd',
    'account-id-from-bundle-id',
    'bundle-id-from-subscription-id',
  ].map((name) => [name, name]),
);

const shared = { area: 'admin', permission: 'admin:update', author: false, outOfRotation: true } as const;

/** What operators do with the nodes: their caches, their rotation (platform §11). */
export const administrationRoutes: readonly Route[] = [
  tenantRoute({
    ...shared,
    method: 'DELETE',
    path: '/1.0/kb/admin/cache',
    operationId: 'invalidatesCache',
    summary: 'Let all nodes forget what they keep in memory of catalogs; nothing that is stored needs it',
    query: { cacheName: optionalChoice(cacheNames) },
    handle: (call) => call.billing.nodes.dropCaches(systemAuthorOf(call)),
  }),
  tenantRoute({
    ...shared,
    method: 'DELETE',
    path: '/1.0/kb/admin/cache/accounts/{accountId}',
    operationId: 'invalidatesCacheByAccount',
    summary: 'Let all nodes forget what they keep in memory of an account, which is nothing',
    fails: [ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID],
    async handle({ billing, context, params }) {
      await billing.accounts.get(context, params.accountId);
    },
  }),
  tenantRoute({
    ...shared,
    method: 'DELETE',
    path: '/1.0/kb/admin/cache/tenants',
    operationId: 'invalidatesCacheByTenant',
    summary: 'Let all nodes forget what they keep in memory of the catalogs of the tenant',
    handle: (call) => call.billing.nodes.dropCaches(systemAuthorOf(call), call.context.tenant),
  }),
  tenantRoute({
    ...shared,
    method: 'DELETE',
    path: '/1.0/kb/admin/healthcheck',
    operationId: 'putOutOfRotation',
    summary:
      'Take the node that answers out of rotation: its health check fails, and it refuses to change anything',
    async handle({ billing }) {
      billing.setInRotation(false);
    },
  }),
  tenantRoute({
    ...shared,
    method: 'PUT',
    path: '/1.0/kb/admin/healthcheck',
    operationId: 'putInRotation',
    summary: 'Put the node that answers back in rotation',
    async handle({ billing }) {
      billing.setInRotation(true);
    },
  }),
];
