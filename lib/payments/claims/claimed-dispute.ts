import type { GatewayDispute } from '../../ports/index.ts';
import { isCurrency, parseWireDecimal } from '../../values/money/index.ts';
import { claimedKey } from './gateway-claims.ts';

/** What a gateway claims of a dispute (§11.2 rule 3); null = none, undefined if it cannot be read. */
export function claimedDispute(claimed: unknown): GatewayDispute | null | undefined {
  if (claimed === null) return null;
  if (typeof claimed !== 'object' || claimed === undefined) return undefined;
  const { reference: id, amount: given, currency, stands }: Partial<GatewayDispute> = claimed;
  const reference = claimedKey(id);
  const amount = parseWireDecimal(String(given));
  if (reference === null || amount === undefined || !amount.isPositive() || amount.isZero()) return undefined;
  if (typeof currency !== 'string' || !isCurrency(currency) || typeof stands !== 'boolean') return undefined;
  return { reference, amount, currency, stands };
}
