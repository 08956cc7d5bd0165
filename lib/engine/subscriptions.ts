import {
  BlockingService,
  BundleService,
  CreationService,
  EntitlementControl,
  LifecycleService,
  OutlineService,
  SubscriptionEventHandler,
  SubscriptionService,
} from '../subscriptions/index.ts';
import type { Foundation } from './foundation.ts';
import { methodsOf } from './methods-of.ts';

/** Bundles and subscriptions, under the control of entitlement plugins. */
export function subscriptionArea({ ports, catalogs, settings, maxRows }: Foundation) {
  const outlines = new OutlineService(ports, catalogs, { maxRows });
  const control = new EntitlementControl(ports, settings.entitlementPlugins ?? []);
  return {
    handlers: [new SubscriptionEventHandler(ports, catalogs)],
    operations: {
      subscriptions: {
        ...methodsOf(new SubscriptionService(ports, catalogs, outlines)),
        ...methodsOf(new CreationService(ports, catalogs, control)),
        ...methodsOf(new LifecycleService(ports, catalogs, control)),
      },
      blocking: methodsOf(new BlockingService(ports, control)),
      bundles: methodsOf(new BundleService(ports, catalogs, { outlines, control })),
      outlines: methodsOf(outlines),
    },
  };
}
