import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { Billing } from '../../adapters/node/billwright.ts';
import { fakeClock } from '../../adapters/testing/index.ts';
import type { BenchDatabase } from './bench-database.ts';
import { answerParent } from './child.ts';
import { storageAt } from './databases.ts';
import { openShop } from './past.ts';

/** One node that bills accounts for a month and reports it to the tenant's callback. */
export interface PushInput {
  readonly database: BenchDatabase;
  readonly accounts: number;
  /** LIVING answers 200 at once; DEAD accepts connections and never answers; NONE = no callback is registered. */
  readonly receiver: 'NONE' | 'LIVING' | 'DEAD';
}

export interface PushOutput {
  /** From the start of the work until no queue entry is due. */
  readonly billedMs: number;
  /** From then until every push was accepted, with the number of pushes that arrived before and since. */
  readonly restMs: number;
  readonly arrivedMeanwhile: number;
  readonly arrivedSince: number;
}

const pollMs = 10;

async function measure({ database, accounts, receiver }: PushInput): Promise<PushOutput> {
  let arrived = 0;
  const server = createServer((request, response) => {
    arrived += 1;
    request.resume();
    if (receiver === 'LIVING') response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const storage = storageAt(database);
  const clock = fakeClock('2024-01-01T00:00:00Z');
  const billing = await Billing.open({ storage, clock, testMode: true });
  try {
    const { id: tenant } = await openShop(billing);
    const acme = billing.as({ tenant, user: 'bench' });
    for (let index = 0; index < accounts; index += 1) {
      const { id } = await acme.createAccount({ currency: 'USD' });
      await acme.createSubscription({ accountId: id, planName: 'sprout-monthly-direct' });
    }
    await billing.settle();
    const { port } = server.address() as AddressInfo;
    if (receiver !== 'NONE') await acme.keyValues.add('PUSH_NOTIFICATION_CB', `http://127.0.0.1:${port}/`);
    if (receiver === 'LIVING') await billing.settle();
    arrived = 0;
    clock.set('2024-02-01T00:00:00Z');
    const began = performance.now();
    billing.start();
    do await setTimeout(pollMs);
    while ((await storage.queue.countPending(null, clock.now())) > 0);
    const billed = performance.now();
    const arrivedMeanwhile = arrived;
    while (receiver === 'LIVING' && (await storage.push.hasDue(null, clock.now()))) await setTimeout(pollMs);
    return {
      billedMs: billed - began,
      restMs: performance.now() - billed,
      arrivedMeanwhile,
      arrivedSince: arrived - arrivedMeanwhile,
    };
  } finally {
    server.closeAllConnections();
    server.close();
    await billing.close();
  }
}

answerParent(measure);
