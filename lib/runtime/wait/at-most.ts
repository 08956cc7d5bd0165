import type { SystemClock } from '../../ports/index.ts';

/** The answer of `atMost` if the time ran out first. */
export const TIME_OVER = Symbol('time over');

/** The result of `work`, or TIME_OVER after `timeoutMs` of system time; the work then goes on unobserved. */
export async function atMost<T>(
  systemClock: Pick<SystemClock, 'after'>,
  timeoutMs: number,
  work: Promise<T>,
): Promise<T | typeof TIME_OVER> {
  const { promise: over, resolve } = Promise.withResolvers<typeof TIME_OVER>();
  const cancel = systemClock.after(timeoutMs, () => resolve(TIME_OVER), { keepAlive: true });
  try {
    return await Promise.race([work, over]);
  } finally {
    cancel();
  }
}
