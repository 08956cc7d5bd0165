import type { Broadcast, NodeInfo, PluginInfo, SystemAuthor, TenantRef } from '../records/index.ts';
import { invalidField } from '../values/errors/index.ts';
import { shortenText } from '../values/text/index.ts';
import { type BroadcastHandler, type BroadcastPorts, broadcasts, type Switched } from './broadcasts.ts';
import {
  checkCommand,
  commandOfPayload,
  isPluginCommand,
  type NodeCommand,
  type NodeCommandHandler,
  type PluginCommand,
  payloadOfCommand,
} from './node-command.ts';
import { applyPluginCommand, type PluginSwitches, pluginNamedBy } from './plugin-switches.ts';

const NODES = 'nodes-service';
const CACHES = 'cache-service';
const INVALIDATE = 'INVALIDATE_CACHE';

interface CommandServiceInput {
  readonly switches: PluginSwitches;
  /** The host's handlers by command type. */
  readonly handlers: Readonly<Record<string, NodeCommandHandler>>;
  readonly nodes: () => Promise<readonly NodeInfo[]>;
  /** Called after a plugin of this node was started or stopped. */
  readonly onChange: () => Promise<void>;
  /** Clears the caches of a tenant. Null clears the caches of all tenants. */
  readonly dropCaches: (tenantRecordId: number | null) => void;
}

/** Sends commands to nodes and executes the commands that this node receives (platform §11). */
export function nodeCommands(ports: BroadcastPorts, input: CommandServiceInput) {
  const { switches } = input;
  const sending = broadcasts(ports, handlerOf);

  /**
   * Returns the plugin that a command names. Plugins cannot be downloaded, so only a registered plugin can be installed
   * or started.
   */
  async function findPlugin(command: NodeCommand): Promise<PluginInfo> {
    const own = switches.find(command);
    if (own !== null) return own;
    const everywhere = (await input.nodes()).flatMap(({ plugins }) => plugins);
    const found = pluginNamedBy(command, everywhere);
    if (found !== null) return found;
    const named = command.properties.find(({ key }) => key === 'pluginName' || key === 'pluginKey')?.value;
    throw invalidField(
      named === undefined
        ? `${command.type} needs a property pluginName or pluginKey`
        : `No node has a plugin ${shortenText(String(named))}; plugins are registered by the host application`,
    );
  }

  function handlerOf({ service, type }: Pick<Broadcast, 'service' | 'type'>): BroadcastHandler | undefined {
    if (service === CACHES) return ({ tenantRecordId }) => input.dropCaches(tenantRecordId as number | null);
    if (isPluginCommand(type)) return (payload) => switchPlugin(type, commandOfPayload(payload));
    const handle = Object.hasOwn(input.handlers, type) ? input.handlers[type] : undefined;
    return handle && ((payload) => handle(commandOfPayload(payload)));
  }

  async function switchPlugin(type: PluginCommand, command: NodeCommand): Promise<void> {
    const plugin = switches.find(command);
    if (plugin === null) return;
    switches.apply(type, plugin);
    ports.logger.warn({ pluginName: plugin.pluginName, command: type }, 'a plugin command was applied');
    await input.onChange();
  }

  return {
    listen: sending.listen,

    async command(
      author: SystemAuthor,
      command: NodeCommand,
      options: { readonly localOnly?: boolean } = {},
    ): Promise<void> {
      checkCommand(command);
      const { type } = command;
      const { localOnly = false } = options;
      let switched: Switched | undefined;
      if (isPluginCommand(type)) {
        const { pluginName } = await findPlugin(command);
        const stored = localOnly ? [] : await ports.storage.nodes.pluginSwitches();
        const before = stored.find((each) => each.pluginName === pluginName)?.state ?? null;
        if (!localOnly) switched = { pluginName, state: applyPluginCommand(type, before) };
      }
      const payload = payloadOfCommand(command);
      await sending.send(author, { service: NODES, type, payload, localOnly, isEvent: true, switched });
    },

    /** Restores the plugin states that earlier commands to all nodes have set. Then starts to receive broadcasts. */
    async prepare(): Promise<void> {
      const { storage, logger } = ports;
      if (!storage.singleNode) await sending.listen();
      const stored = await storage.nodes.pluginSwitches();
      switches.restore(stored);
      for (const { pluginName, state } of stored)
        logger.warn({ pluginName, state }, 'restored the plugin state set by a command to all nodes');
    },

    async dropCaches(author: SystemAuthor, tenant: TenantRef | null = null): Promise<void> {
      const payload = { tenantRecordId: tenant?.recordId ?? null };
      const sent = { service: CACHES, type: INVALIDATE, payload, localOnly: false, isEvent: false };
      await sending.send(author, sent);
    },
  };
}
