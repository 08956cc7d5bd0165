import type { NodeInfo } from '../records/index.ts';

/** What a report on the deployment asks of the node that makes it. */
export interface MonitoredNode {
  nodes(): Promise<readonly NodeInfo[]>;
  /** Stores what is held of the access log. */
  storeRequests(): Promise<void>;
}
