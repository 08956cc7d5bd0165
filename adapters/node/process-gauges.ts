import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { ProcessGauges } from '../../lib/ports/index.ts';

const nanosecondsPerMs = 1_000_000;
const RESOLUTION_MS = 20;

/** What Node tells of this process; the event loop is watched from the first question on. */
export function processGauges(): ProcessGauges {
  let delay: ReturnType<typeof monitorEventLoopDelay> | undefined;
  return {
    memoryBytes: () => process.memoryUsage.rss(),
    eventLoopLagMs() {
      if (delay === undefined) {
        delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
        delay.enable();
        return 0;
      }
      const worstMs = delay.max / nanosecondsPerMs;
      delay.reset();
      return Math.max(0, worstMs - RESOLUTION_MS);
    },
  };
}
