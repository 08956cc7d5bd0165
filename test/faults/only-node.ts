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

/** Opens the only node of a database, which resumes the work of the previous one at once. */
export function openOnlyNode(
  database: TestDatabase,
  of: {
    readonly clock: FakeClock;
    /** Omitted if it does not die. */
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

/** The steps of the work, and its result as lines. */
export interface Outcome {
  readonly steps: number;
  readonly lines: readonly string[];
}

/** Checks that the result is the same after a death at one step in `every`, or at any step in the long run. */
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
  const { steps, lines: unchangedWalk } = await dieAt(Number.POSITIVE_INFINITY);
  expect(unchangedWalk).to.include.members([...leads]);
  expect(steps).to.be.greaterThan(atLeastSteps);
  const all = Array.from({ length: steps }, (_, step) => step + 1);
  for (const step of sampled(all, every, turn)) {
    const { lines } = await dieAt(step);
    expect(lines, `after a death at step ${step} of ${steps}`).to.eql(unchangedWalk);
  }
}
