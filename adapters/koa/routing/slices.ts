import { setImmediate } from 'node:timers/promises';
import { timeSlices } from '../../../lib/runtime/index.ts';

/** What takes long to write waits its turn among the requests of the process. */
export const slices = timeSlices({ nowMs: () => performance.now(), nextTurn: () => setImmediate() });
