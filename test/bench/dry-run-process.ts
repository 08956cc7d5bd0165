import { Billing } from '../../adapters/node/billwright.ts';
import { fakeClock } from '../../adapters/testing/index.ts';
import { parseLocalDate, type Uuid } from '../../lib/index.ts';
import type { BenchDatabase } from './bench-database.ts';
import { answerParent } from './child.ts';
import { tracedStorage } from './databases.ts';

export interface DryRunInput {
  readonly database: BenchDatabase;
  readonly tenantId: Uuid;
  readonly accountId: Uuid;
  /** Due date of the next invoice; the clock is one day before it. */
  readonly due: string;
  readonly calls: number;
}

export interface DryRunOutput {
  readonly timesMs: readonly number[];
  readonly amount: string;
  /** Statements of the last call, in order. */
  readonly statements: readonly string[];
}

/** Number of untimed calls while code is still being compiled. */
const warmUpCalls = 50;

async function dryRun({ database, tenantId, accountId, due, calls }: DryRunInput): Promise<DryRunOutput> {
  let statements: string[] = [];
  const storage = tracedStorage(database, (text) => statements.push(text));
  const clock = fakeClock(due);
  clock.advance({ days: -1 });
  const billing = await Billing.open({ storage, clock });
  try {
    const acme = billing.as({ tenant: await billing.tenants.refOf(tenantId), user: 'bench' });
    const targetDate = parseLocalDate(due.slice(0, 10));
    const timesMs: number[] = [];
    let amount = '';
    for (let call = -warmUpCalls; call < calls; call += 1) {
      statements = [];
      const began = performance.now();
      const invoice = await acme.invoices.dryRun({ accountId, targetDate });
      if (call >= 0) timesMs.push(performance.now() - began);
      amount = invoice?.amount.toFixed(2) ?? 'none';
    }
    return { timesMs, amount, statements };
  } finally {
    await billing.close();
  }
}

answerParent(dryRun);
