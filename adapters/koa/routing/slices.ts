import { setImmediate } from 'node:timers/promises';
import { type TimeSlices, timeSlices } from '../../../lib/runtime/index.ts';

/** Divides long writes into slices. Other requests of the process can run between two slices. */
export const slices = slicesUntil();

/** Returns the slices of one request. After the signal aborts, the slices throw the abort reason. */
export function slicesUntil(signal?: AbortSignal): TimeSlices {
  const nextTurn = async (): Promise<void> => {
    await setImmediate();
    signal?.throwIfAborted();
  };
  return timeSlices({ systemClock: { nowMs: () => performance.now(), nextTurn } });
}
