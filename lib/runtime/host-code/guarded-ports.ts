import type { Clock, Logger, Span, SpanStart, SystemClock, Tracer } from '../../ports/index.ts';
import { callHost, tellHost } from './call-host.ts';
import { plainError } from './plain-error.ts';

/**
 * Returns a logger that never throws. A line whose fields the host's logger cannot read is written again with a plain
 * error in the place of `err`; a line that cannot be written at all is lost, and the work goes on.
 */
export function guardedLogger(logger: Logger): Logger {
  const write =
    (level: keyof Logger) =>
    (fields: object, message: string): void =>
      tellHost(
        () => logger[level](fields, message),
        () => tellHost(() => logger[level](readable(fields), message)),
      );
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

function readable(fields: object): object {
  return 'err' in fields ? { ...fields, err: plainError(fields.err) } : fields;
}

/** A clock of business time, of the system, or of both. */
type AnyClock = Partial<Clock & SystemClock>;

/**
 * Returns the clock with plain errors only. Work that its timers start never throws into the host's timer, where it would
 * end the process.
 */
export function guardedClock<C extends AnyClock>(clock: C, logger: Pick<Logger, 'error'>): C {
  const given: AnyClock = clock;
  const of = <K extends keyof AnyClock>(name: K): NonNullable<AnyClock[K]> =>
    given[name] as NonNullable<AnyClock[K]>;
  const all: Required<AnyClock> = {
    isOfMachine: given.isOfMachine ?? false,
    now: () => plainly(() => of('now').call(given)),
    nowMs: lastingTime(() => of('nowMs').call(given), logger),
    msUntil: (at) => plainly(() => of('msUntil').call(given, at)),
    onMove: (listener) => plainly(() => of('onMove').call(given, listener)),
    refresh: () => callHost(() => of('refresh').call(given)),
    nextTurn: () => callHost(() => of('nextTurn').call(given)),
    after: (delayMs, action, options) => {
      const work = (): void => {
        try {
          action();
        } catch (error) {
          logger.error({ err: error }, 'the work of a timer failed');
        }
      };
      const cancel = plainly(() => of('after').call(given, delayMs, work, options));
      return () => tellHost(cancel);
    },
  };
  const has = ([name]: readonly [string, unknown]): boolean => given[name as keyof AnyClock] !== undefined;
  return Object.fromEntries(Object.entries(all).filter(has)) as C;
}

/** System time, by which leases and pauses go, in the background too: while it cannot be read it stands still. */
function lastingTime(read: () => number, logger: Pick<Logger, 'error'>): () => number {
  let last: number | undefined;
  return () => {
    try {
      last = plainly(read);
      return last;
    } catch (error) {
      if (last === undefined) throw error;
      logger.error({ err: error }, 'the system clock failed; its last time counts');
      return last;
    }
  };
}

/** Like `callHost`, in less time: a clock is read often, and answers no object. */
function plainly<T>(call: () => T): T {
  try {
    const answer = call();
    return typeof answer === 'object' ? callHost(() => answer) : answer;
  } catch (thrown) {
    throw plainError(thrown);
  }
}

/**
 * Returns a tracer that never throws: the work of a span is done once, with the result that it has, whatever the tracer
 * does around it.
 */
export function guardedTracer(tracer: Tracer, logger: Pick<Logger, 'warn'>): Tracer {
  const failed = (error: unknown): void =>
    logger.warn({ err: error }, 'the tracer failed; what it shows is not complete');
  const start = (span: SpanStart): Span => {
    try {
      return guardedSpan(
        callHost(() => tracer.start(span)),
        failed,
      );
    } catch (error) {
      failed(error);
      return { ...unseen, traceParent: span.parent ?? NO_TRACE };
    }
  };
  return { start, detached: (work) => once((run) => tracer.detached(run), work, failed) };
}

/** Zeros, which W3C Trace Context takes for no trace. */
const NO_TRACE = `00-${'0'.repeat(32)}-${'0'.repeat(16)}-00`;

/** Stands for a span that the tracer could not start. */
const unseen: Omit<Span, 'traceParent'> = {
  tell: () => undefined,
  fail: () => undefined,
  end: () => undefined,
  run: (work) => work(),
};

function guardedSpan(span: Span, failed: (error: unknown) => void): Span {
  const traceParent = callHost(() => span.traceParent);
  return {
    traceParent,
    tell: (more) => tellHost(() => span.tell(more), failed),
    fail: (error) => tellHost(() => span.fail(plainError(error)), failed),
    end: () => tellHost(() => span.end(), failed),
    run: (work) => once((run) => span.run(run), work, failed),
  };
}

/** Runs work of the engine inside host code, exactly once; its own result and throw count. */
function once<T>(inside: (run: () => T) => unknown, work: () => T, failed: (error: unknown) => void): T {
  let done: (() => T) | undefined;
  const run = (): T => {
    done ??= ended(work);
    return done();
  };
  let thrown: unknown;
  try {
    inside(run);
  } catch (error) {
    thrown = error;
  }
  if (done === undefined) {
    failed(plainError(thrown ?? 'the tracer did not run the work'));
    done = ended(work);
  }
  return done();
}

function ended<T>(work: () => T): () => T {
  try {
    const result = work();
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
