import { BlockingService } from '../subscriptions/operations/blocking-service.ts';
import { BundleService } from '../subscriptions/operations/bundle-service.ts';
import { ControlledCreations } from '../subscriptions/operations/controlled-creations.ts';
import { ControlledOperations } from '../subscriptions/operations/controlled-operations.ts';
import { CreationService } from '../subscriptions/operations/creation-service.ts';
import { EntitlementControl } from '../subscriptions/operations/entitlement-control.ts';
import { LifecycleService } from '../subscriptions/operations/lifecycle-service.ts';
import { OutlineService } from '../subscriptions/operations/outline-service.ts';
import { SubscriptionEventHandler } from '../subscriptions/operations/subscription-event-handler.ts';
import { SubscriptionService } from '../subscriptions/operations/subscription-service.ts';
import { TransferService } from '../subscriptions/operations/transfer-service.ts';
import type { Foundation } from './foundation.ts';
import { methodsOf } from './methods-of.ts';

/** Bundles and subscriptions; entitlement plugins are asked before what happens to them. */
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
        ...methodsOf(subscriptions, 'get', 'getByKey', 'planAt', 'bundlesOfAccount', 'pageBundlesOfAccount'),
        ...methodsOf(creations, 'create', 'createWithAddOns', 'createBundles'),
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
      outlines: methodsOf(
        outlines,
        'ofAccount',
        'pageOfAccount',
        'page',
        'search',
        'bundle',
        'bundleByKey',
        'allOfKey',
        'subscription',
        'subscriptionByKey',
      ),
    },
  };
}
