import type { SystemClock } from '../../ports/index.ts';

/** Resolves after that many milliseconds of system time. */
export function pause(systemClock: SystemClock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    systemClock.after(ms, resolve, { keepAlive: true });
  });
}
