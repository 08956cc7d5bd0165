import { migrate } from '../../adapters/mikro-orm/postgresql.ts';
import { Billing } from '../../adapters/node/billwright.ts';
import { fakeClock, sandboxGateway } from '../../adapters/testing/index.ts';
import type { MoveProgress } from '../../lib/index.ts';
import { startPostgresql } from '../support/postgresql-server.ts';
import { recordingLogger } from '../support/system-time.ts';
import type { BenchDatabase } from './bench-database.ts';
import { storageAt } from './databases.ts';
import { dueAfter, seed } from './past.ts';

/**
 * Moves a tenant between two databases of one PostgreSQL server while it works, and prints how long its writes are
 * rejected.
 *
 * `   node test/bench/tenant-move.ts [accounts, by default 1000]`
 */
const accounts = Number(process.argv[2] ?? 1_000);
const past = { accounts, invoices: 2, subscriptions: 1 };
const WRITES_EVERY_MS = 50;

const server = await startPostgresql({ durable: true });
try {
  for (const name of ['west', 'east']) await server.administer(`create database ${name} owner billwright`);
  const at = (name: string): BenchDatabase => ({ kind: 'postgresql', location: server.url(name) });
  for (const name of ['west', 'east']) await migrate(server.url(name));
  const seeded = await seed(at('west'), past);
  print('accounts', accounts);
  print('rows', seeded.rows);
  const billing = await Billing.cells<never>({
    directory: storageAt(at('west')),
    cells: { west: storageAt(at('west')), east: storageAt(at('east')) },
    clock: fakeClock(dueAfter(past)),
    gateways: [sandboxGateway()],
    logger: recordingLogger(),
  });
  const acme = billing.as({ tenant: seeded.tenantId, user: 'bench' });
  await acme.createAccount({ currency: 'USD' });
  let isOver = false;
  let refusedSince: number | undefined;
  let longestMs = 0;
  let [written, refused] = [0, 0];
  const writing = (async () => {
    while (!isOver) {
      const began = performance.now();
      try {
        await acme.createAccount({ currency: 'USD' });
        written += 1;
        longestMs = Math.max(longestMs, performance.now() - (refusedSince ?? began));
        refusedSince = undefined;
      } catch {
        refused += 1;
        refusedSince ??= began;
      }
      await new Promise((resolve) => setTimeout(resolve, WRITES_EVERY_MS));
    }
  })();
  const steps = new Map<string, number>();
  const began = performance.now();
  const onProgress = ({ step }: MoveProgress): void => {
    if (!steps.has(step)) steps.set(step, performance.now() - began);
  };
  const { pausedMs } = await billing.cells.move(seeded.tenantId, {
    to: 'east',
    cleanUpAfterMs: 0,
    onProgress,
  });
  print('whole move in ms', performance.now() - began);
  for (const [step, ms] of steps) print(`begin of ${step} in ms`, ms);
  print('writes rejected for ms', pausedMs ?? 0);
  isOver = true;
  await writing;
  print('writes', written);
  print('rejected writes', refused);
  print('longest time until a write was accepted in ms', longestMs);
  await billing.close();
} finally {
  await server.stop();
}

function print(name: string, value: number) {
  console.log(`${name.padEnd(48)} ${Math.round(value)}`);
}
