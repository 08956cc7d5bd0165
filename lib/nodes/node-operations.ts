import type { NodeInfo } from '../records/index.ts';

/** The processes that share the storage (platform §11, §15); they belong to no tenant. */
export interface NodeOperations {
  /**
   * The nodes that gave a sign of life in the last five minutes, in the order of their start, and this one. A node gives
   * one every 30 s from `start` to `stop`.
   */
  list(): Promise<readonly NodeInfo[]>;
  /** This node. */
  local(): Promise<NodeInfo>;
}
