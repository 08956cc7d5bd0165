import { setImmediate } from 'node:timers/promises';
import { type TimeSlices, timeSlices } from '../../../lib/runtime/index.ts';

/** Slices of long writes, between which other requests of the process run. */
export const slices = slicesUntil();

/** Returns the slices of one request. They throw the signal's reason on abort. */
export function slicesUntil(signal?: AbortSignal): TimeSlices {
  const nextTurn = async (): Promise<void> => {
    await setImmediate();
    signal?.throwIfAborted();
  };
  return timeSlices({ systemClock: { nowMs: () => performance.now(), nextTurn } });
}
