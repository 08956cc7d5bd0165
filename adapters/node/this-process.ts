import { AsyncLocalStorage } from 'node:async_hooks';
import { hash, randomBytes } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type {
  Clock,
  Logger,
  ProcessGauges,
  Sha256,
  SystemClock,
  WorkScope,
  WorkScopes,
} from '../../lib/ports/index.ts';
import { createUuidV7, type UuidV7Generator } from '../../lib/values/ids/index.ts';
import { instant, truncateToSecond } from '../../lib/values/time/index.ts';

/** Longest delay of a Node timer in milliseconds. A longer timer would fire immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Returns a clock that supplies real time as business time and as system time. Timers fire after at most 24 days, so
 * code with longer waits must check the time again.
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

/** Returns a generator of UUIDv7 ids, based on system time and secure random bits. */
export function uuidGenerator(): UuidV7Generator {
  return createUuidV7({ now: () => Date.now(), randomBytes: (length) => randomBytes(length) });
}

export const sha256: Sha256 = (text) => hash('sha256', text, 'hex');

/** Returns scopes that stay current across promises and timers. */
export function workScopes(): WorkScopes {
  const storage = new AsyncLocalStorage<WorkScope | undefined>();
  return {
    run: (scope, work) => storage.run(scope, work),
    current: () => storage.getStore(),
  };
}

/** Returns a logger that writes warnings and errors to standard error. */
export function consoleLogger(): Logger {
  const ignore = (): void => undefined;
  const write =
    (level: string) =>
    (fields: object, message: string): void =>
      console.error(`billwright ${level}: ${message}`, fields);
  return { debug: ignore, info: ignore, warn: write('warning'), error: write('error') };
}

const nanosecondsPerMs = 1_000_000;
const RESOLUTION_MS = 20;

/** Returns gauges for this process. Monitoring of the event loop starts with the first call. */
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
