import type { Broadcast, NodeInfo, SystemAuthor, TenantRef } from '../records/index.ts';
import { invalidField } from '../values/errors/index.ts';
import { shortened } from '../values/text/index.ts';
import { type BroadcastHandler, type BroadcastPorts, Broadcasts } from './broadcasts.ts';
import {
  checkCommand,
  commandOfPayload,
  isPluginCommand,
  type NodeCommand,
  type NodeCommandHandler,
  type PluginCommand,
  payloadOfCommand,
} from './node-command.ts';
import { type PluginSwitches, pluginNamedBy } from './plugin-switches.ts';

const NODES = 'nodes-service';
const CACHES = 'cache-service';
const INVALIDATE = 'INVALIDATE_CACHE';

export interface CommandServiceInput {
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
    if (isPluginCommand(command.type)) await this.#checkPlugin(command);
    await this.broadcasts.tell(author, {
      service: NODES,
      type: command.type,
      payload: payloadOfCommand(command),
      localOnly: options.localOnly ?? false,
      isEvent: true,
    });
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
  async #checkPlugin(command: NodeCommand): Promise<void> {
    if (this.#input.switches.find(command) !== null) return;
    const everywhere = (await this.#input.nodes()).flatMap(({ plugins }) => plugins);
    if (pluginNamedBy(command, everywhere) !== null) return;
    const named = command.properties.find(({ key }) => key === 'pluginName' || key === 'pluginKey')?.value;
    throw invalidField(
      named === undefined
        ? `${command.type} needs a property pluginName or pluginKey`
        : `No node has a plugin ${shortened(String(named))}; plugins are registered by the host application`,
    );
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
