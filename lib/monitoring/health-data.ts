import type { AccessLine } from '../ports/storage/index.ts';
import type { QueueEntryView } from '../queues/index.ts';
import type { Leading, NodeInfo } from '../records/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import type { Instant } from '../values/time/index.ts';

/** An account that automatic runs pass over, since it could not be invoiced. */
export interface ParkedAccountView {
  readonly accountId: Uuid;
  readonly accountRecordId: number;
  readonly externalKey: string;
  readonly parkedDate: Instant;
}

/** How the deployment fares (platform §12.1): nodes, and what of the tenant and of the system is late, done or asked for. */
export interface HealthData {
  /** System time of the answer. */
  readonly at: Instant;
  /** The business clock. */
  readonly businessNow: Instant;
  /** Those with a sign of life in the last five minutes. */
  readonly nodes: readonly NodeInfo[];
  /** At most 50, the oldest first. */
  readonly parkedAccounts: readonly ParkedAccountView[];
  /** Late by more than `health.lateThreshold` and not done, at most 100, the oldest first. */
  readonly lateBusEvents: readonly QueueEntryView[];
  /** Pushes are among them. */
  readonly lateNotifications: readonly QueueEntryView[];
  /** Finished, at most 100, the newest first. */
  readonly recentBusEvents: readonly QueueEntryView[];
  readonly recentNotifications: readonly QueueEntryView[];
  /** At most two days and 1,000 requests, the newest last. */
  readonly recentRequests: readonly AccessLine[];
}

export interface HealthDataOperations<C extends Leading = []> {
  /** How the deployment fares, as the tenant may see it. */
  data(...given: C): Promise<HealthData>;
}
