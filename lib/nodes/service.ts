import type { SystemClock } from '../ports/index.ts';
import type { NodeInfo, SystemAuthor, TenantRef } from '../records/index.ts';
import type { Plain } from '../values/given/index.ts';
import { DAY_MS, NODE_BEAT_MS, NODE_LISTED_MS } from '../values/limits.ts';
import { type Instant, instant } from '../values/time/index.ts';
import type { BroadcastPorts } from './broadcasts.ts';
import { CommandService } from './command-service.ts';
import type { NodeCommand, NodeCommandHandler } from './node-command.ts';
import type { PluginSwitches } from './plugin-switches.ts';

/** How long what a node that has gone was is still stored. */
const NODE_KEPT_MS = DAY_MS;

/** How often a node looks for what all nodes are told. */
const NODE_LISTEN_MS = 5_000;

interface NodeServiceInput {
  readonly nodeName: string;
  readonly version: string;
  readonly switches: PluginSwitches;
  /** What the host does when nodes are commanded, by type of command. */
  readonly handlers?: Readonly<Record<string, NodeCommandHandler>> | undefined;
  /** Forgets what this node keeps in memory of a tenant, or of all (null). */
  readonly dropCaches: (tenantRecordId: number | null) => void;
  /** Whether a node of this name was an earlier life of this one and has ended; default: none was. */
  readonly isFormerNode?: ((name: string) => boolean) | undefined;
}

/**
 * Makes this process known to the others that share the storage (platform §15 rule 1), and does what all nodes are
 * told.
 */
export class NodeService implements Omit<NodeOperations, 'list' | 'local'> {
  readonly #ports: BroadcastPorts;
  readonly #input: NodeServiceInput;
  readonly #bootDate: Instant;
  readonly #commands: CommandService;
  readonly #background: readonly Repeated[];
  #started = false;
  #stopped = false;
  #knowsFormer = false;

  constructor(ports: BroadcastPorts, input: NodeServiceInput) {
    this.#ports = ports;
    this.#input = input;
    this.#bootDate = instant(ports.systemClock.nowMs());
    this.#commands = new CommandService(ports, {
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
    // As it is, and not as it was when it last said so.
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

  /** Before any plugin is asked: which of them are, as commands to all nodes have said. */
  prepare(): Promise<void> {
    return this.#commands.prepare();
  }

  /** Signs of life begin; earlier lives of this node are forgotten. */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    for (const repeated of this.#background) repeated.start();
  }

  /** The others see at once that this node has gone. */
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

  /** Forgets what all nodes were told before. */
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
    const failed = (error: unknown): void =>
      logger.warn({ err: error }, 'this node did not reach the others; it tries again');
    return new Repeated(systemClock, { everyMs, run, failed });
  }
}

/** The processes that share the storage (platform §11, §15); they belong to no tenant. */
export interface NodeOperations {
  /**
   * The nodes that gave a sign of life in the last five minutes, in the order of their start, and this one. A node gives
   * one every 30 s from `start` to `stop`.
   */
  list(): Promise<readonly Plain<NodeInfo>[]>;
  /** This node. */
  local(): Promise<Plain<NodeInfo>>;
  /**
   * Tells every node to do something, those that work now: this one at once, others within some seconds. A plugin that was
   * stopped or uninstalled is not asked any more, as if the host had not registered it, until a command brings it back; nodes
   * that start later begin with that. Event sinks are told of the command too.
   *
   * @param options `localOnly`: only this node does it, until it ends; default false.
   * @throws BillingError MISSING_OR_INVALID_FIELD (60003) for a command that cannot be, and for one about a plugin that no
   * node has.
   * @example await billing.nodes.command({ userName: 'ops' }, {
   *   type: 'STOP_PLUGIN', properties: [{ key: 'pluginName', value: 'tax' }] });
   */
  command(
    author: SystemAuthor,
    command: NodeCommand,
    options?: { readonly localOnly?: boolean },
  ): Promise<void>;
  /**
   * Lets every node forget what it keeps in memory of a tenant's catalogs, or of all tenants' (null, the default), so that
   * catalog plugins are asked again. Nothing that is stored needs it: a change is seen at once everywhere.
   */
  dropCaches(author: SystemAuthor, tenant?: TenantRef | null): Promise<void>;
}

/** Work that comes again some time after it has ended, whether or not it has failed. */
class Repeated {
  readonly #systemClock: SystemClock;
  readonly #everyMs: number;
  readonly #run: () => Promise<void>;
  readonly #failed: (error: unknown) => void;
  #stopped = false;
  #running: Promise<void> = Promise.resolve();
  #cancelTimer: (() => void) | undefined;

  constructor(
    systemClock: SystemClock,
    work: {
      readonly everyMs: number;
      readonly run: () => Promise<void>;
      readonly failed: (error: unknown) => void;
    },
  ) {
    this.#systemClock = systemClock;
    this.#everyMs = work.everyMs;
    this.#run = work.run;
    this.#failed = work.failed;
  }

  /** Begins at once. */
  start(): void {
    this.#running = this.#run()
      .catch(this.#failed)
      .finally(() => {
        if (this.#stopped) return;
        this.#cancelTimer = this.#systemClock.after(this.#everyMs, () => this.start());
      });
  }

  /** Resolves when what runs has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelTimer?.();
    await this.#running;
  }
}
