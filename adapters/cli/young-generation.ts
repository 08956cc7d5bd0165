import { setFlagsFromString } from 'node:v8';

/**
 * Limits V8's young generation, which otherwise grows to 64 MiB. This saves 40 MiB in an idle server and 100 MiB in a
 * run of 30,000 subscriptions. On SQLite such a run takes a seventh longer (Node 24).
 */
export function keepYoungGenerationSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
