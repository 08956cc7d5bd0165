import { inspect } from 'node:util';
import { expect } from 'chai';
import { pino } from 'pino';
import { BillingError, ErrorCode, GatewayError, type Instant, RetryLater } from '../../../lib/index.ts';
import { retryLaterOf, type Tracer } from '../../../lib/ports/index.ts';
import {
  callHost,
  guardedClock,
  guardedLogger,
  guardedObject,
  guardedTracer,
  hostAnswer,
  plainError,
  runHostCode,
} from '../../../lib/runtime/index.ts';
import { hostileAnswers, hostileThrows } from '../../support/hostile-code.ts';
import { recordingLogger } from '../../support/system-time.ts';

/** Reads all of the error. Throws if any part of it throws. */
function readWhole(error: unknown): string {
  const { name, message, stack, cause } = error as Error;
  return [
    name,
    message,
    stack,
    cause === undefined ? '' : readWhole(cause),
    inspect(error),
    String(error),
  ].join();
}

describe('host code isolation', () => {
  for (const [what, thrown] of Object.entries(hostileThrows))
    it(`turns ${what} into a readable error`, () => {
      const error = plainError(thrown());
      expect(error).to.be.instanceOf(Error);
      expect(() => readWhole(error)).not.to.throw();
      expect(() => JSON.stringify(error)).not.to.throw();
    });

  it('keeps the class, messages, causes and simple members of an error', () => {
    const cause = Object.assign(new TypeError('no such host'), { code: 'ENOTFOUND', socket: {} });
    const error = plainError(new Error('cannot connect', { cause }));
    expect(error.message).to.equal('cannot connect');
    const copied = error.cause as Error & Record<string, unknown>;
    expect([copied.name, copied.message, copied.code]).to.eql(['TypeError', 'no such host', 'ENOTFOUND']);
    expect(copied.stack).to.equal(cause.stack);
    expect(copied).not.to.have.property('socket');
  });

  it('keeps the code and facts of an engine error, and the delay of a RetryLater', () => {
    const facts = { accountId: 'a', isBusy: true };
    const problems = [{ message: 'bad', line: 2 }];
    const given = { code: ErrorCode.PAYMENT_INTERNAL_ERROR, message: 'busy', facts, problems };
    const error = plainError(new BillingError({ ...given, cause: new RetryLater(5_000) }));
    expect(error).to.be.instanceOf(BillingError).and.to.include({ code: given.code, message: 'busy' });
    expect((error as BillingError).facts).to.eql(facts);
    expect((error as BillingError).problems).to.eql(problems);
    expect(retryLaterOf(error)?.delayMs).to.equal(5_000);
    expect(plainError(new GatewayError('declined'))).to.be.instanceOf(GatewayError);
  });

  it('limits the length of messages and the number of causes', () => {
    let error = new Error('x'.repeat(1_000_000));
    for (let depth = 0; depth < 100; depth += 1) error = new Error('outer', { cause: error });
    const cyclic = new Error('cyclic');
    cyclic.cause = cyclic;
    for (const each of [error, cyclic]) expect(readWhole(plainError(each)).length).to.be.below(200_000);
    expect(plainError(new Error('x'.repeat(1_000_000))).message).to.have.length(10_000);
  });
});

describe('host code call', () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  before(() => process.on('unhandledRejection', note));
  after(() => process.off('unhandledRejection', note));
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled.splice(0)).to.eql([]);
  };

  for (const [what, answer] of Object.entries(hostileAnswers))
    it(`returns a value or throws a plain error for ${what}, without unhandled rejections`, async () => {
      for (const call of [
        () => callHost(answer),
        () => hostAnswer(answer as () => Promise<unknown>),
        () => guardedObject({ ask: answer }).ask(),
      ]) {
        try {
          await hostAnswer(async () => call());
        } catch (error) {
          expect(() => readWhole(error)).not.to.throw();
        }
      }
      runHostCode(answer);
      callHost(() => ({ answer: guardedObject({ ask: answer }) }));
      await turns();
    });

  it('checks a limited number of members for promises, and skips byte arrays', async () => {
    const lookedAt: unknown[] = [];
    const list = new Proxy(
      Array.from({ length: 100_000 }, () => 1),
      {
        getOwnPropertyDescriptor: (target, name) => {
          lookedAt.push(name);
          return Reflect.getOwnPropertyDescriptor(target, name);
        },
      },
    );
    const { getOwnPropertyNames, getOwnPropertyDescriptors } = Object;
    const opened: unknown[] = [];
    const noting =
      <T>(read: (object: object) => T) =>
      (object: object): T => {
        opened.push(object);
        return read(object);
      };
    Object.assign(Object, {
      getOwnPropertyNames: noting(getOwnPropertyNames),
      getOwnPropertyDescriptors: noting(getOwnPropertyDescriptors),
    });
    const bytes = new Uint8Array(100_000);
    try {
      await hostAnswer(() => ({ bytes, list }));
    } finally {
      Object.assign(Object, { getOwnPropertyNames, getOwnPropertyDescriptors });
    }
    expect(opened).to.have.length.above(0);
    expect(opened.includes(bytes)).to.equal(false);
    expect(lookedAt).to.have.length.within(1, 200);
  });

  it('accesses private members of a frozen host object, and returns undefined for an absent member', () => {
    class Counter {
      readonly nested = { deep: () => this.#count };
      #count = 0;
      next(): number {
        this.#count += 1;
        return this.#count;
      }
    }
    const counter: { next(): number; nested: { deep(): number }; other?: unknown } = guardedObject(
      Object.freeze(new Counter()),
    );
    expect([counter.next(), counter.next(), counter.nested.deep()]).to.eql([1, 2, 2]);
    expect(counter.other).to.equal(undefined);
    expect('next' in counter).to.equal(true);
    expect(Object.keys(counter)).to.eql(['nested']);
  });
});

describe('guarded port', () => {
  it('logs a plain error instead of an error that the logger cannot read', () => {
    const lines: string[] = [];
    const logger = guardedLogger(pino({ base: null }, { write: (line) => void lines.push(line) }));
    for (const thrown of Object.values(hostileThrows))
      logger.warn({ err: thrown(), id: 7 }, 'a plugin failed');
    expect(lines).to.have.length(Object.keys(hostileThrows).length);
    for (const line of lines) expect(JSON.parse(line)).to.include({ id: 7, msg: 'a plugin failed' });
  });

  it('continues when a logger throws or returns a rejected promise', () => {
    const broken = () => {
      throw new Error('no disk');
    };
    const rejected = async () => broken();
    const logger = guardedLogger({ debug: broken, info: rejected, warn: rejected, error: broken });
    for (const level of ['debug', 'info', 'warn', 'error'] as const) logger[level]({}, 'anything');
  });

  it('keeps timers and system time running when the clock of the host fails', () => {
    let isBroken = false;
    let timer: () => void = () => undefined;
    const read = (): number => {
      if (isBroken) throw hostileThrows['a proxy that throws at every touch']?.();
      return 5;
    };
    const logger = recordingLogger();
    const after = (_delayMs: number, action: () => void) => {
      timer = action;
      return () => read();
    };
    const nextTurn = async () => undefined;
    const clock = guardedClock({ now: () => read() as Instant, nowMs: read, after, nextTurn }, logger);
    expect(clock.nowMs()).to.equal(5);
    isBroken = true;
    expect(clock.nowMs()).to.equal(5);
    expect(() => clock.now()).to.throw(Error);
    const cancel = clock.after(1, () => clock.now());
    timer();
    cancel();
    expect(logger.lines.map(({ message }) => message)).to.include('a timer callback failed');
  });

  it('runs the work of a span once with its own result, regardless of the tracer’s behavior', async () => {
    const broken: () => never = () => {
      throw new Error('tracer');
    };
    const span = { traceParent: '00-1-2-00', tell: broken, fail: broken, end: broken };
    const tracers: Tracer[] = [
      { start: broken, detached: broken },
      { start: () => ({ ...span, run: broken }), detached: () => undefined as never },
      {
        start: () => ({ ...span, run: (work) => [work(), work()][0] as never }),
        detached: <T>(work: () => T) => work(),
      },
    ];
    for (const each of tracers) {
      const tracer = guardedTracer(each, recordingLogger());
      let count = 0;
      const begun = tracer.start({ name: 'x', kind: 'INTERNAL' });
      expect(begun.run(() => (count += 1))).to.equal(1);
      expect(tracer.detached(() => (count += 1))).to.equal(2);
      expect(() => begun.run(broken)).to.throw('tracer');
      begun.tell({});
      begun.fail(null);
      begun.end();
      expect(count).to.equal(2);
    }
  });
});
