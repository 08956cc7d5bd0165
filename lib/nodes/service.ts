import type { NodeInfo, SystemAuthor, TenantRef } from '../records/index.ts';
import { createRepeatedWork } from '../runtime/index.ts';
import type { Plain } from '../values/host-values/index.ts';
import { DAY_MS, NODE_BEAT_MS, NODE_LISTED_MS } from '../values/limits.ts';
import { type Instant, instant } from '../values/time/index.ts';
import type { BroadcastPorts } from './broadcasts.ts';
import { nodeCommands } from './command-service.ts';
import type { NodeCommand, NodeCommandHandler } from './node-command.ts';
import type { PluginSwitches } from './plugin-switches.ts';

/** Milliseconds for which a node remains stored after it has ended. */
const NODE_KEPT_MS = DAY_MS;

/** Milliseconds between reads of broadcasts. */
const NODE_LISTEN_MS = 5_000;

interface NodeServiceInput {
  readonly nodeName: string;
  readonly version: string;
  readonly switches: PluginSwitches;
  /** The host's handlers by command type. */
  readonly handlers?: Readonly<Record<string, NodeCommandHandler>> | undefined;
  /** Clears the caches of a tenant. Null clears the caches of all tenants. */
  readonly dropCaches: (tenantRecordId: number | null) => void;
  /** Returns true if the name belonged to an ended process of this node. By default, always returns false. */
  readonly isFormerNode?: ((name: string) => boolean) | undefined;
}

/**
 * Registers this process as a node that shares the storage (platform §15 rule 1), and executes the commands that it
 * receives.
 */
export function nodeService(ports: BroadcastPorts, input: NodeServiceInput) {
  let started = false;
  let stopped = false;
  let knowsFormer = false;
  const bootDate = instant(ports.systemClock.nowMs());
  const commands = nodeCommands(ports, {
    switches: input.switches,
    handlers: input.handlers ?? {},
    nodes: list,
    onChange: beat,
    dropCaches: input.dropCaches,
  });
  const inBackground = (everyMs: number, run: () => Promise<void>) =>
    createRepeatedWork(ports.systemClock, everyMs, () =>
      run().catch((error: unknown) =>
        ports.logger.warn({ err: error }, 'this node did not reach the others; it will try again'),
      ),
    );
  const beats = inBackground(NODE_BEAT_MS, beat);
  const listening = inBackground(NODE_LISTEN_MS, commands.listen);
  const background = ports.storage.singleNode ? [beats] : [beats, listening];

  async function local(): Promise<NodeInfo> {
    return { ...self(), lastUpdatedDate: instant(ports.systemClock.nowMs()) };
  }

  function self(): Omit<NodeInfo, 'lastUpdatedDate'> {
    const { nodeName, version, switches } = input;
    return { nodeName, version, bootDate: bootDate, plugins: switches.list() };
  }

  async function beat(): Promise<void> {
    if (!started || stopped) return;
    if (!knowsFormer) await forgetFormer();
    await ports.storage.nodes.beat(self());
  }

  async function forgetFormer(): Promise<void> {
    const { nodes, singleNode } = ports.storage;
    const { nodeName, isFormerNode } = input;
    await nodes.purge(NODE_KEPT_MS);
    const others = (await nodes.names()).filter((name) => name !== nodeName);
    await nodes.remove(others.filter((name) => singleNode || isFormerNode?.(name) === true));
    knowsFormer = true;
  }

  async function list(): Promise<readonly NodeInfo[]> {
    const found = await ports.storage.nodes.list(NODE_LISTED_MS);
    const own = await local();
    if (!found.some(({ nodeName }) => nodeName === own.nodeName)) return [...found, own];
    // Use the current state of this node, because it is newer than the stored state.
    return found.map((node) => (node.nodeName === own.nodeName ? { ...node, plugins: own.plugins } : node));
  }

  return {
    list,
    local,
    command: commands.command,
    dropCaches: commands.dropCaches,
    /** Restores the states of plugins. Call this before the first plugin call. */
    prepare: commands.prepare,

    /** Starts heartbeats and removes earlier processes of this node. */
    start(): void {
      if (started) return;
      started = true;
      for (const each of background) each.start();
    },

    /** Removes this node from the list immediately. */
    async stop(): Promise<void> {
      if (!started || stopped) return;
      stopped = true;
      await Promise.all(background.map((each) => each.stop()));
      try {
        await ports.storage.nodes.remove([input.nodeName]);
      } catch (error) {
        ports.logger.warn({ err: error }, 'this node could not sign off; it stays listed for a while');
      }
    },

    /** Deletes old broadcasts. */
    async purge(before: Instant): Promise<void> {
      if (!ports.storage.singleNode) await ports.storage.nodes.purgeBroadcasts(before);
    },
  };
}

export type NodeService = ReturnType<typeof nodeService>;

/** Operations on the processes that share the storage (platform §11, §15), for all tenants. */
export interface NodeOperations {
  /**
   * Returns this node and all nodes with a heartbeat in the last five minutes, in the order in which they started. A
   * node sends a heartbeat every 30 s from `start` to `stop`.
   */
  list(): Promise<readonly Plain<NodeInfo>[]>;
  /** Returns this node. */
  local(): Promise<Plain<NodeInfo>>;
  /**
   * Sends a command to every running node: this node executes the command immediately, others within some
   * seconds. A stopped or uninstalled plugin is not called until another command starts it, as if the host had not
   * registered it. Later nodes start in that state. Event sinks get the command too.
   *
   * @param options `localOnly`: only this node executes it, until it ends; defaults to false.
   * @throws BillingError MISSING_OR_INVALID_FIELD (60003) for an invalid command, or a plugin that no node
   * has.
   * @example await billing.nodes.command({ userName: 'ops' }, { type: 'STOP_PLUGIN', properties: [{ key:
   * 'pluginName', value: 'tax' }] });
   */
  command(
    author: SystemAuthor,
    command: NodeCommand,
    options?: { readonly localOnly?: boolean },
  ): Promise<void>;
  /**
   * Drops the cached catalogs of a tenant, or of all tenants (null, the default), on every node, so that catalog
   * plugins are called again. Stored catalogs do not need this, because their changes take effect everywhere
   * immediately.
   */
  dropCaches(author: SystemAuthor, tenant?: TenantRef | null): Promise<void>;
}
