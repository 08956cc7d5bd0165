import type { SeenEntry } from '../ports/storage/index.ts';
import { ProcessingState } from '../records/index.ts';
import { formatInstant, instant } from '../values/time/index.ts';

/** Why an entry is not done. */
export const LateCause = {
  /** A node works on it. */
  IN_PROCESSING: 'IN_PROCESSING',
  /** The node that worked on it has gone; another one takes it. */
  NODE_GONE: 'NODE_GONE',
  /** It has failed, or its account was busy, and is tried again later. */
  PAUSED: 'PAUSED',
  /** Other work of its account comes first. */
  BEHIND: 'BEHIND',
  /** This version of the engine does not know what to do with it. */
  UNKNOWN_TOPIC: 'UNKNOWN_TOPIC',
  /** No node is at work. */
  NO_NODE: 'NO_NODE',
  /** It waits for a node that has time. */
  WAITING: 'WAITING',
} as const;
export type LateCause = (typeof LateCause)[keyof typeof LateCause];

export interface Explained {
  readonly cause: LateCause;
  /** A sentence for people. */
  readonly why: string;
}

/** What is known when an entry is looked at. */
interface Circumstances {
  readonly systemNowMs: number;
  /** Topics that have a handler. */
  readonly topics: ReadonlySet<string>;
  /** Whether any node has given a sign of life lately. */
  readonly isAnybodyAtWork: boolean;
}

/** Why a live entry that is due is not done (platform §9.5). */
export function lateCause(entry: SeenEntry, circumstances: Circumstances): Explained {
  const { processingState, underWay, behind, topic } = entry;
  if (processingState === ProcessingState.IN_PROCESSING) return ofClaimed(entry, circumstances);
  const { availableAtMs } = entry;
  if (availableAtMs !== null && availableAtMs > circumstances.systemNowMs)
    return { cause: LateCause.PAUSED, why: whyPaused(entry, availableAtMs) };
  if (!circumstances.topics.has(topic))
    return { cause: LateCause.UNKNOWN_TOPIC, why: `nothing in this version handles ${topic}` };
  if (underWay !== null)
    return {
      cause: LateCause.BEHIND,
      why: `entry ${underWay.recordId} of its account is in processing at ${underWay.owner ?? 'a node'}`,
    };
  if (behind !== null) return { cause: LateCause.BEHIND, why: `entry ${behind} of its account comes first` };
  if (!circumstances.isAnybodyAtWork)
    return { cause: LateCause.NO_NODE, why: 'no node has given a sign of life in the last five minutes' };
  return { cause: LateCause.WAITING, why: 'the next node that has time takes it' };
}

function ofClaimed({ processingOwner, availableAtMs }: SeenEntry, { systemNowMs }: Circumstances): Explained {
  const owner = processingOwner ?? 'a node';
  if (availableAtMs !== null && availableAtMs <= systemNowMs)
    return {
      cause: LateCause.NODE_GONE,
      why: `${owner} had it until ${timeOf(availableAtMs)} and has not renewed that`,
    };
  const until = availableAtMs === null ? '' : ` until ${timeOf(availableAtMs)}, unless it renews that`;
  return { cause: LateCause.IN_PROCESSING, why: `${owner} works on it${until}` };
}

function whyPaused({ errorCount, reason }: SeenEntry, availableAtMs: number): string {
  const again = `it is tried again at ${timeOf(availableAtMs)}`;
  if (errorCount === 0) return reason === null ? `its account was busy; ${again}` : `${reason}; ${again}`;
  return `it has failed ${errorCount} ${errorCount === 1 ? 'time' : 'times'}${reason === null ? '' : ` (${reason})`}; ${again}`;
}

function timeOf(ms: number): string {
  return formatInstant(instant(ms));
}
