import { setFlagsFromString } from 'node:v8';

/**
 * Limits V8's young generation, which grows to 64 MiB: saves 40 MiB when idle, 100 MiB in a run of 30,000
 * subscriptions, which takes a seventh longer on SQLite (Node 24).
 */
export function keepYoungGenerationSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
