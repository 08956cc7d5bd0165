import {
  INVOICE_PAYMENT_CONTROL_PLUGIN,
  type PaymentAttempt,
  type PluginProperty,
} from '../../records/index.ts';
import { asksForRetries } from './retry-dates.ts';

/**
 * Those that an attempt keeps of which no retry is to be made (§8.1 rule 3): where no plugin could strip secrets, only what
 * tells whether the payment is tried again.
 */
export function keptProperties(
  { pluginNames }: Pick<PaymentAttempt, 'pluginNames'>,
  properties: readonly PluginProperty[],
): readonly PluginProperty[] {
  if (pluginNames.some((name) => name !== INVOICE_PAYMENT_CONTROL_PLUGIN)) return properties;
  return properties.filter((property) => asksForRetries([property]));
}

/** An attempt whose retry has been made, or is not to be made any more; none if that leaves it as it is. */
export function spentAttempt(attempt: PaymentAttempt): readonly PaymentAttempt[] {
  const properties = attempt.pluginProperties ?? [];
  const pluginProperties = keptProperties(attempt, properties);
  return pluginProperties.length === properties.length ? [] : [{ ...attempt, pluginProperties }];
}
