import { MAX_SHARED_CALLS, SharedCalls } from '../../../lib/runtime/wait/shared-calls.ts';
import { BillingError, ErrorCode } from '../../../lib/values/errors/index.ts';
import { pushableSystemClock } from '../../support/system-time.ts';
import { expect, InvariantError } from '../../support/unit.ts';

describe('shared calls', () => {
  let batches: (readonly number[])[];
  let calls: SharedCalls<number, string>;

  const work = async (inputs: readonly number[]): Promise<readonly string[]> => {
    batches.push([...inputs]);
    return inputs.map((input) => `result of ${input}`);
  };

  beforeEach(() => {
    batches = [];
    calls = new SharedCalls(pushableSystemClock());
  });

  it('run together only if they are made at the same time, and return separate results', async () => {
    const results = await Promise.all([3, 1, 3].map((input) => calls.run('tenant', input, work)));
    expect(results).to.eql(['result of 3', 'result of 1', 'result of 3']);
    await pushableSystemClock().nextTurn();
    await calls.run('tenant', 2, work);
    expect(batches).to.eql([[3, 1, 3], [2]]);
  });

  it('run in the same turn if there is a single call', async () => {
    const first = calls.run('tenant', 1, work);
    await Promise.resolve();
    expect(batches).to.eql([[1]]);
    await first;
  });

  it('share work only if they are made before the work begins', async () => {
    await calls.run('tenant', 1, work);
    const second = calls.run('tenant', 2, work);
    expect(batches).to.eql([[1]]);
    await Promise.all([second, calls.run('tenant', 3, work)]);
    expect(batches).to.eql([[1], [2, 3]]);
  });

  it('stay separate for different keys', async () => {
    await Promise.all([calls.run('one', 1, work), calls.run('other', 2, work)]);
    expect(batches).to.eql([[1], [2]]);
  });

  it('are limited in number', async () => {
    const inputs = Array.from({ length: MAX_SHARED_CALLS + 2 }, (_, index) => index);
    await Promise.all(inputs.map((input) => calls.run('tenant', input, work)));
    expect(batches.map((each) => each.length)).to.eql([MAX_SHARED_CALLS, 2]);
  });

  it('fail independently of each other', async () => {
    const refusing = async (inputs: readonly number[]): Promise<readonly string[]> => {
      if (inputs.includes(2)) throw new InvariantError('2 is refused');
      return work(inputs);
    };
    const [, first, second] = await Promise.allSettled(
      [0, 1, 2].map((each) => calls.run('tenant', each, refusing)),
    );
    expect(first).to.eql({ status: 'fulfilled', value: 'result of 1' });
    expect(second).to.include({ status: 'rejected' });
  });

  it('repeat the first call of a rejected group before the others, which may depend on it', async () => {
    const stored: number[] = [];
    const dependent = async (inputs: readonly number[]): Promise<readonly string[]> => {
      const [input = 0] = inputs;
      if (inputs.length > 1 || stored.length < input) throw new InvariantError('refused');
      await pushableSystemClock().nextTurn();
      stored.push(input);
      return ['stored'];
    };
    const results = await Promise.all([0, 1].map((each) => calls.run('tenant', each, dependent)));
    expect(results).to.eql(['stored', 'stored']);
  });

  it('are not repeated after the rejection of a single call or after another type of error', async () => {
    let attempts = 0;
    const failingWith = (error: Error) => async (): Promise<never> => {
      attempts += 1;
      throw error;
    };
    const refusing = failingWith(new InvariantError('refused'));
    await Promise.allSettled([calls.run('tenant', 1, refusing)]);
    expect(attempts).to.equal(1);
    const unreachable = new BillingError({ code: ErrorCode.BUSY, message: 'The outcome is unknown' });
    for (const [index, error] of [new Error('connection lost'), unreachable].entries()) {
      const failing = failingWith(error);
      const results = await Promise.allSettled([1, 2, 3].map((each) => calls.run(`${index}`, each, failing)));
      expect(results.map(({ status }) => status)).to.eql(['rejected', 'rejected', 'rejected']);
    }
    expect(attempts).to.equal(3);
  });

  it('wait for running work, up to a time limit, and then run together', async () => {
    const timers = new Set<() => void>();
    const { nextTurn } = pushableSystemClock();
    const after = (_delayMs: number, action: () => void) => {
      timers.add(action);
      return () => timers.delete(action);
    };
    const systemClock = { nextTurn, after };
    const gathering = new SharedCalls<number, string>(systemClock);
    const ends: (() => void)[] = [];
    const slow = async (inputs: readonly number[]): Promise<readonly string[]> => {
      const results = await work(inputs);
      await new Promise<void>((resolve) => ends.push(resolve));
      return results;
    };
    const turns = async (count: number): Promise<void> => {
      for (let turn = 0; turn < count; turn += 1) await systemClock.nextTurn();
    };
    const run = (input: number): Promise<string> => gathering.run('tenant', input, slow);
    const first = run(1);
    await turns(1);
    const second = run(2);
    await turns(2);
    const third = run(3);
    await turns(3);
    expect(batches).to.eql([[1]]);
    ends[0]?.();
    await first;
    await turns(2);
    expect(batches).to.eql([[1], [2, 3]]);
    const fourth = run(4);
    await turns(3);
    expect(batches).to.have.length(2);
    for (const fire of timers) fire();
    await turns(2);
    expect(batches).to.eql([[1], [2, 3], [4]]);
    for (const end of ends) end();
    expect(await Promise.all([second, third, fourth])).to.eql(['result of 2', 'result of 3', 'result of 4']);
  });
});
