import { expect } from 'chai';
import { Billing, type BillingOptions } from '../../adapters/node/billwright.ts';
import type { FakeClock } from '../../adapters/testing/index.ts';
import type { TestDatabase } from '../support/databases.ts';
import { sampled } from '../support/long-run.ts';
import { plainHasher } from '../support/plain-hasher.ts';
import { storageOf } from '../support/storage.ts';
import { recordingLogger } from '../support/system-time.ts';
import type { DyingProcess } from './dying-process.ts';
import { killableStorage } from './killable.ts';

/** A life of the only node of a database: it takes up at once what an earlier one had begun. */
export function openOnlyNode(
  database: TestDatabase,
  of: {
    readonly clock: FakeClock;
    /** Without it, it does not die. */
    readonly process?: DyingProcess;
    readonly gateways?: BillingOptions<never>['gateways'];
  },
): Promise<Billing<never>> {
  const storage = storageOf(database);
  return Billing.open({
    storage: of.process === undefined ? storage : killableStorage(storage, of.process),
    clock: of.clock,
    logger: recordingLogger(),
    hasher: plainHasher(),
    gateways: of.gateways ?? [],
    nodeName: 'the-only-node',
  });
}

export async function settled(billing: Billing<never>): Promise<void> {
  if (!(await billing.settle({ timeoutMs: 30_000 }))) throw new Error('the queue did not settle');
}

/** What has become of work whose process died at a step: the steps that it had made, and all that can be told of it. */
export interface Outcome {
  readonly steps: number;
  readonly lines: readonly string[];
}

/** Work comes to the same whether its process dies at a step or not: at one step in `every`, in the long run at each. */
export async function expectSameAfterDeath(
  dieAt: (step: number) => Promise<Outcome>,
  {
    leads,
    every,
    turn,
    atLeastSteps,
  }: {
    readonly leads: readonly string[];
    readonly every: number;
    readonly turn: number;
    readonly atLeastSteps: number;
  },
): Promise<void> {
  const { steps, lines: undisturbed } = await dieAt(Number.POSITIVE_INFINITY);
  expect(undisturbed).to.include.members([...leads]);
  expect(steps).to.be.greaterThan(atLeastSteps);
  const all = Array.from({ length: steps }, (_, step) => step + 1);
  for (const step of sampled(all, every, turn)) {
    const { lines } = await dieAt(step);
    expect(lines, `after a death at step ${step} of ${steps}`).to.eql(undisturbed);
  }
}
