import type { Broadcast, NodeInfo, PluginSwitch } from '../../records/index.ts';
import type { Instant } from '../../values/time/index.ts';

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
