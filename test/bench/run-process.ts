import { performance } from 'node:perf_hooks';
import { postgresql } from '../../adapters/mikro-orm/postgresql.ts';
import { sqlite } from '../../adapters/mikro-orm/sqlite.ts';
import { Billing } from '../../adapters/node/billwright.ts';
import { fakeClock, memoryLedger, sandboxGateway } from '../../adapters/testing/index.ts';
import { ZERO } from '../../lib/money/index.ts';
import { answerParent } from './child.ts';
import type { BenchDatabase } from './databases.ts';

/** One node that does all that is due at an instant. */
export interface RunInput {
  readonly database: BenchDatabase;
  readonly now: string;
  /** Whether to count statements, which costs a little time. */
  readonly counting?: boolean;
}

export interface RunOutput {
  /** From the start of the dispatcher until nothing is due or in processing. */
  readonly ms: number;
  /** Resident memory of the opened engine before the run. */
  readonly idleMib: number;
  /** Charges that the gateway has in its books, and their sum. */
  readonly charges: number;
  readonly charged: string;
  readonly statements: number;
}

const pollMs = 50;

async function run({ database, now, counting = false }: RunInput): Promise<RunOutput> {
  let statements = 0;
  const trace = counting
    ? () => {
        statements += 1;
      }
    : undefined;
  const traced = trace === undefined ? {} : { trace };
  const { kind, location } = database;
  const storage =
    kind === 'sqlite' ? sqlite({ path: location, ...traced }) : postgresql({ url: location, ...traced });
  const clock = fakeClock(now);
  const ledger = memoryLedger();
  const billing = await Billing.open({ storage, clock, gateways: [sandboxGateway({ ledger })] });
  try {
    await billing.ping();
    const idleMib = process.memoryUsage.rss() / 2 ** 20;
    const began = performance.now();
    statements = 0;
    billing.start();
    do await new Promise((resolve) => setTimeout(resolve, pollMs));
    while ((await storage.queue.countPending(null, clock.now())) > 0);
    const ms = performance.now() - began;
    const charges = ledger.all();
    const charged = charges.reduce((sum, { amount }) => sum.plus(amount ?? ZERO), ZERO);
    return { ms, idleMib, charges: charges.length, charged: charged.toFixed(2), statements };
  } finally {
    await billing.close();
  }
}

answerParent(run);
