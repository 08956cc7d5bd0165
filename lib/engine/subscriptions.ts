import { subscriptionCoupons } from '../coupons/index.ts';
import {
  blockingOperations,
  bundleOperations,
  creationOperations,
  entitlementControl,
  lifecycleOperations,
  outlineOperations,
  subscriptionEventHandler,
  subscriptionReadOperations,
  trialNotices,
} from '../subscriptions/index.ts';
import type { Foundation } from './foundation.ts';

/** Returns the operations on bundles and subscriptions, under the control of entitlement plugins. */
export function subscriptionArea({ ports, catalogs, settings, settingsOf, maxRows }: Foundation) {
  const outlines = outlineOperations(ports, catalogs, { maxRows });
  const control = entitlementControl(ports, settings.entitlementPlugins ?? []);
  const trials = trialNotices(settingsOf);
  const coupons = subscriptionCoupons(() => ports.ids.next());
  const parts = { control, trials, coupons };
  return {
    handlers: [subscriptionEventHandler(ports, catalogs, trials)],
    operations: {
      subscriptions: {
        ...creationOperations(ports, catalogs, parts),
        ...subscriptionReadOperations(ports, catalogs, outlines),
        ...lifecycleOperations(ports, catalogs, parts),
      },
      blocking: blockingOperations(ports, control),
      bundles: bundleOperations(ports, catalogs, { outlines, ...parts }),
      outlines,
    },
  };
}
