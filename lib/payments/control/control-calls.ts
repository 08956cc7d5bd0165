import type { FailureCallResult, PaymentControl, PaymentControlContext, Ports } from '../../ports/index.ts';
import { INVOICE_PAYMENT_CONTROL_PLUGIN, type PluginProperty } from '../../records/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import { type Instant, instant, minInstant } from '../../values/time/index.ts';
import { gatewayProperties } from '../claims/gateway-claims.ts';
import type { GatewayReply } from '../claims/gateway-reply.ts';
import { callGateway } from '../gateways/call-gateway.ts';
import type { ControlResult } from '../state/settlement.ts';
import { adjustedContext, type ClaimedPrior, claimedPrior } from './adjusted-context.ts';
import type { ControlledRun } from './controlled-run.ts';

export type ControlPorts = Pick<Ports, 'paymentControls' | 'systemClock' | 'logger'>;

interface Limits {
  readonly timeoutMs: number;
  /** `payment.method.overwrite`. */
  readonly overwritesMethod: boolean;
}

/** The calls of control plugins around an operation (§2.3). */
export class ControlCalls {
  readonly #ports: ControlPorts;

  constructor(ports: ControlPorts) {
    this.#ports = ports;
  }

  /**
   * Asks each plugin in order; each sees what those before have adjusted (rule 5).
   * @throws BillingError PAYMENT_PLUGIN_API_ABORTED (7106) for the first abort, the plugin's own BillingError, and
   * PAYMENT_INTERNAL_ERROR (7019) for any other throw or an adjustment that is not allowed (rules 6 and 8).
   */
  async prior(run: ControlledRun, limits: Limits): Promise<ControlledRun> {
    let current = run;
    for (const plugin of this.#registered(run.names)) {
      const { context, properties } = current;
      const reply = await this.#call(limits, [context, properties], async (...asking) =>
        claimedPrior(await plugin.priorCall?.(...asking)),
      );
      const result = priorResult(plugin.name, reply);
      if (result?.isAborted) throw aborted(plugin.name);
      if (result) current = adjustedContext(current, result, { plugin: plugin.name, ...limits });
    }
    return current;
  }

  /** Tells each plugin that it went well (rule 7: what it throws is logged). */
  async succeeded(run: ControlledRun, limits: Pick<Limits, 'timeoutMs'>): Promise<ControlResult> {
    let { properties } = run;
    for (const plugin of this.#registered(run.names)) {
      const reply = await this.#call(limits, [run.context, properties], async (...asking) =>
        claimedEnd(await plugin.onSuccessCall?.(...asking)),
      );
      if (reply.kind !== 'VALUE') this.#warn(plugin.name, 'onSuccessCall', reply);
      else properties = reply.value.properties ?? properties;
    }
    return { retryAt: null, properties: gatewayProperties(properties) };
  }

  /** Tells each plugin that it failed, and gathers the earliest date of a retry; a throw ends the round (rule 7). */
  async failed(run: ControlledRun, limits: Pick<Limits, 'timeoutMs'>): Promise<ControlResult> {
    let { properties } = run;
    let retryAt: Instant | null = null;
    for (const plugin of this.#registered(run.names)) {
      const reply = await this.#call(limits, [run.context, properties], async (...asking) =>
        claimedEnd(await plugin.onFailureCall?.(...asking)),
      );
      if (reply.kind !== 'VALUE') {
        this.#warn(plugin.name, 'onFailureCall', reply);
        break;
      }
      properties = reply.value.properties ?? properties;
      const { next } = reply.value;
      if (next !== null) retryAt = retryAt === null ? next : minInstant(retryAt, next);
    }
    return { retryAt, properties: gatewayProperties(properties) };
  }

  /** A name that nobody has is passed over with a warning (rule 7); the built-in invoice control is no plugin (rule 10). */
  #registered(names: readonly string[]): readonly PaymentControl[] {
    return names.flatMap((name) => {
      if (name === INVOICE_PAYMENT_CONTROL_PLUGIN) return [];
      const plugin = this.#ports.paymentControls.get(name);
      if (plugin === undefined) {
        this.#ports.logger.warn(
          { pluginName: name },
          'a payment control plugin is not registered; it is passed over',
        );
        return [];
      }
      return [plugin];
    });
  }

  async #call<T>(
    { timeoutMs }: Pick<Limits, 'timeoutMs'>,
    given: readonly [PaymentControlContext, readonly PluginProperty[]],
    call: (...given: readonly [PaymentControlContext, readonly PluginProperty[]]) => Promise<T>,
  ): Promise<GatewayReply<T>> {
    return (await callGateway(given, call, { timeoutMs, systemClock: this.#ports.systemClock })).reply;
  }

  #warn(pluginName: string, member: string, reply: GatewayReply<unknown>): void {
    this.#ports.logger.warn(
      { pluginName, member, reply },
      'a payment control plugin failed after an operation',
    );
  }
}

function priorResult(pluginName: string, reply: GatewayReply<ClaimedPrior | null>): ClaimedPrior | null {
  if (reply.kind === 'VALUE') return reply.value;
  const own = 'cause' in reply ? reply.cause : undefined;
  if (own instanceof BillingError) throw own;
  const why = reply.kind === 'TIMEOUT' ? `no answer within ${reply.timeoutMs} ms` : reply.message;
  throw new BillingError({
    code: ErrorCode.PAYMENT_INTERNAL_ERROR,
    message: `Payment control plugin "${pluginName}" failed, nothing was attempted: ${why}`,
    facts: { pluginName },
  });
}

function aborted(pluginName: string): BillingError {
  return new BillingError({
    code: ErrorCode.PAYMENT_PLUGIN_API_ABORTED,
    message: `Payment control plugin "${pluginName}" has aborted the operation; nothing was attempted`,
    facts: { pluginName },
  });
}

/** What a plugin says of an end, read while its call lasts: an answer that cannot be read is a throw of its own. */
function claimedEnd(result: FailureCallResult | null | undefined): {
  readonly properties: ControlledRun['properties'] | null;
  readonly next: Instant | null;
} {
  const adjusted = result?.adjustedProperties;
  return { properties: adjusted ? gatewayProperties(adjusted) : null, next: dateOf(result?.nextRetryDate) };
}

/** The date of a retry, to the second; undefined, null and what is no date are none. */
function dateOf(date: Date | null | undefined): Instant | null {
  const ms = date instanceof Date ? date.getTime() : Number.NaN;
  return Number.isFinite(ms) ? instant(Math.ceil(ms / 1_000) * 1_000) : null;
}
