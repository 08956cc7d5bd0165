import type { PositionedEntry } from '../ports/storage/index.ts';
import { ProcessingState } from '../records/index.ts';
import { formatInstant, instant } from '../values/time/index.ts';

/** The reason why an entry is unfinished. */
export const LateCause = {
  /** A node is processing the entry. */
  IN_PROCESSING: 'IN_PROCESSING',
  /** The node of the entry has ended. Another node will take over the entry. */
  NODE_GONE: 'NODE_GONE',
  /** The entry failed or its account was busy. It will be retried. */
  PAUSED: 'PAUSED',
  /** Other work of the same account must run first. */
  BEHIND: 'BEHIND',
  /** This version of the engine has no handler for the entry. */
  UNKNOWN_TOPIC: 'UNKNOWN_TOPIC',
  /** No node is running. */
  NO_NODE: 'NO_NODE',
  /** The entry waits for a free node. */
  WAITING: 'WAITING',
} as const;
export type LateCause = (typeof LateCause)[keyof typeof LateCause];

export interface Explained {
  readonly cause: LateCause;
  readonly why: string;
}

interface Circumstances {
  readonly systemNowMs: number;
  readonly topics: ReadonlySet<string>;
  /** True if any node was alive recently. */
  readonly isAnybodyAtWork: boolean;
}

/** Returns the reason why a due live entry has not been finished (platform §9.5). */
export function lateCause(entry: PositionedEntry, circumstances: Circumstances): Explained {
  const { processingState, underWay, behind, topic } = entry;
  if (processingState === ProcessingState.IN_PROCESSING) return ofClaimed(entry, circumstances);
  const { availableAtMs } = entry;
  if (availableAtMs !== null && availableAtMs > circumstances.systemNowMs)
    return { cause: LateCause.PAUSED, why: pauseReason(entry, availableAtMs) };
  if (!circumstances.topics.has(topic))
    return { cause: LateCause.UNKNOWN_TOPIC, why: `nothing in this version handles ${topic}` };
  if (underWay !== null) {
    const owner = underWay.owner ?? 'a node';
    const why = `entry ${underWay.recordId} of its account is being processed by ${owner}`;
    return { cause: LateCause.BEHIND, why };
  }
  if (behind !== null) return { cause: LateCause.BEHIND, why: `entry ${behind} of its account comes first` };
  if (!circumstances.isAnybodyAtWork)
    return { cause: LateCause.NO_NODE, why: 'no node was active in the last five minutes' };
  return { cause: LateCause.WAITING, why: 'the next free node will process it' };
}

function ofClaimed(
  { processingOwner, availableAtMs }: PositionedEntry,
  { systemNowMs }: Circumstances,
): Explained {
  const owner = processingOwner ?? 'a node';
  if (availableAtMs !== null && availableAtMs <= systemNowMs) {
    const why = `${owner} held it until ${timeOf(availableAtMs)} and did not renew its lease`;
    return { cause: LateCause.NODE_GONE, why };
  }
  const until = availableAtMs === null ? '' : ` until ${timeOf(availableAtMs)}, unless it renews its lease`;
  return { cause: LateCause.IN_PROCESSING, why: `${owner} is processing it${until}` };
}

function pauseReason({ errorCount, reason }: PositionedEntry, availableAtMs: number) {
  const again = `it will be retried at ${timeOf(availableAtMs)}`;
  if (errorCount === 0) return reason === null ? `its account was busy; ${again}` : `${reason}; ${again}`;
  return `it has failed ${errorCount} ${errorCount === 1 ? 'time' : 'times'}${reason === null ? '' : ` (${reason})`}; ${again}`;
}

function timeOf(ms: number) {
  return formatInstant(instant(ms));
}
