import type { SystemClock } from '../../lib/index.ts';

/**
 * A system clock that a test can advance, so that leases and pauses end without waiting. Timers stay real and short.
 */
export function pushableSystemClock(
  longestTimerMs = Number.POSITIVE_INFINITY,
): SystemClock & { push(ms: number): void } {
  let ahead = 0;
  return {
    nowMs: () => Date.now() + ahead,
    nextTurn: () => new Promise((resolve) => setImmediate(resolve)),
    push: (ms) => {
      ahead += ms;
    },
    after: (delayMs, action) => {
      const timer = setTimeout(action, Math.min(delayMs, longestTimerMs));
      timer.unref();
      return () => clearTimeout(timer);
    },
  };
}

/** A logger that keeps its log lines. */
export function recordingLogger() {
  const lines: { readonly level: string; readonly message: string; readonly fields: object }[] = [];
  const at =
    (level: string) =>
    (fields: object, message: string): void => {
      lines.push({ level, message, fields });
    };
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
