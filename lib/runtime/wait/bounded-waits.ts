import type { SystemClock } from '../../ports/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import { type ActivityPorts, spanned } from '../activity.ts';
import { hostAnswer } from '../host-code/guarded-ports.ts';
import { plainError } from '../host-code/plain-error.ts';

/** The answer of `atMost` if the time ran out first. */
export const TIME_OVER = Symbol('time over');

/** The result of `work`, or TIME_OVER after `timeoutMs` of system time; the work then goes on unobserved. */
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

/** Resolves after that many milliseconds of system time. */
export function pause(systemClock: SystemClock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    systemClock.after(ms, resolve, { keepAlive: true });
  });
}

/**
 * The results of concurrent work once all of it has ended, or the first failure. A transaction must wait for all
 * parts, which could make statements after its end.
 */
export async function allEnded<const T extends readonly Promise<unknown>[]>(
  work: T,
): Promise<{ readonly [K in keyof T]: Awaited<T[K]> }> {
  const results = Promise.all(work);
  // Nobody looks at the results until the last has ended; Node would report a failure as unhandled.
  results.catch(() => undefined);
  await Promise.allSettled(work);
  return results;
}

/** Runs `work` on every item, at most `limit` at a time; results in the order of the items. */
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

/** A plugin as errors name it, with the time limit of one call. */
export interface CalledPlugin {
  /** Such as "catalog plugin". */
  readonly kind: string;
  readonly name: string;
  /** The member that is called, where the message is to name it. */
  readonly member?: string;
  readonly timeoutMs: number;
}

/**
 * One call of a plugin within its time limit.
 * @throws BillingError UNEXPECTED (60000) that names the plugin; what it threw, such as `RetryLater`, is the cause.
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
  return spanned(ports, start, () => callInTime(plugin, ports.systemClock, call));
}

async function callInTime<T>(
  plugin: CalledPlugin,
  systemClock: SystemClock,
  call: () => Promise<T>,
): Promise<T> {
  const { member } = plugin;
  try {
    const result = await atMost(systemClock, plugin.timeoutMs, hostAnswer(call));
    if (result !== TIME_OVER) return result;
  } catch (thrown) {
    const cause = plainError(thrown);
    const where = member === undefined ? '' : ` in ${member}`;
    throw pluginFailure(plugin, `failed${where}; the log of the server tells why`, cause);
  }
  const what = member === undefined ? '' : ` ${member}`;
  throw pluginFailure(plugin, `did not answer${what} within ${plugin.timeoutMs / 1_000} s`);
}

/** The error for a plugin that has not done what its port asks. */
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
