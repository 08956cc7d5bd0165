import type { Broadcast, NodeInfo, PluginInfo, SystemAuthor, TenantRef } from '../records/index.ts';
import { invalidField } from '../values/errors/index.ts';
import { shortened } from '../values/text/index.ts';
import { type BroadcastHandler, type BroadcastPorts, Broadcasts, type Switched } from './broadcasts.ts';
import {
  checkCommand,
  commandOfPayload,
  isPluginCommand,
  type NodeCommand,
  type NodeCommandHandler,
  type PluginCommand,
  payloadOfCommand,
} from './node-command.ts';
import { type PluginSwitches, pluginNamedBy, switchedBy } from './plugin-switches.ts';

const NODES = 'nodes-service';
const CACHES = 'cache-service';
const INVALIDATE = 'INVALIDATE_CACHE';

interface CommandServiceInput {
  readonly switches: PluginSwitches;
  /** Those of the host, by type. */
  readonly handlers: Readonly<Record<string, NodeCommandHandler>>;
  readonly nodes: () => Promise<readonly NodeInfo[]>;
  /** Called when what a node is has changed. */
  readonly onChange: () => Promise<void>;
  /** Forgets what this node keeps in memory of a tenant, or of all (null). */
  readonly dropCaches: (tenantRecordId: number | null) => void;
}

/** Commands to nodes (platform §11). */
export class CommandService {
  readonly broadcasts: Broadcasts;
  readonly #input: CommandServiceInput;
  readonly #ports: BroadcastPorts;

  constructor(ports: BroadcastPorts, input: CommandServiceInput) {
    this.#ports = ports;
    this.#input = input;
    this.broadcasts = new Broadcasts(ports, (told) => this.#handlerOf(told));
  }

  async command(
    author: SystemAuthor,
    command: NodeCommand,
    options: { readonly localOnly?: boolean } = {},
  ): Promise<void> {
    checkCommand(command);
    const { type } = command;
    const localOnly = options.localOnly ?? false;
    const plugin = isPluginCommand(type) ? await this.#plugin(command) : null;
    await this.broadcasts.tell(author, {
      service: NODES,
      type,
      payload: payloadOfCommand(command),
      localOnly,
      isEvent: true,
      switched:
        plugin === null || localOnly ? undefined : await this.#switched(type as PluginCommand, plugin),
    });
  }

  /** This node's plugins become what commands to all nodes have last made of them; it hears from now on what all are told. */
  async prepare(): Promise<void> {
    const { storage, logger } = this.#ports;
    if (!storage.singleNode) await this.broadcasts.listen();
    const switches = await storage.nodes.pluginSwitches();
    this.#input.switches.restore(switches);
    for (const { pluginName, state } of switches)
      logger.warn({ pluginName, state }, 'a plugin is not asked, as a command to all nodes has said');
  }

  async dropCaches(author: SystemAuthor, tenant: TenantRef | null): Promise<void> {
    await this.broadcasts.tell(author, {
      service: CACHES,
      type: INVALIDATE,
      payload: { tenantRecordId: tenant?.recordId ?? null },
      localOnly: false,
      isEvent: false,
    });
  }

  /** Code is never fetched: what no host has registered cannot be installed or started. */
  async #plugin(command: NodeCommand): Promise<PluginInfo> {
    const own = this.#input.switches.find(command);
    if (own !== null) return own;
    const everywhere = (await this.#input.nodes()).flatMap(({ plugins }) => plugins);
    const found = pluginNamedBy(command, everywhere);
    if (found !== null) return found;
    const named = command.properties.find(({ key }) => key === 'pluginName' || key === 'pluginKey')?.value;
    throw invalidField(
      named === undefined
        ? `${command.type} needs a property pluginName or pluginKey`
        : `No node has a plugin ${shortened(String(named))}; plugins are registered by the host application`,
    );
  }

  async #switched(type: PluginCommand, { pluginName }: PluginInfo): Promise<Switched> {
    const switches = await this.#ports.storage.nodes.pluginSwitches();
    const before = switches.find((each) => each.pluginName === pluginName)?.state ?? null;
    return { pluginName, state: switchedBy(type, before) };
  }

  #handlerOf({ service, type }: Pick<Broadcast, 'service' | 'type'>): BroadcastHandler | undefined {
    if (service === CACHES)
      return ({ tenantRecordId }) => this.#input.dropCaches(tenantRecordId as number | null);
    if (isPluginCommand(type)) return (payload) => this.#switch(type, commandOfPayload(payload));
    const handle = Object.hasOwn(this.#input.handlers, type) ? this.#input.handlers[type] : undefined;
    return handle && ((payload) => handle(commandOfPayload(payload)));
  }

  async #switch(type: PluginCommand, command: NodeCommand): Promise<void> {
    const { switches, onChange } = this.#input;
    const plugin = switches.find(command);
    if (plugin === null) return;
    switches.apply(type, plugin);
    this.#ports.logger.warn(
      { pluginName: plugin.pluginName, command: type },
      'a command to a plugin was done',
    );
    await onChange();
  }
}
