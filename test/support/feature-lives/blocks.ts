import type { Ms } from './zones.ts';

export type BlockLevel = 'ACCOUNT' | 'BUNDLE' | 'SUBSCRIPTION';

/** A state of a service on an account, a bundle or a subscription. */
export interface Block {
  readonly level: BlockLevel;
  /** Place of the bundle or subscription. 0 for the account. */
  readonly of: number;
  readonly service: string;
  readonly at: Ms;
  readonly stopsService: boolean;
  readonly stopsBilling: boolean;
}

export interface Blocked {
  readonly bundle: number;
  readonly subscription: number;
}

const DAY_MS = 86_400_000;

function concerns({ level, of }: Block, { bundle, subscription }: Blocked): boolean {
  if (level === 'ACCOUNT') return true;
  return of === (level === 'BUNDLE' ? bundle : subscription);
}

const keyOf = ({ level, of, service }: Block): string => `${level} ${of} ${service}`;

/** Returns true if a state in force blocks the service (subscriptions §14.2). */
export function isServiceBlocked(blocks: readonly Block[], blocked: Blocked, at: Ms): boolean {
  const inForce = new Map<string, Block>();
  for (const block of blocks) {
    const last = inForce.get(keyOf(block));
    const isLater = last === undefined || block.at >= last.at;
    if (block.at <= at && isLater && concerns(block, blocked)) inForce.set(keyOf(block), block);
  }
  return [...inForce.values()].some(({ stopsService }) => stopsService);
}

interface Interval {
  readonly from: Ms;
  readonly until: Ms;
}

/** Returns the intervals without billing, without the closed ones below a day (subscriptions §19.3). */
export function unbilledIntervals(blocks: readonly Block[], blocked: Blocked): readonly Interval[] {
  const byService = Map.groupBy(
    blocks.filter((block) => concerns(block, blocked)),
    keyOf,
  );
  return [...byService.values()].flatMap((states) => {
    const intervals: Interval[] = [];
    let from: Ms | null = null;
    for (const { at, stopsBilling } of states.toSorted((a, b) => a.at - b.at)) {
      if (stopsBilling) from ??= at;
      if (stopsBilling || from === null) continue;
      if (at - from >= DAY_MS) intervals.push({ from, until: at });
      from = null;
    }
    return from === null ? intervals : [...intervals, { from, until: Number.POSITIVE_INFINITY }];
  });
}
