import type { SystemClock } from '../../ports/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import { type ActivityPorts, spanned } from '../activity/spanned.ts';
import { hostAnswer } from '../host-code/call-host.ts';
import { plainError } from '../host-code/plain-error.ts';
import { atMost, TIME_OVER } from './at-most.ts';

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
