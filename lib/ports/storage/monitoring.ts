import type { Broadcast, NodeInfo, PluginSwitch, Rows } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { OfTenants } from './queue-entries.ts';

/** A finished request (platform §12.1 rule 5). Times are system time. */
export interface AccessLine {
  /** Record id of the tenant. 0 means no tenant. */
  readonly tenantRecordId: number;
  readonly atMs: number;
  readonly nodeName: string;
  readonly hostName: string;
  readonly method: string;
  /** Path and query without secrets. */
  readonly uri: string;
  readonly statusCode: number;
  /** The number of bytes of the body, or null if the response has no body or its length is unknown. */
  readonly bytesSent: number | null;
  readonly principal: string | null;
  /** The author that the caller named. */
  readonly createdBy: string | null;
}

/** The samples of one category at one system time. There is one value per kind (platform §12.2). */
export interface Sample {
  readonly atMs: number;
  /** Name of the node, or an empty string if the sample describes the whole deployment. */
  readonly nodeName: string;
  readonly eventGroup: string;
  readonly eventCategory: string;
  readonly kinds: Readonly<Record<string, number>>;
}

/** A filter for samples. A null field matches all samples. */
export interface SampleFilter {
  readonly fromMs: number;
  /** Exclusive end of the range. */
  readonly toMs: number;
  /** Names of nodes. Samples of the whole deployment are always included. */
  readonly nodeNames: readonly string[] | null;
  readonly eventGroup: string | null;
  readonly eventCategories: readonly string[] | null;
}

/** Stored requests and samples, which are ordered by system time. */
export interface MonitoringStore {
  addAccess(lines: readonly AccessLine[]): Promise<void>;
  /** Returns the last `limit` requests since a time. The newest request is last. */
  access(request: OfTenants & { readonly sinceMs: number; readonly limit: number }): Rows<AccessLine>;
  /** Adds samples. Existing samples stay unchanged. */
  addSamples(samples: readonly Sample[]): Promise<void>;
  /** Returns the samples in time order, in batches. */
  samples(filter: SampleFilter): AsyncIterable<readonly Sample[]>;
  /**
   * Deletes at most `limit` rows of each kind that are older than the given times. Returns the number of deleted rows.
   */
  purge(before: {
    readonly accessMs: number;
    readonly samplesMs: number;
    readonly limit: number;
  }): Promise<number>;
  countTagged(definitionId: Uuid): Promise<number>;
}

/** Specifies whether this node has exclusive use of its name. UNKNOWN means that the storage cannot check this. */
export type HeldName = 'HELD' | 'TAKEN' | 'UNKNOWN';

/**
 * The nodes of the deployment (platform §15 rule 1). The database's clock determines how long a node has been silent.
 */
export interface NodeStore {
  /** Reserves the name until the storage is closed or its process ends. */
  hold(nodeName: string): Promise<HeldName>;
  beat(node: Omit<NodeInfo, 'lastUpdatedDate'>): Promise<void>;
  /** Returns the names of all nodes, including nodes that have been silent. */
  names(): Rows<string>;
  /**
   * Returns the nodes that have sent a heartbeat within the given number of milliseconds, in the order in which they
   * started.
   */
  list(silentForAtMostMs: number): Rows<NodeInfo>;
  remove(names: readonly string[]): Promise<void>;
  /** Removes nodes that have been silent for longer than the given time. */
  purge(silentForMs: number): Promise<void>;
  /** Returns the number of the last broadcast, or 0 if there have been no broadcasts. */
  lastBroadcast(): Promise<number>;
  broadcastsAfter(recordId: number, limit: number): Rows<Broadcast>;
  purgeBroadcasts(before: Instant): Promise<void>;
  /** Returns the plugins that commands to all nodes have stopped or uninstalled. */
  pluginSwitches(): Rows<PluginSwitch>;
}
