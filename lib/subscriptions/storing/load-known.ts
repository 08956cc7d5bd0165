import type { ReadSession } from '../../ports/storage/index.ts';
import type { Bundle, Subscription } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { noSuchBundle } from '../requests/no-such-bundle.ts';
import { noSuchSubscription } from '../requests/no-such-subscription.ts';

/** @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_ID. */
export async function loadBundle(session: ReadSession, bundleId: Uuid): Promise<Bundle> {
  const [bundle] = await session.subscriptions.findBundlesByIds([bundleId]);
  if (bundle === undefined) throw noSuchBundle(bundleId);
  return bundle;
}

/** @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID. */
export async function loadSubscription(session: ReadSession, subscriptionId: Uuid): Promise<Subscription> {
  const [subscription] = await session.subscriptions.findByIds([subscriptionId]);
  if (subscription === undefined) throw noSuchSubscription(subscriptionId);
  return subscription;
}
