import type {
  FailureCallResult,
  PaymentControl,
  PaymentControlContext,
  Ports,
  PriorCallResult,
} from '../../ports/index.ts';
import {
  INVOICE_PAYMENT_CONTROL_PLUGIN,
  type New,
  type PaymentAttempt,
  type PluginProperty,
} from '../../records/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import { isUuid, type Uuid } from '../../values/ids/index.ts';
import { type Decimal, isCurrency } from '../../values/money/index.ts';
import { type Instant, instant, minInstant } from '../../values/time/index.ts';
import {
  claimedAmount,
  claimedInUnits,
  type GatewayReply,
  gatewayProperties,
  gatewayText,
} from '../claims/gateway-claims.ts';
import type { PaymentConfig } from '../state/payment-config.ts';
import { paymentError } from '../state/payment-errors.ts';
import type { ControlResult } from '../state/transaction-outcome.ts';
import { type ControlCaller, callGateway } from './call-gateway.ts';

export type ControlPorts = Pick<Ports, 'paymentControls' | 'systemClock' | 'logger'>;

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
  async prior(
    run: ControlledRun,
    { pluginTimeoutMs, overwritesMethod }: Pick<PaymentConfig, 'pluginTimeoutMs' | 'overwritesMethod'>,
  ): Promise<ControlledRun> {
    let current = run;
    for (const plugin of this.#registered(run.names)) {
      const { context, properties } = current;
      const reply = await this.#call(pluginTimeoutMs, [context, properties], async (...asking) =>
        claimedPrior(await plugin.priorCall?.(...asking)),
      );
      const result = priorResult(plugin.name, reply);
      if (result?.isAborted) throw aborted(plugin.name);
      if (result) current = adjustedContext(current, result, { plugin: plugin.name, overwritesMethod });
    }
    return current;
  }

  /** Tells each plugin that it went well (rule 7: what it throws is logged). */
  succeeded(run: ControlledRun, timeoutMs: number): Promise<ControlResult> {
    return this.#tell(run, 'onSuccessCall', timeoutMs);
  }

  /** Tells each plugin that it failed, and gathers the earliest date of a retry; a throw ends the round (rule 7). */
  failed(run: ControlledRun, timeoutMs: number): Promise<ControlResult> {
    return this.#tell(run, 'onFailureCall', timeoutMs);
  }

  async #tell(
    run: ControlledRun,
    member: 'onSuccessCall' | 'onFailureCall',
    timeoutMs: number,
  ): Promise<ControlResult> {
    const isFailure = member === 'onFailureCall';
    let { properties } = run;
    let retryAt: Instant | null = null;
    for (const plugin of this.#registered(run.names)) {
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
    timeoutMs: number,
    given: readonly [PaymentControlContext, readonly PluginProperty[]],
    call: (...given: readonly [PaymentControlContext, readonly PluginProperty[]]) => Promise<T>,
  ): Promise<GatewayReply<T>> {
    return (await callGateway(given, call, { timeoutMs, systemClock: this.#ports.systemClock })).reply;
  }
}

function priorResult(pluginName: string, reply: GatewayReply<ClaimedPrior | null>): ClaimedPrior | null {
  if (reply.kind === 'VALUE') return reply.value;
  const own = 'cause' in reply ? reply.cause : undefined;
  if (own instanceof BillingError) throw own;
  const why = reply.kind === 'TIMEOUT' ? `no answer within ${reply.timeoutMs} ms` : reply.message;
  throw paymentError(
    ErrorCode.PAYMENT_INTERNAL_ERROR,
    `Payment control plugin "${pluginName}" failed, nothing was attempted: ${why}`,
    { pluginName },
  );
}

function aborted(pluginName: string): BillingError {
  return paymentError(
    ErrorCode.PAYMENT_PLUGIN_API_ABORTED,
    `Payment control plugin "${pluginName}" has aborted the operation; nothing was attempted`,
    { pluginName },
  );
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

/** What a plugin wants before an operation; null = it leaves it as it is. */
export interface ClaimedPrior {
  readonly isAborted: boolean;
  /** Undefined = no id can be read. */
  readonly paymentMethodId: Uuid | null | undefined;
  readonly pluginName: string | null;
  /** Undefined = no amount can be read. */
  readonly amount: Decimal | null | undefined;
  readonly currency: string | null;
  readonly properties: readonly PluginProperty[] | null;
}

/** The answer of a plugin before an operation, each member read once; a throw is one of the plugin's own. */
export function claimedPrior(result: PriorCallResult | null | undefined): ClaimedPrior | null {
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

function claimedUuid(id: unknown): Uuid | null | undefined {
  if (id === undefined || id === null) return null;
  const text = String(id).toLowerCase();
  return isUuid(text) ? text : undefined;
}

/**
 * The run with what a plugin has adjusted, which is checked.
 * @throws BillingError PAYMENT_INTERNAL_ERROR (7019) for what cannot be, and for another payment method where one was
 * named and `payment.method.overwrite` is not set, or on a payment that there is already (§2.3 rule 6).
 */
export function adjustedContext(
  run: ControlledRun,
  result: ClaimedPrior,
  { plugin, overwritesMethod }: { readonly plugin: string; readonly overwritesMethod: boolean },
): ControlledRun {
  const { context } = run;
  if (result.paymentMethodId === undefined)
    throw notAllowed(plugin, 'the payment method to something that is none');
  const methodId = result.paymentMethodId ?? context.paymentMethodId;
  const isOverwritten = context.paymentMethodId !== null && methodId !== context.paymentMethodId;
  if (isOverwritten && !overwritesMethod)
    throw notAllowed(plugin, 'the payment method, which is named already');
  if (isOverwritten && context.paymentId !== null)
    throw notAllowed(plugin, 'the payment method, which a payment keeps as long as it lives');
  const properties = result.properties ?? run.properties;
  const paymentPluginName = result.pluginName ?? context.paymentPluginName;
  const adjusted = {
    paymentMethodId: methodId,
    paymentPluginName,
    ...adjustedMoney(result, context, plugin),
  };
  return { ...run, context: { ...context, ...adjusted }, properties };
}

/** The amount in whole minor units of its currency, as the plugin has left both (§2.3 rule 6). */
function adjustedMoney(
  result: ClaimedPrior,
  context: ControlledRun['context'],
  plugin: string,
): Pick<ControlledRun['context'], 'amount' | 'currency'> {
  const stated = result.amount === null ? context.amount : result.amount;
  if (stated === undefined) throw notAllowed(plugin, 'the amount to something that is none');
  const currency = result.currency ?? context.currency;
  if (currency !== null && !isCurrency(currency))
    throw notAllowed(plugin, 'the currency to something that is none');
  const asked = currency === context.currency ? context.amount : null;
  return { amount: stated && claimedInUnits(stated, { currency, asked }), currency };
}

function notAllowed(plugin: string, what: string): BillingError {
  return paymentError(
    ErrorCode.PAYMENT_INTERNAL_ERROR,
    `Payment control plugin "${plugin}" adjusts ${what}; nothing was attempted`,
    { pluginName: plugin },
  );
}

export interface ControlledRun {
  /** In their order, the built-in invoice control among them. */
  readonly names: readonly string[];
  readonly context: PaymentControlContext;
  readonly properties: readonly PluginProperty[];
}

/** What control plugins are told of a call (§2.3 rule 4): what `about` leaves out there is not. */
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

/** What control plugins are told of the run that an attempt records (§2.3 rule 4). */
export function contextOfAttempt(
  caller: ControlCaller,
  attempt: New<PaymentAttempt>,
  { paymentPluginName }: Pick<PaymentControlContext, 'paymentPluginName'>,
): PaymentControlContext {
  return contextOfCall(caller, {
    paymentApiType: 'PAYMENT_TRANSACTION',
    accountId: attempt.accountId,
    paymentMethodId: attempt.paymentMethodId,
    paymentPluginName,
    attemptId: attempt.id,
    paymentExternalKey: attempt.paymentExternalKey,
    transactionExternalKey: attempt.transactionExternalKey,
    transactionType: attempt.transactionType,
    amount: attempt.amount,
    currency: attempt.currency,
    isApiPayment: attempt.isApiPayment,
  });
}

/** The built-in invoice control is no plugin call (§2.3 rule 10). */
export function pluginsAmong(names: readonly string[]): readonly string[] {
  return names.filter((name) => name !== INVOICE_PAYMENT_CONTROL_PLUGIN);
}
