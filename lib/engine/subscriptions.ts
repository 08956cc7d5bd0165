import {
  BlockingService,
  BundleService,
  ControlledCreations,
  ControlledOperations,
  CreationService,
  EntitlementControl,
  LifecycleService,
  OutlineService,
  SubscriptionEventHandler,
  SubscriptionService,
  TransferService,
} from '../subscriptions/index.ts';
import type { Foundation } from './foundation.ts';
import { methodsOf } from './methods-of.ts';

/** Bundles and subscriptions, under the control of entitlement plugins. */
export function subscriptionArea({ ports, catalogs, settings, maxRows }: Foundation) {
  const outlines = new OutlineService(ports, catalogs, { maxRows });
  const subscriptions = new SubscriptionService(ports, catalogs, outlines);
  const entitlements = {
    creations: new CreationService(ports, catalogs),
    lifecycles: new LifecycleService(ports, catalogs),
    blocking: new BlockingService(ports),
    bundles: new BundleService(ports, catalogs, outlines),
    transfers: new TransferService(ports, catalogs),
  };
  const { lifecycles, blocking, bundles } = entitlements;
  const control = new EntitlementControl(ports, settings.entitlementPlugins ?? []);
  const controlled = new ControlledOperations(control, entitlements);
  const creations = new ControlledCreations(control, entitlements.creations);
  return {
    handlers: [new SubscriptionEventHandler(ports, catalogs)],
    operations: {
      subscriptions: {
        ...methodsOf(subscriptions),
        ...methodsOf(creations),
        ...methodsOf(controlled, 'cancel', 'uncancel', 'changePlan', 'undoChangePlan'),
        ...methodsOf(lifecycles, 'changeBillCycleDay', 'changeQuantity'),
      },
      blocking: {
        add: controlled.addBlockingState.bind(controlled),
        ...methodsOf(controlled, 'pauseBundle', 'resumeBundle'),
        ...methodsOf(blocking, 'ofAccount'),
      },
      bundles: {
        ...methodsOf(bundles, 'get', 'getByKey', 'allOfKey', 'page', 'search'),
        ...methodsOf(controlled, 'renameKey', 'transfer'),
      },
      outlines: methodsOf(outlines),
    },
  };
}
