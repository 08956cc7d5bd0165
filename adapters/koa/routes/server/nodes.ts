import { NodeCommandModel, NodeInfoModel, PluginInfoModel } from '../../models/node-info.ts';
import { json } from '../../routing/answer.ts';
import { jsonBody } from '../../routing/body.ts';
import { type Route, systemAuthorOf, tenantRoute, userRoute } from '../../routing/route.ts';
import { flag } from '../../wire/query.ts';
import { listOf, unaudited } from '../../wire/wire-type.ts';

/** The processes behind the interface, and their plugins (platform §11). */
export const nodeRoutes: readonly Route[] = [
  userRoute({
    method: 'GET',
    path: '/1.0/kb/nodesInfo',
    operationId: 'getNodesInfo',
    area: 'nodes',
    summary: 'List the nodes of the deployment, with their plugins',
    permission: 'NONE',
    success: { status: 200, body: listOf(NodeInfoModel) },
    async handle({ billing, dialect }) {
      const nodes = await billing.nodes.list();
      return json(nodes.map((node) => NodeInfoModel.write(node, unaudited(dialect))));
    },
  }),
  userRoute({
    method: 'POST',
    path: '/1.0/kb/nodesInfo',
    operationId: 'triggerNodeCommand',
    area: 'nodes',
    summary: 'Tell the nodes to do something; what this one has to do is done when it answers',
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
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/pluginsInfo',
    operationId: 'getPluginsInfo',
    area: 'nodes',
    summary: 'List the plugins of the node that answers',
    permission: 'NONE',
    success: { status: 200, body: listOf(PluginInfoModel) },
    async handle({ billing, dialect }) {
      const { plugins } = await billing.nodes.local();
      return json(plugins.map((plugin) => PluginInfoModel.write(plugin, unaudited(dialect))));
    },
  }),
];
