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

/** How this node processes the entries of one kind (§4.3). */
export interface KindSettings {
  /** True: this node leaves them to other nodes. */
  readonly isOff: boolean;
  /** Entries of one claim; null: QUEUE_CLAIM_LIMIT for both kinds together. */
  readonly claimed: number | null;
  /** Entries that are handled at a time; null: as many as the workers have claimed. */
  readonly handledAtATime: number | null;
  readonly leaseMs: number;
  readonly pollMs: number;
  /** Failures of a handler before an entry is FAILED. */
  readonly maxFailures: number;
  readonly reapThresholdMs: number;
  readonly reapScheduleMs: number;
  /** How often an entry is taken back before the reaper records it. */
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

/** Entries that are claimed together; `kind` null = both kinds. */
export interface ClaimLane {
  readonly kind: QueueKind | null;
  readonly limit: number;
  readonly handledAtATime: number;
  readonly leaseMs: number;
}

/** Entries that are reaped together. */
export interface ReapLane {
  readonly kind: QueueKind | null;
  readonly thresholdMs: number;
  readonly scheduleMs: number;
  readonly maxLapses: number;
}

const kinds = [QueueKind.BUS, QueueKind.NOTIFICATION] as const;

/** The kinds that this node processes. */
export function kindsWorkedOn(settings: QueueSettings): readonly QueueKind[] {
  return kinds.filter((kind) => !settings[kind].isOff);
}

/** One claim for both kinds, at half the statements, unless a setting separates them; none for kinds that are off. */
export function claimLanes(settings: QueueSettings): readonly ClaimLane[] {
  const lanes = kindsWorkedOn(settings).map((kind): ClaimLane => {
    const { claimed, handledAtATime, leaseMs } = settings[kind];
    return {
      kind,
      limit: claimed ?? QUEUE_CLAIM_LIMIT,
      handledAtATime: handledAtATime ?? Number.POSITIVE_INFINITY,
      leaseMs,
    };
  });
  const isBounded = kinds.some((kind) => {
    const { claimed, handledAtATime } = settings[kind];
    return claimed !== null || handledAtATime !== null;
  });
  return isBounded ? lanes : together(lanes);
}

/**
 * One reaper for both kinds unless a setting separates them; also for kinds that are off, since nodes die with
 * claims.
 */
export function reapLanes(settings: QueueSettings): readonly ReapLane[] {
  return together(
    kinds.map((kind) => {
      const { reapThresholdMs, reapScheduleMs, maxLapses } = settings[kind];
      return { kind, thresholdMs: reapThresholdMs, scheduleMs: reapScheduleMs, maxLapses };
    }),
  );
}

/** How often a dispatcher looks for due work by itself. */
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
