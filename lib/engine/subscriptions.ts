import {
  blockingOperations,
  bundleOperations,
  creationOperations,
  entitlementControl,
  lifecycleOperations,
  outlineOperations,
  subscriptionEventHandler,
  subscriptionReadOperations,
} from '../subscriptions/index.ts';
import type { Foundation } from './foundation.ts';

/** Returns the operations on bundles and subscriptions, controlled by entitlement plugins. */
export function subscriptionArea({ ports, catalogs, settings, maxRows }: Foundation) {
  const outlines = outlineOperations(ports, catalogs, { maxRows });
  const control = entitlementControl(ports, settings.entitlementPlugins ?? []);
  return {
    handlers: [subscriptionEventHandler(ports, catalogs)],
    operations: {
      subscriptions: {
        ...creationOperations(ports, catalogs, control),
        ...subscriptionReadOperations(ports, catalogs, outlines),
        ...lifecycleOperations(ports, catalogs, control),
      },
      blocking: blockingOperations(ports, control),
      bundles: bundleOperations(ports, catalogs, { outlines, control }),
      outlines,
    },
  };
}
