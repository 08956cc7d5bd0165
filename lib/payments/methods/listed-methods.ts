import { namedUuid, type Uuid } from '../../values/ids/index.ts';
import { type ClaimedMethod, claimedKey } from '../claims/gateway-claims.ts';
import type { ListedMethod } from '../claims/refreshed-methods.ts';

/** Whose list it is. */
interface Lister {
  readonly accountId: Uuid;
  readonly pluginName: string;
}

/**
 * What a gateway claims to have, each method with the id that it gets if it is new (§10.5). Where the gateway tells no id
 * of ours that is made of its own, and where it tells nothing of the place among such: with the same list it is the same.
 */
export async function listedMethods(
  claimed: readonly ClaimedMethod[],
  lister: Lister,
): Promise<readonly ListedMethod[]> {
  const told = new Set(claimed.flatMap(({ paymentMethodId }) => paymentMethodId ?? []));
  const listed: ListedMethod[] = [];
  let place = 0;
  for (const { paymentMethodId, gatewayId, isDefault } of claimed) {
    let newId = paymentMethodId;
    if (newId === null && gatewayId !== null) newId = await idNamed(gatewayId, lister);
    while (newId === null) {
      place += 1;
      const placed = await idNamed(place, lister);
      if (!told.has(placed)) newId = placed;
    }
    listed.push({ paymentMethodId, newId, externalPaymentMethodId: claimedKey(gatewayId), isDefault });
  }
  return listed;
}

function idNamed(name: string | number, { accountId, pluginName }: Lister): Promise<Uuid> {
  return namedUuid(accountId, JSON.stringify([pluginName, name]));
}
