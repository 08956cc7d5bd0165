import { Billing } from '../../adapters/node/billwright.ts';
import { expect, plainHasher, sampled, type TestEngine } from '../support/index.ts';
import { recordingLogger } from '../support/system-time.ts';
import { DyingProcess } from './dying-process.ts';
import { killableStorage } from './killable.ts';

interface DyingCall {
  readonly engine: TestEngine;
  /** Infinity: the process survives. */
  readonly step: number;
  readonly nodeName: string;
}

/** Makes a call in a process of its own that dies at this step. Returns the number of steps until then. */
export async function dieAt(
  { engine, step, nodeName }: DyingCall,
  call: (acme: TestEngine['acme']) => Promise<unknown>,
): Promise<number> {
  const process = new DyingProcess(Number.POSITIVE_INFINITY);
  const dying = await Billing.open({
    storage: { ...killableStorage(engine.storage, process), close: () => Promise.resolve() },
    clock: engine.clock,
    logger: recordingLogger(),
    hasher: plainHasher(),
    nodeName,
  });
  process.dieIn(step);
  await call(dying.as({ tenant: engine.tenant, user: 'test' })).catch((error: unknown) => {
    if (!String(error).includes(DyingProcess.DEATH)) throw error;
  });
  expect(process.isDead).to.equal(Number.isFinite(step));
  const { steps } = process;
  process.end();
  await dying.close();
  return steps;
}

/** Returns some of the steps of a call, and the last one, which follows the commit. */
export function stepsToDieAt(steps: number, kind: 'sqlite' | 'postgresql'): ReadonlySet<number> {
  const all = Array.from({ length: steps }, (_, step) => step + 1);
  return new Set([...sampled(all, kind === 'sqlite' ? 2 : 6), steps]);
}
