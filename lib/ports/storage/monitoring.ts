import type { Broadcast, NodeInfo, PluginSwitch } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { OfTenants } from './queue-entries.ts';

/** A request that was answered (platform §12.1 rule 5). Times are system time. */
export interface AccessLine {
  /** 0 = of no tenant. */
  readonly tenantRecordId: number;
  readonly atMs: number;
  readonly nodeName: string;
  readonly hostName: string;
  readonly method: string;
  /** Path and query, without secrets. */
  readonly uri: string;
  readonly statusCode: number;
  /** Null = no body, or of unknown length. */
  readonly bytesSent: number | null;
  /** Who was authenticated. */
  readonly principal: string | null;
  /** Who the caller says makes the change. */
  readonly createdBy: string | null;
}

/** What was measured at a time (system time) in one category: a value for each kind of sample (platform §12.2). */
export interface Sample {
  readonly atMs: number;
  /** Empty: of the whole deployment. */
  readonly nodeName: string;
  readonly eventGroup: string;
  readonly eventCategory: string;
  readonly kinds: Readonly<Record<string, number>>;
}

/** Which samples are read: null = all. */
export interface SampleFilter {
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
  /** Samples of the whole deployment are among them in any case. */
  readonly nodeNames: readonly string[] | null;
  readonly eventGroup: string | null;
  readonly eventCategories: readonly string[] | null;
}

/** What is kept of how the deployment fares: requests and samples, both of system time. */
export interface MonitoringStore {
  addAccess(lines: readonly AccessLine[]): Promise<void>;
  /** The last `limit` requests since then, the newest last. */
  access(
    request: OfTenants & { readonly sinceMs: number; readonly limit: number },
  ): Promise<readonly AccessLine[]>;
  /** Stores samples; those that are there already stay. */
  addSamples(samples: readonly Sample[]): Promise<void>;
  /** Samples in the order of their times, a part of them at a time. */
  samples(filter: SampleFilter): AsyncIterable<readonly Sample[]>;
  /** Deletes what is older, at most `limit` rows of each; returns how many. */
  purge(before: {
    readonly accessMs: number;
    readonly samplesMs: number;
    readonly limit: number;
  }): Promise<number>;
  /** How many accounts of all tenants carry the tag. */
  countTagged(definitionId: Uuid): Promise<number>;
}

/** Whether a node has its name to itself: another one that is alive has it (TAKEN), or the storage cannot tell (UNKNOWN). */
export type HeldName = 'HELD' | 'TAKEN' | 'UNKNOWN';

/** The nodes of the deployment (platform §15 rule 1). How long one was silent is told by the clock of the database. */
export interface NodeStore {
  /** Takes the name for the node that uses this storage, until the storage is closed or its process ends in any way. */
  hold(nodeName: string): Promise<HeldName>;
  /** Writes a sign of life of the node, with what it is now. */
  beat(node: Omit<NodeInfo, 'lastUpdatedDate'>): Promise<void>;
  /** Names of all nodes that are stored, silent ones included. */
  names(): Promise<readonly string[]>;
  /** Nodes with a sign of life in the last so many milliseconds, in the order of their start. */
  list(silentForAtMostMs: number): Promise<readonly NodeInfo[]>;
  /** Forgets these nodes. */
  remove(names: readonly string[]): Promise<void>;
  /** Forgets nodes that were silent for longer. */
  purge(silentForMs: number): Promise<void>;
  /** Number of the last broadcast; 0 = there is none. */
  lastBroadcast(): Promise<number>;
  /** Broadcasts with a higher number, in the order of their numbers. */
  broadcastsAfter(recordId: number, limit: number): Promise<readonly Broadcast[]>;
  /** Forgets broadcasts that were told before. */
  purgeBroadcasts(before: Instant): Promise<void>;
  /** Plugins that commands to all nodes have stopped or uninstalled. */
  pluginSwitches(): Promise<readonly PluginSwitch[]>;
}
