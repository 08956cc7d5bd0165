import type { SystemClock } from '../../ports/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import { type ActivityPorts, runInChildSpan } from '../activity.ts';
import { hostAnswer } from '../host-code/guarded-ports.ts';
import { plainError } from '../host-code/plain-error.ts';

/** Result of `atMost` after its timeout. */
export const TIME_OVER = Symbol('time over');

/**
 * Returns the result of `work`, or TIME_OVER after `timeoutMs` of system time. The work continues in the latter case.
 */
export async function atMost<T>(
  systemClock: Pick<SystemClock, 'after'>,
  timeoutMs: number,
  work: Promise<T>,
): Promise<T | typeof TIME_OVER> {
  const { promise: over, resolve } = Promise.withResolvers<typeof TIME_OVER>();
  const cancel = systemClock.after(timeoutMs, () => resolve(TIME_OVER), { keepAlive: true });
  try {
    return await Promise.race([work, over]);
  } finally {
    cancel();
  }
}

/** Resolves after `ms` of system time. */
export function pause(systemClock: SystemClock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    systemClock.after(ms, resolve, { keepAlive: true });
  });
}

/** Work that repeats from its start until it is stopped. */
export interface Repeated {
  start(): void;
  /** Resolves when the current run has ended. */
  stop(): Promise<void>;
}

/** Returns work that runs again `everyMs` after each run. The work handles its own errors. */
export function createRepeatedWork(
  systemClock: Pick<SystemClock, 'after'>,
  everyMs: number,
  run: () => Promise<void>,
): Repeated {
  let isStopped = false;
  let running = Promise.resolve();
  let cancelTimer: (() => void) | undefined;
  const start = (): void => {
    running = run().finally(() => {
      if (!isStopped) cancelTimer = systemClock.after(everyMs, start);
    });
  };
  const stop = async (): Promise<void> => {
    isStopped = true;
    cancelTimer?.();
    await running;
  };
  return { start, stop };
}

/**
 * Waits until all concurrent work has ended, then returns the results or throws the first failure. A transaction must
 * wait for all parts, because no statement may run after its end.
 */
export async function allEnded<const T extends readonly Promise<unknown>[]>(
  work: T,
): Promise<{ readonly [K in keyof T]: Awaited<T[K]> }> {
  const results = Promise.all(work);
  // Without this handler, Node would report a failure as unhandled while other work is still running.
  results.catch(() => undefined);
  await Promise.allSettled(work);
  return results;
}

/** Runs `work` on each item, on at most `limit` items at the same time. Returns the results in order. */
export async function inParallel<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const runner = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, runner));
  return results;
}

/** A plugin with the time limit of a call. */
export interface CalledPlugin {
  /** Kind of the plugin for error messages, such as "catalog plugin". */
  readonly kind: string;
  readonly name: string;
  /** Name of the called function, if error messages should contain it. */
  readonly member?: string;
  readonly timeoutMs: number;
}

/**
 * Calls a plugin with its time limit.
 * @throws BillingError UNEXPECTED (60000) with the plugin's name, and with the plugin's error as the cause.
 */
export function callPlugin<T>(
  plugin: CalledPlugin,
  ports: { readonly systemClock: SystemClock } & ActivityPorts,
  call: () => Promise<T>,
): Promise<T> {
  const { kind, name, member } = plugin;
  const start = () => ({
    name: member === undefined ? kind : `${kind} ${member}`,
    kind: 'CLIENT' as const,
    attributes: { 'billwright.plugin.name': name },
  });
  return runInChildSpan(ports, start, () => callInTime(plugin, ports.systemClock, call));
}

async function callInTime<T>(plugin: CalledPlugin, systemClock: SystemClock, call: () => Promise<T>) {
  const { member } = plugin;
  try {
    const result = await atMost(systemClock, plugin.timeoutMs, hostAnswer(call));
    if (result !== TIME_OVER) return result;
  } catch (thrown) {
    const cause = plainError(thrown);
    const where = member === undefined ? '' : ` in ${member}`;
    throw pluginFailure(plugin, `failed${where}; see the server log for the reason`, cause);
  }
  const what = member === undefined ? '' : ` ${member}`;
  throw pluginFailure(plugin, `did not answer${what} within ${plugin.timeoutMs / 1_000} s`);
}

/** Returns the error for a plugin that has violated its contract. */
export function pluginFailure(
  { kind, name }: Pick<CalledPlugin, 'kind' | 'name'>,
  what: string,
  cause?: unknown,
): BillingError {
  return new BillingError({
    code: ErrorCode.UNEXPECTED,
    message: `The ${kind} "${name}" ${what}`,
    facts: { pluginName: name },
    cause,
  });
}
