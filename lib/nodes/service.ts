import type { NodeInfo, SystemAuthor, TenantRef } from '../records/index.ts';
import type { Plain } from '../values/given/index.ts';
import { DAY_MS, NODE_BEAT_MS, NODE_LISTED_MS } from '../values/limits.ts';
import { type Instant, instant } from '../values/time/index.ts';
import type { BroadcastPorts } from './broadcasts.ts';
import { nodeCommands } from './command-service.ts';
import type { NodeCommand, NodeCommandHandler } from './node-command.ts';
import type { PluginSwitches } from './plugin-switches.ts';

/** How long an ended node stays stored. */
const NODE_KEPT_MS = DAY_MS;

/** Interval at which a node reads broadcasts. */
const NODE_LISTEN_MS = 5_000;

interface NodeServiceInput {
  readonly nodeName: string;
  readonly version: string;
  readonly switches: PluginSwitches;
  /** The host's handlers by command type. */
  readonly handlers?: Readonly<Record<string, NodeCommandHandler>> | undefined;
  /** Drops the caches of a tenant, or of all (null). */
  readonly dropCaches: (tenantRecordId: number | null) => void;
  /** Whether the name belongs to an earlier, ended process of this node; default false. */
  readonly isFormerNode?: ((name: string) => boolean) | undefined;
}

/** Registers this process among those that share the storage (platform §15 rule 1), and executes commands to nodes. */
export class NodeService implements Omit<NodeOperations, 'list' | 'local'> {
  readonly #ports: BroadcastPorts;
  readonly #input: NodeServiceInput;
  readonly #bootDate: Instant;
  readonly #commands: ReturnType<typeof nodeCommands>;
  readonly #background: readonly Repeated[];
  #started = false;
  #stopped = false;
  #knowsFormer = false;

  constructor(ports: BroadcastPorts, input: NodeServiceInput) {
    this.#ports = ports;
    this.#input = input;
    this.#bootDate = instant(ports.systemClock.nowMs());
    this.#commands = nodeCommands(ports, {
      switches: input.switches,
      handlers: input.handlers ?? {},
      nodes: () => this.list(),
      onChange: () => this.#beat(),
      dropCaches: input.dropCaches,
    });
    const beats = this.#repeated(NODE_BEAT_MS, () => this.#beat());
    const listening = this.#repeated(NODE_LISTEN_MS, () => this.#commands.broadcasts.listen());
    this.#background = ports.storage.singleNode ? [beats] : [beats, listening];
  }

  async list(): Promise<readonly NodeInfo[]> {
    const found = await this.#ports.storage.nodes.list(NODE_LISTED_MS);
    const own = await this.local();
    if (!found.some(({ nodeName }) => nodeName === own.nodeName)) return [...found, own];
    // The current state of this node, newer than the stored one.
    return found.map((node) => (node.nodeName === own.nodeName ? { ...node, plugins: own.plugins } : node));
  }

  async local(): Promise<NodeInfo> {
    return { ...this.#self(), lastUpdatedDate: instant(this.#ports.systemClock.nowMs()) };
  }

  command(
    author: SystemAuthor,
    command: NodeCommand,
    options: { readonly localOnly?: boolean } = {},
  ): Promise<void> {
    return this.#commands.command(author, command, options);
  }

  dropCaches(author: SystemAuthor, tenant: TenantRef | null = null): Promise<void> {
    return this.#commands.dropCaches(author, tenant);
  }

  /** Restores the plugin states; call it before the first plugin call. */
  prepare(): Promise<void> {
    return this.#commands.prepare();
  }

  /** Starts heartbeats, and removes earlier processes of this node. */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    for (const repeated of this.#background) repeated.start();
  }

  /** Removes this node from the list at once. */
  async stop(): Promise<void> {
    if (!this.#started || this.#stopped) return;
    this.#stopped = true;
    await Promise.all(this.#background.map((repeated) => repeated.stop()));
    try {
      await this.#ports.storage.nodes.remove([this.#input.nodeName]);
    } catch (error) {
      this.#ports.logger.warn({ err: error }, 'this node could not take its leave; it is listed for a while');
    }
  }

  /** Deletes old broadcasts. */
  async purge(before: Instant): Promise<void> {
    if (!this.#ports.storage.singleNode) await this.#ports.storage.nodes.purgeBroadcasts(before);
  }

  #self(): Omit<NodeInfo, 'lastUpdatedDate'> {
    const { nodeName, version, switches } = this.#input;
    return { nodeName, version, bootDate: this.#bootDate, plugins: switches.list() };
  }

  async #beat(): Promise<void> {
    if (!this.#started || this.#stopped) return;
    if (!this.#knowsFormer) await this.#forgetFormer();
    await this.#ports.storage.nodes.beat(this.#self());
  }

  async #forgetFormer(): Promise<void> {
    const { nodes, singleNode } = this.#ports.storage;
    const { nodeName, isFormerNode } = this.#input;
    await nodes.purge(NODE_KEPT_MS);
    const others = (await nodes.names()).filter((name) => name !== nodeName);
    await nodes.remove(others.filter((name) => singleNode || isFormerNode?.(name) === true));
    this.#knowsFormer = true;
  }

  #repeated(everyMs: number, run: () => Promise<void>): Repeated {
    const { systemClock, logger } = this.#ports;
    let isStopped = false;
    let running = Promise.resolve();
    let cancelTimer: (() => void) | undefined;
    const start = (): void => {
      running = run()
        .catch((error: unknown) =>
          logger.warn({ err: error }, 'this node did not reach the others; it tries again'),
        )
        .finally(() => {
          if (!isStopped) cancelTimer = systemClock.after(everyMs, start);
        });
    };
    const stop = async (): Promise<void> => {
      isStopped = true;
      cancelTimer?.();
      await running;
    };
    return { start, stop };
  }
}

/** Work that repeats some time after its end, also after errors. */
interface Repeated {
  /** Starts the first run at once. */
  start(): void;
  /** Resolves at the end of the current run. */
  stop(): Promise<void>;
}

/** The processes that share the storage (platform §11, §15), for all tenants. */
export interface NodeOperations {
  /**
   * Returns this node and those with a heartbeat in the last five minutes, in the order of their start. A node sends a
   * heartbeat every 30 s from `start` to `stop`.
   */
  list(): Promise<readonly Plain<NodeInfo>[]>;
  /** Returns this node. */
  local(): Promise<Plain<NodeInfo>>;
  /**
   * Sends a command to every running node: this one executes it at once, others within some seconds. A stopped or
   * uninstalled plugin is no longer called, as if the host had not registered it, until another command; later nodes
   * start in that state. Event sinks get the command too.
   *
   * @param options `localOnly`: only this node executes it, until it ends; default false.
   * @throws BillingError MISSING_OR_INVALID_FIELD (60003) for an invalid command, or a plugin that no node has.
   * @example await billing.nodes.command({ userName: 'ops' }, {
   *   type: 'STOP_PLUGIN', properties: [{ key: 'pluginName', value: 'tax' }] });
   */
  command(
    author: SystemAuthor,
    command: NodeCommand,
    options?: { readonly localOnly?: boolean },
  ): Promise<void>;
  /**
   * Drops the cached catalogs of a tenant, or of all (null, the default), on every node, so that catalog plugins are called
   * again. Stored catalogs do not need it: their changes take effect everywhere at once.
   */
  dropCaches(author: SystemAuthor, tenant?: TenantRef | null): Promise<void>;
}
