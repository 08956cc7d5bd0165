import type { PriorCallResult } from '../../ports/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import { isCurrency, parseWireDecimal } from '../../values/money/index.ts';
import { gatewayProperties, gatewayText } from '../state/gateway-claims.ts';
import type { ControlledRun } from './controlled-run.ts';

/**
 * The run with what a plugin has adjusted; its answer is a claim, and is checked.
 * @throws BillingError PAYMENT_INTERNAL_ERROR (7019) for what cannot be, and for another payment method where one was
 * named and `payment.method.overwrite` is not set, or on a payment that there is already (§2.3 rule 6).
 */
export function adjustedContext(
  run: ControlledRun,
  result: PriorCallResult,
  { plugin, overwritesMethod }: { readonly plugin: string; readonly overwritesMethod: boolean },
): ControlledRun {
  const { context } = run;
  const methodId = result.adjustedPaymentMethodId ?? context.paymentMethodId;
  const isOverwritten = context.paymentMethodId !== null && methodId !== context.paymentMethodId;
  if (isOverwritten && !overwritesMethod)
    throw notAllowed(plugin, 'the payment method, which is named already');
  if (isOverwritten && context.paymentId !== null)
    throw notAllowed(plugin, 'the payment method, which a payment keeps as long as it lives');
  const amount =
    result.adjustedAmount == null ? context.amount : parseWireDecimal(String(result.adjustedAmount));
  if (amount === undefined) throw notAllowed(plugin, 'the amount to something that is none');
  const currency = result.adjustedCurrency ?? context.currency;
  if (currency !== null && !isCurrency(currency))
    throw notAllowed(plugin, 'the currency to something that is none');
  const properties = result.adjustedProperties
    ? gatewayProperties(result.adjustedProperties)
    : run.properties;
  const paymentPluginName = gatewayText(result.adjustedPluginName) ?? context.paymentPluginName;
  const adjusted = { paymentMethodId: methodId, paymentPluginName, amount, currency };
  return { ...run, context: { ...context, ...adjusted }, properties };
}

function notAllowed(plugin: string, what: string): BillingError {
  return new BillingError({
    code: ErrorCode.PAYMENT_INTERNAL_ERROR,
    message: `Payment control plugin "${plugin}" adjusts ${what}; nothing was attempted`,
    facts: { pluginName: plugin },
  });
}
