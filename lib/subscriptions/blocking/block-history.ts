import type { BlockingState } from '../../records/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { isEntitlementBound, statesInTimeOrder } from './states-in-force.ts';

/** What states block, one bit each, so that the states of several objects are joined by `|`. */
export const Block = { CHANGE: 1, ENTITLEMENT: 2, BILLING: 4 } as const;
export type Block = (typeof Block)[keyof typeof Block];

/**
 * What services have set on one object. It is made once and serves every subscription that the object concerns: a service
 * clears its own states on the same object only (§14.2), so that no other object changes what holds for this one.
 */
export interface BlockHistory {
  /** In time order; starts and ends of a service are not blocks. */
  readonly states: readonly BlockingState[];
  /** What holds for the object from each state on: bits of `Block`. */
  readonly blocks: Uint8Array;
}

/** @param states active states of one object. */
export function blockHistory(states: readonly BlockingState[]): BlockHistory {
  const inOrder = statesInTimeOrder(states.filter((state) => !isEntitlementBound(state)));
  const inForce = new Map<string, number>();
  const counts = new Map<Block, number>();
  const count = (blocks: number, by: 1 | -1): void => {
    for (const block of allBlocks) {
      if ((blocks & block) !== 0) counts.set(block, (counts.get(block) ?? 0) + by);
    }
  };
  const blocks = new Uint8Array(inOrder.length);
  for (const [index, state] of inOrder.entries()) {
    count(inForce.get(state.service) ?? 0, -1);
    const own = blocksOf(state);
    inForce.set(state.service, own);
    count(own, 1);
    blocks[index] = allBlocks.reduce((held, block) => (counts.get(block) ? held | block : held), 0);
  }
  return { states: inOrder, blocks };
}

/** What holds for the object at `at`. */
export function blocksAt({ states, blocks }: BlockHistory, at: Instant): number {
  return blocks[countUpTo(states, at) - 1] ?? 0;
}

/** The state in force before `at` that has blocked longest; undefined if nothing is blocked so. */
export function longestBlockBefore(
  { states, blocks }: BlockHistory,
  { block, at }: { readonly block: Block; readonly at: Instant },
): BlockingState | undefined {
  const earlier = countUpTo(states, at - 1);
  if (((blocks[earlier - 1] ?? 0) & block) === 0) return undefined;
  const seen = new Set<string>();
  let longest: BlockingState | undefined;
  for (let index = earlier - 1; index >= 0; index -= 1) {
    const state = states[index];
    if (state === undefined || seen.has(state.service)) continue;
    seen.add(state.service);
    if ((blocksOf(state) & block) !== 0) longest = state;
  }
  return longest;
}

const allBlocks = Object.values(Block);

function blocksOf({ isBlockChange, isBlockEntitlement, isBlockBilling }: BlockingState): number {
  return (
    (isBlockChange ? Block.CHANGE : 0) |
    (isBlockEntitlement ? Block.ENTITLEMENT : 0) |
    (isBlockBilling ? Block.BILLING : 0)
  );
}

/** How many of the states, which are in time order, lie at `at` or before. */
function countUpTo(states: readonly BlockingState[], at: number): number {
  let [low, high] = [0, states.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((states[middle]?.effective.at ?? at) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}
