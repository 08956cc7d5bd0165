import { loadAccount } from '../../accounts/index.ts';
import {
  type BlockedRef,
  type BlockingOptions,
  type BlockingStateRequest,
  type CancelledSubscription,
  type CancelSubscriptionOptions,
  type ChangedSubscription,
  type ChangePlanOptions,
  type ChangePlanRequest,
  EntitlementOperation,
  type EntitlementSubject,
  type TransferBundleOptions,
} from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import { BlockingStateType, type CallContext } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import {
  checkBlockingRequest,
  checkBundleKey,
  checkTransferRequest,
  type TransferBundleRequest,
} from '../requests/bundle-requests.ts';
import { checkChangeRequest } from '../requests/change-request.ts';
import { termsOf } from '../requests/plugin-decision.ts';
import { loadBundle, loadSubscription } from '../storing/load-running.ts';
import type { BlockingService } from './blocking-service.ts';
import type { BundleService } from './bundle-service.ts';
import type { EntitlementControl } from './entitlement-control.ts';
import type { LifecycleService } from './lifecycle-service.ts';
import type { TransferService } from './transfer-service.ts';

interface Services {
  readonly lifecycles: LifecycleService;
  readonly blocking: BlockingService;
  readonly bundles: BundleService;
  readonly transfers: TransferService;
}

/**
 * Operations on what exists, under the control of the host's plugins. Each does what the same operation of its service
 * does, with its errors and ENTITLEMENT_PLUGIN_API_ABORTED (8003).
 */
export class ControlledOperations {
  readonly #control: EntitlementControl;
  readonly #services: Services;

  constructor(control: EntitlementControl, services: Services) {
    this.#control = control;
    this.#services = services;
  }

  async changePlan(
    context: CallContext,
    subscriptionId: Uuid,
    change: ChangePlanRequest & ChangePlanOptions,
  ): Promise<ChangedSubscription> {
    checkChangeRequest(change, change);
    const operation = EntitlementOperation.CHANGE_PLAN;
    return this.#control.run(context, {
      operation,
      given: null,
      terms: termsOf(operation, change),
      subject: subscriptionOf(subscriptionId),
      work: (terms) => this.#services.lifecycles.changePlan(context, subscriptionId, terms),
      resultOf: (changed) => changed,
    });
  }

  async undoChangePlan(context: CallContext, subscriptionId: Uuid): Promise<void> {
    return this.#control.run(context, {
      operation: EntitlementOperation.UNDO_CHANGE_PLAN,
      given: null,
      terms: {},
      subject: subscriptionOf(subscriptionId),
      work: () => this.#services.lifecycles.undoChangePlan(context, subscriptionId),
      resultOf: () => null,
    });
  }

  async cancel(
    context: CallContext,
    subscriptionId: Uuid,
    options: CancelSubscriptionOptions = {},
  ): Promise<CancelledSubscription> {
    const operation = EntitlementOperation.CANCEL;
    return this.#control.run(context, {
      operation,
      given: null,
      terms: termsOf(operation, options),
      subject: subscriptionOf(subscriptionId),
      work: (terms) => this.#services.lifecycles.cancel(context, subscriptionId, terms),
      resultOf: (cancelled) => cancelled,
    });
  }

  async uncancel(context: CallContext, subscriptionId: Uuid): Promise<void> {
    return this.#control.run(context, {
      operation: EntitlementOperation.UNCANCEL,
      given: null,
      terms: {},
      subject: subscriptionOf(subscriptionId),
      work: () => this.#services.lifecycles.uncancel(context, subscriptionId),
      resultOf: () => null,
    });
  }

  async pauseBundle(context: CallContext, bundleId: Uuid, options: BlockingOptions = {}): Promise<void> {
    const operation = EntitlementOperation.PAUSE;
    return this.#control.run(context, {
      operation,
      given: null,
      terms: termsOf(operation, options),
      subject: bundleOf(bundleId),
      work: (terms) => this.#services.blocking.pauseBundle(context, bundleId, terms),
      resultOf: () => null,
    });
  }

  async resumeBundle(context: CallContext, bundleId: Uuid, options: BlockingOptions = {}): Promise<void> {
    const operation = EntitlementOperation.RESUME;
    return this.#control.run(context, {
      operation,
      given: null,
      terms: termsOf(operation, options),
      subject: bundleOf(bundleId),
      work: (terms) => this.#services.blocking.resumeBundle(context, bundleId, terms),
      resultOf: () => null,
    });
  }

  async transfer(
    context: CallContext,
    bundleId: Uuid,
    request: TransferBundleRequest & TransferBundleOptions,
  ): Promise<Uuid> {
    const { accountId } = checkTransferRequest(request, request);
    const operation = EntitlementOperation.TRANSFER;
    return this.#control.run(context, {
      operation,
      given: { accountId },
      terms: termsOf(operation, request),
      subject: bundleOf(bundleId),
      work: (terms) =>
        this.#services.transfers.transfer(context, bundleId, {
          accountId,
          subscriptions: request.subscriptions,
          ignoresEnded: request.ignoresEnded,
          ...terms,
        }),
      resultOf: (newBundleId) => ({ bundleId: newBundleId }),
    });
  }

  async renameKey(
    context: CallContext,
    bundleId: Uuid,
    externalKey: string | null | undefined,
  ): Promise<void> {
    const key = checkBundleKey(externalKey);
    return this.#control.run(context, {
      operation: EntitlementOperation.RENAME_KEY,
      given: { externalKey: key },
      terms: {},
      subject: bundleOf(bundleId),
      work: () => this.#services.bundles.renameKey(context, bundleId, key),
      resultOf: () => null,
    });
  }

  async addBlockingState(
    context: CallContext,
    object: BlockedRef,
    request: BlockingStateRequest & BlockingOptions,
  ): Promise<{ readonly accountId: Uuid }> {
    const state = checkBlockingRequest(request);
    const operation = EntitlementOperation.ADD_BLOCKING_STATE;
    return this.#control.run(context, {
      operation,
      given: { ...state, ...object },
      terms: termsOf(operation, request),
      subject: blockedOf(object),
      work: (terms) => this.#services.blocking.add(context, object, { ...state, ...terms }),
      resultOf: () => null,
    });
  }
}

type FindSubject = (session: ReadSession) => Promise<EntitlementSubject>;

function subscriptionOf(subscriptionId: Uuid): FindSubject {
  return async (session) => {
    const { accountId, bundleId } = await loadSubscription(session, subscriptionId);
    return { accountId, bundleId, subscriptionId };
  };
}

function bundleOf(bundleId: Uuid): FindSubject {
  return async (session) => {
    const { accountId } = await loadBundle(session, bundleId);
    return { accountId, bundleId, subscriptionId: null };
  };
}

function accountOf(accountId: Uuid): FindSubject {
  return async (session) => {
    await loadAccount(session, accountId);
    return { accountId, bundleId: null, subscriptionId: null };
  };
}

function blockedOf({ type, id }: BlockedRef): FindSubject {
  switch (type) {
    case BlockingStateType.ACCOUNT:
      return accountOf(id);
    case BlockingStateType.SUBSCRIPTION_BUNDLE:
      return bundleOf(id);
    case BlockingStateType.SUBSCRIPTION:
      return subscriptionOf(id);
  }
}
