import type { Account } from '../accounts/model.ts';
import { BillingError, ErrorCode } from '../errors/index.ts';
import type { Uuid } from '../ids/index.ts';
import { noSuchObject } from '../objects/no-such-object.ts';
import { ObjectType } from '../objects/object-type.ts';
import type { ReadSession } from '../ports/storage/index.ts';
import type { ManualItem } from './manual-items.ts';

interface Owned {
  readonly id: Uuid;
  readonly accountId: Uuid;
}

/**
 * Checks that the bundles and subscriptions that items name are the account's.
 * @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_ID (1081) or SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082) for an
 * unknown one, SUBSCRIPTION_CREATE_INVALID_ENTITLEMENT_SPECIFIER (1020) for one of another account (ruling R21).
 */
export async function checkOwnership(
  session: ReadSession,
  account: Account,
  items: readonly Pick<ManualItem, 'bundleId' | 'subscriptionId'>[],
): Promise<void> {
  const bundleIds = [...new Set(items.flatMap(({ bundleId }) => bundleId ?? []))];
  const subscriptionIds = [...new Set(items.flatMap(({ subscriptionId }) => subscriptionId ?? []))];
  const bundles = bundleIds.length === 0 ? [] : await session.subscriptions.findBundlesByIds(bundleIds);
  const subscriptions =
    subscriptionIds.length === 0 ? [] : await session.subscriptions.findByIds(subscriptionIds);
  for (const id of bundleIds) checkOwned(bundles, { type: ObjectType.BUNDLE, id }, account);
  for (const id of subscriptionIds) checkOwned(subscriptions, { type: ObjectType.SUBSCRIPTION, id }, account);
}

function checkOwned(
  found: readonly Owned[],
  object: { readonly type: typeof ObjectType.BUNDLE | typeof ObjectType.SUBSCRIPTION; readonly id: Uuid },
  account: Account,
): void {
  const owned = found.find(({ id }) => id === object.id);
  if (!owned) throw noSuchObject(object);
  if (owned.accountId === account.id) return;
  throw new BillingError({
    code: ErrorCode.SUBSCRIPTION_CREATE_INVALID_ENTITLEMENT_SPECIFIER,
    message: `${object.type} ${object.id} is not of account ${account.id}`,
    facts: { objectId: object.id, accountId: account.id },
  });
}
