import type { GatewayDispute } from '../../ports/index.ts';
import { isCurrency } from '../../values/money/index.ts';
import { claimedAmount, claimedInUnits } from './claimed-amount.ts';
import { claimedKey } from './gateway-claims.ts';

/** What a gateway claims of a dispute (§11.2 rule 3); null = none, undefined if it cannot be read. */
export function claimedDispute(claimed: unknown): GatewayDispute | null | undefined {
  if (claimed === null) return null;
  if (typeof claimed !== 'object' || claimed === undefined) return undefined;
  const { reference: id, amount: given, currency, stands }: Partial<GatewayDispute> = claimed;
  const reference = claimedKey(id);
  const stated = claimedAmount(given);
  if (typeof currency !== 'string' || !isCurrency(currency) || typeof stands !== 'boolean') return undefined;
  const amount = stated && claimedInUnits(stated, { currency, asked: null });
  if (reference === null || amount === undefined || !amount.isPositive() || amount.isZero()) return undefined;
  return { reference, amount, currency, stands };
}
