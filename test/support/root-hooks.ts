import { enableCompileCache } from 'node:module';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import type { RootHookObject } from 'mocha';
import { removeAllDatabases } from './databases.ts';
import { isLongRun, seed } from './long-run.ts';

/** Modules are compiled once for all processes of all runs, those that tests start included. */
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
  new URL('../../node_modules/.cache/compiled', import.meta.url),
);
enableCompileCache(process.env.NODE_COMPILE_CACHE);

fc.configureGlobal({ seed });

/** What the last test closed may take a moment to be gone. */
const goneWithinMs = 30_000;
const pollMs = 5;

const withoutTests = resourcesInUse();

export const mochaHooks: RootHookObject = {
  /** After the last test, or after each file where mocha runs several at once: finds a leaked server, worker or timer. */
  async afterAll(this: Mocha.Context) {
    this.timeout(0);
    for (let waitedMs = 0; ; waitedMs += pollMs) {
      const ownTimer = waitedMs === 0 ? [] : ['Timeout'];
      const left = resourcesInUse().filter(notAmong([...withoutTests, ...ownTimer]));
      if (left.length === 0) return;
      if (waitedMs >= goneWithinMs)
        throw new Error(`The tests have ended but left running: ${left.join(', ')}`);
      await setTimeout(pollMs);
    }
  },
};

/** Runs once before the first test; not in the workers of a parallel run. */
export function mochaGlobalSetup(): void {
  if (isLongRun)
    process.stdout.write(`BILLWRIGHT_TEST_SEED=${seed} plays the random tests of this run again\n`);
}

/** Runs once when mocha has run its last test, whatever their outcome; not in the workers of a parallel run. */
export async function mochaGlobalTeardown(): Promise<void> {
  await removeAllDatabases();
}

/** What keeps this process alive, its output streams included, which Node opens when they are first looked at. */
function resourcesInUse(): readonly string[] {
  return process.stdout && process.stderr && process.getActiveResourcesInfo();
}

/** Each of the `known` accounts for one equal resource. */
function notAmong(known: readonly string[]): (resource: string) => boolean {
  const rest = [...known];
  return (resource) => {
    const index = rest.indexOf(resource);
    if (index >= 0) rest.splice(index, 1);
    return index < 0;
  };
}
