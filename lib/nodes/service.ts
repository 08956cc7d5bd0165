import type { Logger, SystemClock } from '../ports/index.ts';
import type { NodeStore } from '../ports/storage/index.ts';
import type { NodeInfo, PluginInfo } from '../records/index.ts';
import { NODE_BEAT_MS, NODE_KEPT_MS, NODE_LISTED_MS } from '../values/limits.ts';
import { instant } from '../values/time/index.ts';
import type { NodeOperations } from './node-operations.ts';

interface NodePorts {
  readonly storage: { readonly nodes: NodeStore; readonly singleNode: boolean };
  readonly systemClock: SystemClock;
  readonly logger: Logger;
}

export interface NodeServiceInput {
  readonly nodeName: string;
  readonly version: string;
  readonly plugins: () => readonly PluginInfo[];
  /** Whether a node of this name was an earlier life of this one and has ended; default: none was. */
  readonly isFormerNode?: ((name: string) => boolean) | undefined;
}

/** Makes this process known to the others that share the storage, as long as it works (platform §15 rule 1). */
export class NodeService implements NodeOperations {
  readonly #ports: NodePorts;
  readonly #input: NodeServiceInput;
  readonly #bootMs: number;
  #started = false;
  #stopped = false;
  #beating: Promise<void> = Promise.resolve();
  #cancelTimer: (() => void) | undefined;

  constructor(ports: NodePorts, input: NodeServiceInput) {
    this.#ports = ports;
    this.#input = input;
    this.#bootMs = ports.systemClock.nowMs();
  }

  async list(): Promise<readonly NodeInfo[]> {
    const found = await this.#ports.storage.nodes.list(NODE_LISTED_MS);
    const { nodeName } = this.#input;
    return found.some((node) => node.nodeName === nodeName) ? found : [...found, await this.local()];
  }

  async local(): Promise<NodeInfo> {
    return { ...this.#self(), lastUpdatedDate: instant(this.#ports.systemClock.nowMs()) };
  }

  /** Signs of life begin; earlier lives of this node are forgotten. */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#beatAndGoOn(async () => {
      const { nodes } = this.#ports.storage;
      await nodes.purge(NODE_KEPT_MS);
      await nodes.remove((await nodes.names()).filter((name) => this.#isFormer(name)));
    });
  }

  /** The others see at once that this node has gone. */
  async stop(): Promise<void> {
    if (!this.#started || this.#stopped) return;
    this.#stopped = true;
    this.#cancelTimer?.();
    await this.#beating;
    try {
      await this.#ports.storage.nodes.remove([this.#input.nodeName]);
    } catch (error) {
      this.#ports.logger.warn({ err: error }, 'this node could not take its leave; it is listed for a while');
    }
  }

  #self(): Omit<NodeInfo, 'lastUpdatedDate'> {
    const { nodeName, version, plugins } = this.#input;
    return { nodeName, version, bootDate: instant(this.#bootMs), plugins: plugins() };
  }

  #isFormer(name: string): boolean {
    if (name === this.#input.nodeName) return false;
    return this.#ports.storage.singleNode || this.#input.isFormerNode?.(name) === true;
  }

  #beatAndGoOn(first?: () => Promise<void>): void {
    this.#beating = this.#beat(first).finally(() => {
      if (this.#stopped) return;
      this.#cancelTimer = this.#ports.systemClock.after(NODE_BEAT_MS, () => this.#beatAndGoOn());
    });
  }

  async #beat(first?: () => Promise<void>): Promise<void> {
    try {
      await first?.();
      await this.#ports.storage.nodes.beat(this.#self());
    } catch (error) {
      this.#ports.logger.warn(
        { err: error },
        'a sign of life of this node was not stored; the next one comes',
      );
    }
  }
}
