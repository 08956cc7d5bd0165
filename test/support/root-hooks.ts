import { removeAllDatabases } from './databases.ts';

/** Runs once when mocha has run its last test, whatever their outcome. */
export async function mochaGlobalTeardown(): Promise<void> {
  await removeAllDatabases();
}
