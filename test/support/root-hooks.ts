import { enableCompileCache } from 'node:module';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import type { RootHookObject } from 'mocha';
import { removeAllDatabases } from './databases.ts';
import { isLongRun, seed } from './long-run.ts';

/** Modules are compiled once for all processes of all runs, including those that tests start. */
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
  new URL('../../node_modules/.cache/compiled', import.meta.url),
);
enableCompileCache(process.env.NODE_COMPILE_CACHE);

fc.configureGlobal({ seed });

/** Resources of the last test may take some time to close. */
const goneWithinMs = 30_000;
const pollMs = 5;

const withoutTests = resourcesInUse();

export const mochaHooks: RootHookObject = {
  /** Runs after the last test, or after each file in parallel runs. Finds leaked servers, workers and timers. */
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

/** Runs once after the last test, whatever the results; not in the workers of a parallel run. */
export async function mochaGlobalTeardown(): Promise<void> {
  await removeAllDatabases();
}

/** Returns the resources that keep this process alive, including output streams, which Node opens on first use. */
function resourcesInUse(): readonly string[] {
  return process.stdout && process.stderr && process.getActiveResourcesInfo();
}

/** Returns a filter for resources beyond the `known` ones. Each known resource matches one equal resource. */
function notAmong(known: readonly string[]): (resource: string) => boolean {
  const rest = [...known];
  return (resource) => {
    const index = rest.indexOf(resource);
    if (index >= 0) rest.splice(index, 1);
    return index < 0;
  };
}
