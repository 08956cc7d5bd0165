import { setImmediate } from 'node:timers/promises';
import { type TimeSlices, timeSlices } from '../../../lib/runtime/index.ts';

/** Long writing yields to other requests of the process. */
export const slices = slicesUntil();

/** Slices of one request; throw the signal's reason on abort. */
export function slicesUntil(signal?: AbortSignal): TimeSlices {
  const nextTurn = async (): Promise<void> => {
    await setImmediate();
    signal?.throwIfAborted();
  };
  return timeSlices({ systemClock: { nowMs: () => performance.now(), nextTurn } });
}
