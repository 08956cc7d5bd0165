import { QueueKind } from '../../records/index.ts';
import {
  QUEUE_CLAIM_LIMIT,
  QUEUE_LEASE_MS,
  QUEUE_MAX_FAILURES,
  QUEUE_MAX_LAPSES,
  QUEUE_POLL_MS,
  QUEUE_REAP_SCHEDULE_MS,
  QUEUE_REAP_THRESHOLD_MS,
} from '../../values/limits.ts';

/** Settings of this node for entries of one kind (§4.3). */
export interface KindSettings {
  /** If true, this node does not process entries of this kind; other nodes do. */
  readonly isOff: boolean;
  /** Maximum number of entries per claim. Null means that QUEUE_CLAIM_LIMIT applies to both kinds together. */
  readonly claimed: number | null;
  /**
   * Maximum number of entries handled at the same time. Null means that all claimed entries are handled at the same
   * time.
   */
  readonly handledAtATime: number | null;
  readonly leaseMs: number;
  readonly pollMs: number;
  /** Number of handler failures after which an entry is FAILED. */
  readonly maxFailures: number;
  readonly reapThresholdMs: number;
  readonly reapScheduleMs: number;
  /** Number of expired leases after which an entry is reaped. */
  readonly maxLapses: number;
}

export type QueueSettings = Readonly<Record<QueueKind, KindSettings>>;

const defaults: KindSettings = Object.freeze({
  isOff: false,
  claimed: null,
  handledAtATime: null,
  leaseMs: QUEUE_LEASE_MS,
  pollMs: QUEUE_POLL_MS,
  maxFailures: QUEUE_MAX_FAILURES,
  reapThresholdMs: QUEUE_REAP_THRESHOLD_MS,
  reapScheduleMs: QUEUE_REAP_SCHEDULE_MS,
  maxLapses: QUEUE_MAX_LAPSES,
});

export const DEFAULT_QUEUE_SETTINGS: QueueSettings = Object.freeze({ BUS: defaults, NOTIFICATION: defaults });

/** Limits of a claim. A null `kind` means both kinds. */
export interface ClaimLane {
  readonly kind: QueueKind | null;
  readonly limit: number;
  readonly handledAtATime: number;
  readonly leaseMs: number;
}

/** Limits of a reaper. A null `kind` means both kinds. */
export interface ReapLane {
  readonly kind: QueueKind | null;
  readonly thresholdMs: number;
  readonly scheduleMs: number;
  readonly maxLapses: number;
}

const kinds = [QueueKind.BUS, QueueKind.NOTIFICATION] as const;

/** Returns the kinds that this node processes. */
export function kindsWorkedOn(settings: QueueSettings): readonly QueueKind[] {
  return kinds.filter((kind) => !settings[kind].isOff);
}

/**
 * Returns the claims to make. If both kinds have the same settings, there is one claim for both, which takes half the
 * statements. Otherwise, there is one claim per kind. Disabled kinds have no claim.
 */
export function claimLanes(settings: QueueSettings): readonly ClaimLane[] {
  const lanes = kindsWorkedOn(settings).map((kind): ClaimLane => {
    const { claimed, handledAtATime, leaseMs } = settings[kind];
    const limit = claimed ?? QUEUE_CLAIM_LIMIT;
    return { kind, limit, handledAtATime: handledAtATime ?? Number.POSITIVE_INFINITY, leaseMs };
  });
  const isBounded = kinds.some(
    (kind) => settings[kind].claimed !== null || settings[kind].handledAtATime !== null,
  );
  return isBounded ? lanes : together(lanes);
}

/**
 * Returns the reapers to run. If both kinds have the same settings, there is one reaper for both. Otherwise, there is
 * one reaper per kind. Kinds that are disabled on this node are included.
 */
export function reapLanes(settings: QueueSettings): readonly ReapLane[] {
  return together(
    kinds.map((kind) => {
      const { reapThresholdMs, reapScheduleMs, maxLapses } = settings[kind];
      return { kind, thresholdMs: reapThresholdMs, scheduleMs: reapScheduleMs, maxLapses };
    }),
  );
}

/** Returns the polling interval of the dispatcher. */
export function pollMsOf(settings: QueueSettings): number {
  const all = kindsWorkedOn(settings).map((kind) => settings[kind].pollMs);
  return all.length === 0 ? QUEUE_POLL_MS : Math.min(...all);
}

function together<L extends { readonly kind: QueueKind | null }>(lanes: readonly L[]): readonly L[] {
  const [first, second] = lanes;
  if (first === undefined || second === undefined) return lanes;
  const whole = (lane: L): L => ({ ...lane, kind: null });
  return JSON.stringify(whole(first)) === JSON.stringify(whole(second)) ? [whole(first)] : lanes;
}
