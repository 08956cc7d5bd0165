import { signal } from '@preact/signals';

/** Time of the test clock; null without one, and until the server has answered. */
export const testTime = signal<string | null>(null);

/** Returns the time of the server: that of the test clock, or else the time of the browser. */
export function now(): Date {
  return testTime.value === null ? new Date() : new Date(testTime.value);
}
