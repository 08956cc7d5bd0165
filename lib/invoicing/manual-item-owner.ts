import type { Account } from '../accounts/model.ts';
import { BillingError, ErrorCode } from '../errors/index.ts';
import type { Uuid } from '../ids/index.ts';
import { noSuchObject } from '../objects/no-such-object.ts';
import { ObjectType } from '../objects/object-type.ts';
import type { ReadSession } from '../ports/storage/index.ts';
import type { ManualItem, ManualItemType } from './manual-items.ts';
import { InvoiceItemType } from './model.ts';

interface Owned {
  readonly id: Uuid;
  readonly accountId: Uuid;
}

/** Items that are posted to one endpoint. */
interface PostedItems {
  readonly type: ManualItemType;
  readonly items: readonly Pick<ManualItem, 'bundleId' | 'subscriptionId' | 'linkedItemId'>[];
}

/**
 * Checks that the bundles and subscriptions that items name are the account's, and the items that charges are linked to. A
 * tax keeps its bundle alone; what else it names is passed over (Document 2 §4.7).
 * @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_ID (1081) or SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082) for an
 * unknown one, SUBSCRIPTION_CREATE_INVALID_ENTITLEMENT_SPECIFIER (1020) for one of another account (ruling R21);
 * INVOICE_ITEM_NOT_FOUND (4011).
 */
export async function checkOwnership(
  session: ReadSession,
  account: Account,
  { type, items }: PostedItems,
): Promise<void> {
  const isTax = type === InvoiceItemType.TAX;
  const isCharge = type === InvoiceItemType.EXTERNAL_CHARGE;
  const bundleIds = idsOf(items.map(({ bundleId }) => bundleId));
  const subscriptionIds = isTax ? [] : idsOf(items.map(({ subscriptionId }) => subscriptionId));
  const itemIds = isCharge ? idsOf(items.map(({ linkedItemId }) => linkedItemId)) : [];
  const bundles = await session.subscriptions.findBundlesByIds(bundleIds);
  const subscriptions = await session.subscriptions.findByIds(subscriptionIds);
  const linked = await session.invoices.findItemsByIds(itemIds);
  for (const id of bundleIds) checkOwned(bundles, { type: ObjectType.BUNDLE, id }, account);
  for (const id of subscriptionIds) checkOwned(subscriptions, { type: ObjectType.SUBSCRIPTION, id }, account);
  for (const id of itemIds) {
    if (linked.some((item) => item.id === id && item.accountId === account.id)) continue;
    throw noSuchObject({ type: ObjectType.INVOICE_ITEM, id });
  }
}

function idsOf(named: readonly (Uuid | null | undefined)[]): readonly Uuid[] {
  return [...new Set(named.flatMap((id) => id ?? []))];
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
