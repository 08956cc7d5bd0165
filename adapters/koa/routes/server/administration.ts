import { DEFAULT_PAGE_SIZE, MAX_QUEUE_LOOK } from '../../../../lib/values/limits.ts';
import { NodeCommandModel, NodeInfoModel, PluginInfoModel } from '../../models/node-info.ts';
import { LateQueueEntry } from '../../models/queue-entry.ts';
import type { ServerGroup } from '../../monitoring/server-group.ts';
import { jsonBody } from '../../routing/body.ts';
import { inArea, type Route, systemAuthorOf, tenantRoute, userRoute } from '../../routing/route.ts';
import {
  flag,
  instantParameter,
  integer,
  optionalChoice,
  plainText,
  uuidParameter,
  withoutNulls,
} from '../../wire/query.ts';
import { listOf } from '../../wire/wire-type.ts';

/** Routes for nodes and their plugins (platform §11). */
export const nodeRoutes: readonly Route[] = inArea('nodes', [
  userRoute('getNodesInfo', 'GET /nodesInfo', {
    summary: 'List the nodes of the deployment, with their plugins',
    shows: listOf(NodeInfoModel),
    handle: ({ billing }) => billing.nodes.list(),
  }),
  userRoute('triggerNodeCommand', 'POST /nodesInfo', {
    summary: 'Send a command to the nodes, and wait for this node to complete it',
    permission: 'admin:trigger_command',
    query: { localNodeOnly: flag() },
    body: jsonBody(NodeCommandModel),
    success: { status: 202 },
    async handle(call) {
      const { nodeCommandType, nodeCommandProperties, isSystemCommandType } = call.body;
      const command = {
        type: nodeCommandType ?? '',
        properties: (nodeCommandProperties ?? []).map(({ key, value }) => ({
          key: key ?? '',
          value: value ?? null,
        })),
        isSystemCommand: isSystemCommandType ?? false,
      };
      await call.billing.nodes.command(systemAuthorOf(call), command, {
        localOnly: call.query.localNodeOnly,
      });
      return { status: 202 };
    },
  }),
  tenantRoute('getPluginsInfo', 'GET /pluginsInfo', {
    summary: 'List the plugins of the node that handles the request',
    shows: listOf(PluginInfoModel),
    handle: async ({ billing }) => (await billing.nodes.local()).plugins,
  }),
]);

/** The names of Kill Bill's caches. A request to clear any of them clears the catalog cache. */
const cacheNames = [
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
];

const upkeep = { permission: 'admin:update', author: false, outOfRotation: true } as const;

/** Routes of rotation (platform §11). */
export function rotationRoutes(group: Pick<ServerGroup, 'setInRotation'>): readonly Route[] {
  return inArea('admin', [
    tenantRoute('putOutOfRotation', 'DELETE /admin/healthcheck', {
      ...upkeep,
      summary:
        'Take the node that handles the request out of rotation: its health check fails and it rejects changes',
      handle: () => group.setInRotation(false),
    }),
    tenantRoute('putInRotation', 'PUT /admin/healthcheck', {
      ...upkeep,
      summary: 'Put the node that handles the request back in rotation',
      handle: () => group.setInRotation(true),
    }),
  ]);
}

/** Routes for caches (platform §11) and for the tenant's queue (platform §9.4, §9.5). */
export const administrationRoutes: readonly Route[] = inArea('admin', [
  tenantRoute('invalidatesCache', 'DELETE /admin/cache', {
    ...upkeep,
    summary: 'Clear the catalog caches of all nodes; stored data does not depend on them',
    query: { cacheName: optionalChoice(cacheNames) },
    handle: (call) => call.billing.nodes.dropCaches(systemAuthorOf(call)),
  }),
  tenantRoute('invalidatesCacheByAccount', 'DELETE /admin/cache/accounts/{accountId}', {
    ...upkeep,
    summary: 'Clear the caches of an account on all nodes; no effect, because accounts are not cached',
    async handle({ billing, context, params }) {
      await billing.accounts.get(context, params.accountId);
    },
  }),
  tenantRoute('invalidatesCacheByTenant', 'DELETE /admin/cache/tenants', {
    ...upkeep,
    summary: "Clear the tenant's catalog caches on all nodes",
    handle: (call) => call.billing.nodes.dropCaches(systemAuthorOf(call), call.context.tenant),
  }),
  tenantRoute('getQueueEntries', 'GET /admin/queues', {
    summary: 'Get finished and pending queue entries as one JSON object',
    permission: 'admin:health',
    query: {
      accountId: uuidParameter,
      queueName: plainText,
      serviceName: plainText,
      withHistory: flag(true),
      minDate: instantParameter,
      maxDate: instantParameter,
      withInProcessing: flag(true),
      withBusEvents: flag(true),
      withNotifications: flag(true),
    },
    success: { status: 200, mediaTypes: ['application/octet-stream'] },
    handle: async ({ billing, context, query }) => ({
      textPieces: await billing.queues.export(context, withoutNulls(query)),
    }),
  }),
  tenantRoute('getLateQueueEntries', 'GET /admin/queues/late', {
    summary: 'List late queue entries with their causes, oldest first',
    permission: 'admin:health',
    query: {
      accountId: uuidParameter,
      limit: integer(DEFAULT_PAGE_SIZE, { minimum: 1, maximum: MAX_QUEUE_LOOK }),
    },
    shows: listOf(LateQueueEntry),
    handle: ({ billing, context, query }) => billing.queues.late(context, withoutNulls(query)),
  }),
]);
