import type { Clock, SystemClock } from '../../lib/ports/index.ts';
import { instant, truncateToSecond } from '../../lib/values/time/index.ts';

/** Longest delay that a timer of Node takes; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Real time for both notions of it: business time in whole seconds (`now`), system time in milliseconds with timers that
 * keep the process alive only on request (`nowMs`, `after`). A delay beyond 24 days is cut to that, so longer waits have
 * to check again.
 */
export function systemClock(): Clock & SystemClock {
  return {
    isOfMachine: true,
    now: () => truncateToSecond(instant(Date.now())),
    msUntil: (at) => at - Date.now(),
    nowMs: () => Date.now(),
    nextTurn: () => new Promise((resolve) => setImmediate(resolve)),
    after(delayMs, action, options) {
      const timer = setTimeout(action, Math.min(Math.max(delayMs, 0), MAX_TIMER_MS));
      if (!options?.keepAlive) timer.unref();
      return () => clearTimeout(timer);
    },
  };
}
