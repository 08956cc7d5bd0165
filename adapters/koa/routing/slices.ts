import { setImmediate } from 'node:timers/promises';
import { type TimeSlices, timeSlices } from '../../../lib/runtime/index.ts';

/** What takes long to write waits its turn among the requests of the process. */
export const slices = slicesUntil();

/** Returns such slices for one request; they throw the signal's reason once it is aborted. */
export function slicesUntil(signal?: AbortSignal): TimeSlices {
  const nextTurn = async (): Promise<void> => {
    await setImmediate();
    signal?.throwIfAborted();
  };
  return timeSlices({ systemClock: { nowMs: () => performance.now(), nextTurn } });
}
