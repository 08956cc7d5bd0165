import { Billing } from '../../adapters/node/billwright.ts';
import { fakeClock, sandboxGateway } from '../../adapters/testing/index.ts';
import type { BenchDatabase } from './bench-database.ts';
import { answerParent } from './child.ts';
import { storageAt } from './databases.ts';
import { openShop, signUp } from './past.ts';

export interface TestClockInput {
  readonly database: BenchDatabase;
  readonly months: number;
  readonly way: 'ONE_JUMP' | 'MONTH_BY_MONTH';
}

export interface TestClockOutput {
  /** From the first move of the clock until all work is settled. */
  readonly ms: number;
}

async function play({ database, months, way }: TestClockInput): Promise<TestClockOutput> {
  const clock = fakeClock('2024-01-01');
  const billing = await Billing.open({ storage: storageAt(database), clock, gateways: [sandboxGateway()] });
  try {
    const tenant = await openShop(billing);
    const acme = billing.as({ tenant: tenant.id, user: 'bench' });
    await signUp(acme, 1);
    await billing.settle();
    const steps = way === 'ONE_JUMP' ? [months] : Array.from({ length: months }, () => 1);
    const began = performance.now();
    for (const step of steps) {
      clock.advance({ months: step });
      if (!(await billing.settle())) throw new Error('The clock did not settle in time');
    }
    return { ms: performance.now() - began };
  } finally {
    await billing.close();
  }
}

answerParent(play);
