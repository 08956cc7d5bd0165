import type { Clock, Logger, Span, SpanStart, SystemClock, Tracer } from '../../ports/index.ts';
import { plainError } from './plain-error.ts';

/**
 * Returns a logger that never throws. If the fields of a line cannot be read, the line is written with a plain `err` or
 * is lost.
 */
export function guardedLogger(logger: Logger): Logger {
  const write =
    (level: keyof Logger) =>
    (fields: object, message: string): void =>
      runHostCode(
        () => logger[level](fields, message),
        () => runHostCode(() => logger[level](readable(fields), message)),
      );
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

function readable(fields: object): object {
  return 'err' in fields ? { ...fields, err: plainError(fields.err) } : fields;
}

/** A business clock, a system clock, or a clock that is both. */
type AnyClock = Partial<Clock & SystemClock>;

/**
 * Returns a guarded clock, which throws only plain errors. Its timers never throw into the host's timer, because such
 * an error would end the process.
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
          logger.error({ err: error }, 'a timer callback failed');
        }
      };
      const cancel = plainly(() => of('after').call(given, delayMs, work, options));
      return () => runHostCode(cancel);
    },
  };
  const has = ([name]: readonly [string, unknown]): boolean => given[name as keyof AnyClock] !== undefined;
  return Object.fromEntries(Object.entries(all).filter(has)) as C;
}

/**
 * Returns a function that returns system time. If the clock fails, the function returns the last known time, because
 * leases and pauses always need a time.
 */
function lastingTime(read: () => number, logger: Pick<Logger, 'error'>): () => number {
  let last: number | undefined;
  return () => {
    try {
      last = plainly(read);
      return last;
    } catch (error) {
      if (last === undefined) throw error;
      logger.error({ err: error }, 'the system clock failed; its last time is used');
      return last;
    }
  };
}

/** Calls the host like `callHost`. It is faster for calls that do not return objects. */
function plainly<T>(call: () => T): T {
  try {
    const answer = call();
    return typeof answer === 'object' ? callHost(() => answer) : answer;
  } catch (thrown) {
    throw plainError(thrown);
  }
}

/** Returns a tracer that never throws, and that runs the work of each span exactly once. */
export function guardedTracer(tracer: Tracer, logger: Pick<Logger, 'warn'>): Tracer {
  const logTracerFailure = (error: unknown): void =>
    logger.warn({ err: error }, 'the tracer failed; its trace is incomplete');
  const start = (span: SpanStart): Span => {
    try {
      return guardedSpan(
        callHost(() => tracer.start(span)),
        logTracerFailure,
      );
    } catch (error) {
      logTracerFailure(error);
      return { ...inertSpan, traceParent: span.parent ?? NO_TRACE };
    }
  };
  return { start, detached: (work) => once((run) => tracer.detached(run), work, logTracerFailure) };
}

/** A position that belongs to no trace. In W3C Trace Context, it consists of zeros. */
const NO_TRACE = `00-${'0'.repeat(32)}-${'0'.repeat(16)}-00`;

/** Replaces a span that the tracer could not start. */
const inertSpan: Omit<Span, 'traceParent'> = {
  tell: () => undefined,
  fail: () => undefined,
  end: () => undefined,
  run: (work) => work(),
};

function guardedSpan(span: Span, failed: (error: unknown) => void): Span {
  const traceParent = callHost(() => span.traceParent);
  return {
    traceParent,
    tell: (more) => runHostCode(() => span.tell(more), failed),
    fail: (error) => runHostCode(() => span.fail(plainError(error)), failed),
    end: () => runHostCode(() => span.end(), failed),
    run: (work) => once((run) => span.run(run), work, failed),
  };
}

/** Runs work of the engine inside host code exactly once. Returns the result or throws the error of the work. */
function once<T>(inside: (run: () => T) => unknown, work: () => T, failed: (error: unknown) => void): T {
  let done: (() => T) | undefined;
  const run = (): T => {
    done ??= captureOutcome(work);
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
    done = captureOutcome(work);
  }
  return done();
}

function captureOutcome<T>(work: () => T): () => T {
  try {
    const result = work();
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** Guards by the object they guard. All engines in the process share one guard per object. */
const known = new WeakMap<object, object>();

/**
 * Returns a guarded object of the host, whose members and methods throw and reject with plain errors only
 * (`callHost`). Objects among its members are guarded too; results of methods are not.
 */
export function guardedObject<T extends object>(object: T): T {
  const before = known.get(object);
  if (before !== undefined) return before as T;
  // The target is empty, so that members of a frozen object can be replaced by guarded members.
  const guard = new Proxy(Object.create(null) as T, handlerOf(object));
  known.set(object, guard);
  return guard;
}

/** Returns the list with its objects guarded. Other values are kept, and are rejected later. */
export function guardedList<T>(list: readonly T[]): readonly T[] {
  if (!Array.isArray(list)) return list;
  return list.map((each: T) => (typeof each === 'object' && each !== null ? guardedObject(each) : each));
}

/** Returns a guarded function. It throws and rejects with plain errors only. */
export function guardedFunction<A extends readonly unknown[], R>(
  call: (...given: A) => R,
): (...given: A) => R {
  return (...given) => callHost(() => call(...given));
}

function handlerOf<T extends object>(object: T): ProxyHandler<T> {
  const methods = new Map<unknown, unknown>();
  const memberOf = (name: string | symbol): unknown => {
    const member = callHostRead(object, name);
    if (typeof member === 'object' && member !== null && !Array.isArray(member)) return guardedObject(member);
    if (typeof member !== 'function') return member;
    const method =
      methods.get(member) ??
      ((...given: unknown[]): unknown => callHost(() => Reflect.apply(member, object, given)));
    methods.set(member, method);
    return method;
  };
  return {
    get: (_target, name) => memberOf(name),
    has: (_target, name) => callHost(() => Reflect.has(object, name)),
    ownKeys: () => callHost(() => Reflect.ownKeys(object)),
    getOwnPropertyDescriptor: (_target, name) => {
      const own = callHost(() => Reflect.getOwnPropertyDescriptor(object, name));
      if (own === undefined) return undefined;
      const enumerable = own.enumerable === true;
      return { value: memberOf(name), writable: true, configurable: true, enumerable };
    },
    set: (_target, name, value) => callHost(() => Reflect.set(object, name, value)),
  };
}

/** Returns a member of an object unchanged. The member may be a promise or thenable. */
function callHostRead(object: object, name: string | symbol): unknown {
  return callHost(() => ({ member: Reflect.get(object, name) as unknown })).member;
}

/** Maximum number of members that are searched for promises. */
const MAX_SEARCHED_MEMBERS = 200;

/** Runs host code. Its errors and rejections become plain errors (`plainError`), and its thenables become promises. */
export function callHost<T>(call: () => T): T {
  try {
    const answer = call();
    const then = thenOf(answer);
    if (then !== null) return adoptThenable(answer, then) as T;
    awaitMembers(answer);
    return answer;
  } catch (thrown) {
    throw plainError(thrown);
  }
}

/** Runs host code without waiting. `failed` receives its error or rejection. */
export function runHostCode(call: () => unknown, failed: (error: Error) => void = () => undefined): void {
  try {
    const told = callHost(call);
    if (told instanceof Promise) told.catch(failed);
  } catch (error) {
    failed(plainError(error));
  }
}

/** Awaits and returns the result of host code. Converts errors of the host code to plain errors. */
export async function hostAnswer<T>(call: () => Promise<T> | T): Promise<T> {
  try {
    const answer = await call();
    awaitMembers(answer);
    return answer;
  } catch (thrown) {
    throw plainError(thrown);
  }
}

type Then = (resolve: (value: unknown) => void, reject: (reason: unknown) => void) => unknown;

/** Returns the member `then`. It is read only once, because a getter may return different values. */
function thenOf(answer: unknown): Then | null {
  if ((typeof answer !== 'object' && typeof answer !== 'function') || answer === null) return null;
  const then: unknown = Reflect.get(answer, 'then');
  return typeof then === 'function' ? (then as Then) : null;
}

function adoptThenable(answer: unknown, then: Then): Promise<unknown> {
  const promise = new Promise((resolve, reject) => {
    Reflect.apply(then, answer, [resolve, reject]);
  }).then(
    (resolved) => {
      awaitMembers(resolved);
      return resolved;
    },
    (thrown: unknown) => {
      throw plainError(thrown);
    },
  );
  // If the port does not allow a promise, the promise is never awaited, and its rejection would end the process.
  promise.catch(() => undefined);
  return promise;
}

/** Handles rejections of promises inside a plugin's result. Unhandled rejections would end the process. */
function awaitMembers(answer: unknown): void {
  let left = MAX_SEARCHED_MEMBERS;
  const search = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null || left <= 0) return;
    left -= 1;
    if (value instanceof Promise) value.catch(() => undefined);
    else if (depth > 0)
      for (const name of namesOf(value, left))
        search(Object.getOwnPropertyDescriptor(value, name)?.value, depth - 1);
  };
  try {
    search(answer, SEARCHED_DEPTH);
  } catch {
    // The members of a proxy that throws cannot be searched.
  }
}

/**
 * Returns the names of the members to search. For byte arrays, returns no names, because searching these arrays would
 * take seconds.
 */
function namesOf(value: object, most: number): readonly string[] {
  if (ArrayBuffer.isView(value)) return [];
  if (!Array.isArray(value)) return Object.getOwnPropertyNames(value);
  return Array.from({ length: Math.min(value.length, most) }, (_, index) => String(index));
}

const SEARCHED_DEPTH = 3;
