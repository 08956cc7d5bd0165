import type { PriorCallResult } from '../../ports/index.ts';
import type { PluginProperty } from '../../records/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import { isUuid, type Uuid } from '../../values/ids/index.ts';
import { type Decimal, isCurrency } from '../../values/money/index.ts';
import { claimedAmount, claimedInUnits } from '../claims/claimed-amount.ts';
import { gatewayProperties, gatewayText } from '../claims/gateway-claims.ts';
import type { ControlledRun } from './controlled-run.ts';

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
  return new BillingError({
    code: ErrorCode.PAYMENT_INTERNAL_ERROR,
    message: `Payment control plugin "${plugin}" adjusts ${what}; nothing was attempted`,
    facts: { pluginName: plugin },
  });
}
