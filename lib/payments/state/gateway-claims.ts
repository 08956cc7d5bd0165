import type { PaymentMethodDetails } from '../../ports/index.ts';
import type { PluginProperty } from '../../records/index.ts';
import { MAX_GATEWAY_TEXT_CHARACTERS } from '../../values/limits.ts';

/** A text that a gateway claims, cut to the length that is stored; null if there is none. */
export function gatewayText(text: unknown): string | null {
  return text === undefined || text === null ? null : String(text).slice(0, MAX_GATEWAY_TEXT_CHARACTERS);
}

/** The properties that a gateway gives, without those that have no key. */
export function gatewayProperties(
  properties: readonly PluginProperty[] | null | undefined,
): readonly PluginProperty[] {
  if (!Array.isArray(properties)) return [];
  return properties.flatMap((property: PluginProperty | null | undefined) => {
    const key = gatewayText(property?.key);
    if (key === null) return [];
    return [{ key, value: gatewayText(property?.value), isUpdatable: property?.isUpdatable === true }];
  });
}

/** What a gateway claims about a payment method; null if it cannot be read as a detail. */
export function claimedDetail(detail: PaymentMethodDetails | null | undefined): PaymentMethodDetails | null {
  if (typeof detail !== 'object' || detail === null) return null;
  return {
    externalPaymentMethodId: gatewayText(detail.externalPaymentMethodId),
    isDefaultPaymentMethod: detail.isDefaultPaymentMethod === true,
    properties: gatewayProperties(detail.properties),
  };
}
