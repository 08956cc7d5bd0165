import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { BenchDatabase } from './bench-database.ts';
import type { DatabaseKind } from './databases.ts';
import { type Bench, expectSame, type Figure, type Goal, onEachDatabase } from './goal.ts';
import { callHeaders, credentials } from './http-load.ts';
import { seed } from './past.ts';

const runs = { SMOKE: 1, QUICK: 1, NORMAL: 10, FULL: 20 };
const goals: Readonly<Record<DatabaseKind, number>> = { sqlite: 500, postgresql: 800 };
const goalIdleMib = 150;
const retryMs = 2;
/** Time for background work to finish after the start. */
const idleMs = { SMOKE: 1_000, QUICK: 1_000, NORMAL: 3_000, FULL: 3_000 };
const root = fileURLToPath(new URL('../../', import.meta.url));

/** Measures `billwright serve` from the shipped package on an existing database until its first authorized response. */
export const coldStart: Goal = {
  name: 'cold-start',
  title: 'Cold start of `billwright serve` to the first authorized 200',
  measure: onEachDatabase(measureOn),
};

async function measureOn(bench: Bench, kind: DatabaseKind): Promise<readonly Figure[]> {
  const database = await bench.databases.fresh(kind);
  const seeded = await seed(database, { accounts: 3, invoices: 1, subscriptions: 0 });
  const path = `/1.0/kb/accounts/${seeded.accountId}`;
  const programs = {
    ...(bench.program !== null && { 'as the package ships it': bench.program }),
    'from its sources': join(root, 'adapters', 'cli', 'billwright.ts'),
  };
  const figures: Figure[] = [];
  for (const [which, program] of Object.entries(programs)) {
    // The first start creates the administrator, so it is not timed.
    await start({ program, database, path, accountId: seeded.accountId, idleMs: 0 });
    const starts: Start[] = [];
    for (let left = bench.choose(runs); left > 0; left -= 1) {
      const given = { program, database, path, accountId: seeded.accountId };
      starts.push(await start({ ...given, idleMs: bench.choose(idleMs) }));
    }
    const isShipped = program.endsWith('.js');
    const goal = isShipped ? { atMost: goals[kind] } : null;
    figures.push({
      name: `cold start ${which}, ${kind}`,
      unit: 'ms',
      runs: starts.map(({ ms }) => ms),
      goal,
    });
    const idle = starts.flatMap(({ idleMib }) => idleMib ?? []);
    if (!isShipped || idle.length === 0) continue;
    const name = `resident memory of the idle server ${which}, ${kind}`;
    figures.push({ name, unit: 'MiB', runs: idle, goal: { atMost: goalIdleMib } });
  }
  await bench.databases.remove(database);
  return figures;
}

interface Start {
  readonly ms: number;
  /** Resident memory some time after the first response; null if the system does not report it. */
  readonly idleMib: number | null;
}

async function start(input: {
  readonly program: string;
  readonly database: BenchDatabase;
  readonly path: string;
  readonly accountId: string;
  readonly idleMs: number;
}): Promise<Start> {
  const port = await freePort();
  const args = [input.program, 'serve', '--port', String(port), '--database', input.database.location];
  const env = {
    ...process.env,
    BILLWRIGHT_ADMIN_PASSWORD: credentials.password,
    BILLWRIGHT_LOG_LEVEL: 'error',
  };
  const began = performance.now();
  const server = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(server, 'exit');
  try {
    const account = await firstAnswer(server, `http://127.0.0.1:${port}${input.path}`);
    const ms = performance.now() - began;
    expectSame('The account of the first answer', account.accountId, input.accountId);
    await setTimeout(input.idleMs);
    return { ms, idleMib: residentMib(server.pid) };
  } finally {
    server.kill('SIGTERM');
    await ended;
  }
}

function residentMib(pid: number | undefined): number | null {
  if (process.platform !== 'linux' || pid === undefined) return null;
  const resident = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return resident ? Number(resident[1]) / 1_024 : null;
}

async function firstAnswer(server: ChildProcess, url: string): Promise<{ readonly accountId?: unknown }> {
  while (server.exitCode === null) {
    try {
      const response = await fetch(url, { headers: callHeaders });
      if (response.status === 200) return (await response.json()) as { readonly accountId?: unknown };
      // Before the first start has created the administrator, requests get status 401.
      if (response.status !== 401)
        throw new Error(`Answered with ${response.status}: ${await response.text()}`);
    } catch (error) {
      // The server does not listen yet.
      if (!(error instanceof TypeError)) throw error;
      await setTimeout(retryMs);
    }
  }
  throw new Error(`The server ended with ${server.exitCode} before it answered`);
}

async function freePort(): Promise<number> {
  const probe = createServer();
  probe.listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('There is no free TCP port');
  return address.port;
}
