import { setTimeout } from 'node:timers';
import { removeAllDatabases } from './databases.ts';

/** What the last test closed may take a moment to be gone. */
const exitGraceMs = 10_000;

/** Runs once when mocha has run its last test, whatever their outcome. */
export async function mochaGlobalTeardown(): Promise<void> {
  await removeAllDatabases();
  // The timer itself holds nothing: it fires only where a leaked server, worker or timer keeps the process.
  setTimeout(failLeakedRun, exitGraceMs).unref();
}

function failLeakedRun(): void {
  const left = process.getActiveResourcesInfo().join(', ');
  process.stderr.write(`The tests have ended but left running: ${left}\n`);
  process.exit(1);
}
