import { setTimeout } from 'node:timers/promises';

const FIRST_LOOK_MS = 1;
const LONGEST_PAUSE_MS = 250;
/** By then the dispatcher's own looks have found what was committed. */
const LAST_LOOK_MS = 60_000;

/**
 * Resolves once the transaction has ended, committed or rolled back; true if it has. The driver tells nobody of it, so its
 * state is looked at, ever less often. `waitMs` is how long a caller waits for it; without, nobody does, and it keeps no process
 * alive.
 */
export async function endOf(isOpen: () => boolean, waitMs?: number): Promise<boolean> {
  const longestMs = waitMs ?? LAST_LOOK_MS;
  const lastAt = performance.now() + longestMs;
  for (let pauseMs = FIRST_LOOK_MS; isOpen(); pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    if (performance.now() >= lastAt) return false;
    await setTimeout(pauseMs, undefined, { ref: waitMs !== undefined });
  }
  return true;
}
