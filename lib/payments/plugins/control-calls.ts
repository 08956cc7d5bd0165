import type { FailureCallResult, PaymentControlContext, Ports, PriorCallResult } from '../../ports/index.ts';
import {
  INVOICE_PAYMENT_CONTROL_PLUGIN,
  type New,
  type PaymentAttempt,
  type PluginProperty,
} from '../../records/index.ts';
import { BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import { converterOf, type HostInput } from '../../values/host-values/index.ts';
import { isUuid, type Uuid } from '../../values/ids/index.ts';
import { type Decimal, isCurrency } from '../../values/money/index.ts';
import { type Instant, instant, minInstant } from '../../values/time/index.ts';
import {
  claimedAmount,
  type GatewayReply,
  gatewayProperties,
  gatewayText,
  roundClaimedAmount,
} from '../claims/gateway-claims.ts';
import type { PaymentConfig } from '../state/payment-config.ts';
import type { ControlResult } from '../state/transaction-outcome.ts';
import { type ControlCaller, callGateway } from './call-gateway.ts';

export type ControlPorts = Pick<Ports, 'paymentControls' | 'systemClock' | 'logger'>;

export class ControlCalls {
  readonly #ports: ControlPorts;

  constructor(ports: ControlPorts) {
    this.#ports = ports;
  }

  /**
   * Calls the plugins in order. Each plugin sees the adjustments of the previous plugins (rule 5).
   * @throws BillingError PAYMENT_PLUGIN_API_ABORTED (7106) for the first abort, the plugin's own BillingError, and
   * PAYMENT_INTERNAL_ERROR (7019) for any other error or a forbidden adjustment (rules 6 and 8).
   */
  async prior(
    run: ControlledRun,
    { pluginTimeoutMs, overwritesMethod }: Pick<PaymentConfig, 'pluginTimeoutMs' | 'overwritesMethod'>,
  ): Promise<ControlledRun> {
    let current = run;
    for (const plugin of this.#findPlugins(run.names)) {
      const { context, properties } = current;
      const reply = await this.#call(pluginTimeoutMs, [context, properties], async (...asking) =>
        claimedPrior(await plugin.priorCall?.(...asking)),
      );
      const result = priorResult(plugin.name, reply);
      if (result?.isAborted) throw pluginAbortError(plugin.name);
      if (result) current = adjustedContext(current, result, { plugin: plugin.name, overwritesMethod });
    }
    return current;
  }

  /** Reports the success to each plugin. Logs errors of plugins (rule 7). */
  succeeded(run: ControlledRun, timeoutMs: number): Promise<ControlResult> {
    return this.#tell(run, 'onSuccessCall', timeoutMs);
  }

  /**
   * Reports the failure to each plugin and returns the earliest retry date. If a plugin throws, the remaining plugins
   * are not called (rule 7).
   */
  failed(run: ControlledRun, timeoutMs: number): Promise<ControlResult> {
    return this.#tell(run, 'onFailureCall', timeoutMs);
  }

  async #tell(run: ControlledRun, member: 'onSuccessCall' | 'onFailureCall', timeoutMs: number) {
    const isFailure = member === 'onFailureCall';
    let { properties } = run;
    let retryAt: Instant | null = null;
    for (const plugin of this.#findPlugins(run.names)) {
      const reply = await this.#call(timeoutMs, [run.context, properties], async (...asking) =>
        claimedEnd(await plugin[member]?.(...asking)),
      );
      if (reply.kind !== 'VALUE') {
        const facts = { pluginName: plugin.name, member, reply };
        this.#ports.logger.warn(facts, 'a payment control plugin failed after an operation');
        if (isFailure) break;
        continue;
      }
      properties = reply.value.properties ?? properties;
      const { next } = reply.value;
      if (isFailure && next !== null) retryAt = retryAt === null ? next : minInstant(retryAt, next);
    }
    return { retryAt, properties: gatewayProperties(properties) };
  }

  /**
   * Returns the registered plugins with these names. Skips unknown names with a warning (rule 7). The built-in invoice
   * control is not one of these plugins (rule 10).
   */
  #findPlugins(names: readonly string[]) {
    const { paymentControls, logger } = this.#ports;
    return pluginsAmong(names).flatMap((pluginName) => {
      const plugin = paymentControls.get(pluginName);
      if (plugin) return [plugin];
      logger.warn({ pluginName }, 'a payment control plugin is not registered; it is skipped');
      return [];
    });
  }

  async #call<T>(
    timeoutMs: number,
    given: readonly [PaymentControlContext, readonly PluginProperty[]],
    call: (...given: readonly [PaymentControlContext, readonly PluginProperty[]]) => Promise<T>,
  ) {
    return (await callGateway(given, call, { timeoutMs, systemClock: this.#ports.systemClock })).reply;
  }
}

function priorResult(pluginName: string, reply: GatewayReply<ClaimedPrior | null>) {
  if (reply.kind === 'VALUE') return reply.value;
  const own = 'cause' in reply ? reply.cause : undefined;
  if (own instanceof BillingError) throw own;
  const why = reply.kind === 'TIMEOUT' ? `no answer within ${reply.timeoutMs} ms` : reply.message;
  const message = `Payment control plugin "${pluginName}" failed, nothing was attempted: ${why}`;
  throw billingError(ErrorCode.PAYMENT_INTERNAL_ERROR, message, { pluginName });
}

function pluginAbortError(pluginName: string) {
  const message = `Payment control plugin "${pluginName}" has aborted the operation; nothing was attempted`;
  return billingError(ErrorCode.PAYMENT_PLUGIN_API_ABORTED, message, { pluginName });
}

/**
 * Reads a plugin's result for the end of a run inside the plugin call, so that an unreadable result counts as an error
 * of the plugin.
 */
function claimedEnd(result: FailureCallResult | null | undefined) {
  const adjusted = result?.adjustedProperties;
  return { properties: adjusted ? gatewayProperties(adjusted) : null, next: dateOf(result?.nextRetryDate) };
}

const takeInstant = converterOf('instant');

/**
 * Returns a retry date, rounded up to the next second.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003) for an invalid date.
 */
function dateOf(date: unknown) {
  const at = takeInstant(date ?? null, 'nextRetryDate') as Instant | null;
  return at === null ? null : instant(Math.ceil(at / 1_000) * 1_000);
}

/** The adjustments that a plugin makes before an operation. A null field keeps the value of the request. */
export interface ClaimedPrior {
  readonly isAborted: boolean;
  /** The id of the payment method, or undefined if invalid. */
  readonly paymentMethodId: Uuid | null | undefined;
  readonly pluginName: string | null;
  /** The amount of the operation, or undefined if invalid. */
  readonly amount: Decimal | null | undefined;
  readonly currency: string | null;
  readonly properties: readonly PluginProperty[] | null;
}

/** Reads each field of a plugin's result only once. An error while reading counts as an error of the plugin. */
export function claimedPrior(result: HostInput<PriorCallResult> | null | undefined): ClaimedPrior | null {
  if (result == null) return null;
  const { adjustedAmount: amount, adjustedProperties: properties } = result;
  return {
    isAborted: result.isAborted === true,
    paymentMethodId: claimedUuid(result.adjustedPaymentMethodId),
    pluginName: gatewayText(result.adjustedPluginName),
    amount: amount == null ? null : claimedAmount(amount),
    currency: gatewayText(result.adjustedCurrency),
    properties: properties ? gatewayProperties(properties) : null,
  };
}

function claimedUuid(id: unknown) {
  if (id === undefined || id === null) return null;
  const text = String(id).toLowerCase();
  return isUuid(text) ? text : undefined;
}

/**
 * Returns the run with a plugin's adjustments.
 * @throws BillingError PAYMENT_INTERNAL_ERROR (7019) for invalid adjustments, and for another payment method if the
 * request names a method and `payment.method.overwrite` is not set, or if the payment already exists (§2.3 rule 6).
 */
export function adjustedContext(
  run: ControlledRun,
  result: ClaimedPrior,
  { plugin, overwritesMethod }: { readonly plugin: string; readonly overwritesMethod: boolean },
): ControlledRun {
  const { paymentMethodId, paymentId } = run.context;
  if (result.paymentMethodId === undefined)
    throw notAllowed(plugin, 'the payment method to an invalid value');
  const methodId = result.paymentMethodId ?? paymentMethodId;
  const isOverwritten = paymentMethodId !== null && methodId !== paymentMethodId;
  if (isOverwritten && !overwritesMethod)
    throw notAllowed(plugin, 'the payment method, which the request already names');
  if (isOverwritten && paymentId !== null)
    throw notAllowed(plugin, 'the payment method, which a payment cannot change');
  const context = {
    ...run.context,
    paymentMethodId: methodId,
    paymentPluginName: result.pluginName ?? run.context.paymentPluginName,
    ...adjustedMoney(result, run.context, plugin),
  };
  return { ...run, context, properties: result.properties ?? run.properties };
}

/** Returns the amount after the plugin's adjustments, in whole minor units of its currency (§2.3 rule 6). */
function adjustedMoney(result: ClaimedPrior, context: ControlledRun['context'], plugin: string) {
  const stated = result.amount === null ? context.amount : result.amount;
  if (stated === undefined) throw notAllowed(plugin, 'the amount to an invalid value');
  const currency = result.currency ?? context.currency;
  if (currency !== null && !isCurrency(currency))
    throw notAllowed(plugin, 'the currency to an invalid value');
  const asked = currency === context.currency ? context.amount : null;
  return { amount: stated && roundClaimedAmount(stated, { currency, asked }), currency };
}

function notAllowed(plugin: string, what: string) {
  const message = `Payment control plugin "${plugin}" adjusts ${what}; nothing was attempted`;
  return billingError(ErrorCode.PAYMENT_INTERNAL_ERROR, message, { pluginName: plugin });
}

export interface ControlledRun {
  readonly names: readonly string[];
  readonly context: PaymentControlContext;
  readonly properties: readonly PluginProperty[];
}

/** Returns the context that control plugins get in a call (§2.3 rule 4). Fields that `about` does not set are null. */
export function contextOfCall(
  { tenant, userName, userToken, reasonCode = null, comments = null }: ControlCaller,
  about: Pick<PaymentControlContext, 'paymentApiType'> & Partial<PaymentControlContext>,
): PaymentControlContext {
  return {
    tenantId: tenant.id,
    accountId: null,
    paymentMethodId: null,
    paymentPluginName: null,
    attemptId: null,
    paymentId: null,
    paymentExternalKey: null,
    transactionId: null,
    transactionExternalKey: null,
    transactionType: null,
    hppType: null,
    amount: null,
    currency: null,
    processedAmount: null,
    processedCurrency: null,
    isApiPayment: true,
    userName,
    reasonCode,
    comments,
    userToken,
    ...about,
  };
}

/** Returns the context that control plugins get for the run of an attempt (§2.3 rule 4). */
export function contextOfAttempt(
  caller: ControlCaller,
  attempt: New<PaymentAttempt>,
  paymentPluginName: string | null,
): PaymentControlContext {
  const { id: attemptId, accountId, paymentMethodId, paymentExternalKey, transactionExternalKey } = attempt;
  const ids = { attemptId, accountId, paymentMethodId, paymentExternalKey, transactionExternalKey };
  const { transactionType, amount, currency, isApiPayment } = attempt;
  const asked = { transactionType, amount, currency, isApiPayment };
  return contextOfCall(caller, {
    paymentApiType: 'PAYMENT_TRANSACTION',
    paymentPluginName,
    ...ids,
    ...asked,
  });
}

/** Returns the names without the built-in invoice control (§2.3 rule 10). */
export function pluginsAmong(names: readonly string[]): readonly string[] {
  return names.filter((name) => name !== INVOICE_PAYMENT_CONTROL_PLUGIN);
}
