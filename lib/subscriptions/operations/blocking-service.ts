import { loadAccount, lockAccount, noSuchObject } from '../../accounts/index.ts';
import {
  type BlockedRef,
  type BlockingOptions,
  type BlockingStateRequest,
  EntitlementOperation,
  type Ports,
} from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import {
  type BlockingState,
  BlockingStateType,
  type CallContext,
  ENTITLEMENT_SERVICE,
  EntitlementStateName,
  ObjectType,
} from '../../records/index.ts';
import { authorshipOf, turnsOf } from '../../runtime/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { BlockedObject, StateToSet } from '../blocking/blocked-time.ts';
import { statesInTimeOrder } from '../blocking/states-in-force.ts';
import { type CheckedBlock, checkBlockingRequest } from '../requests/edit-requests.ts';
import { termsOf } from '../requests/plugin-decision.ts';
import { bundlesInParts, loadBlockingStates } from '../storing/load-outlines.ts';
import { loadSubscription } from '../storing/load-subscriptions.ts';
import { setBlockingStates } from '../storing/save-changes.ts';
import { datedInstant } from '../timeline/phase-timeline.ts';
import { blockedOf, bundleOf, type EntitlementControl } from './entitlement-control.ts';
import type { BlockingStateFilter } from './subscription-operations.ts';

const PAUSED: CheckedBlock = {
  service: ENTITLEMENT_SERVICE,
  stateName: EntitlementStateName.ENT_BLOCKED,
  isBlockChange: true,
  isBlockEntitlement: true,
  isBlockBilling: true,
};

const RUNNING: CheckedBlock = {
  service: ENTITLEMENT_SERVICE,
  stateName: EntitlementStateName.ENT_CLEAR,
  isBlockChange: false,
  isBlockEntitlement: false,
  isBlockBilling: false,
};

export class BlockingService {
  readonly #ports: Pick<Ports, 'storage' | 'ids' | 'systemClock' | 'scopes'>;
  readonly #control: EntitlementControl;

  constructor(ports: Pick<Ports, 'storage' | 'ids' | 'systemClock' | 'scopes'>, control: EntitlementControl) {
    this.#ports = ports;
    this.#control = control;
  }

  async add(
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
      prepare: (terms) => () => this.#set(context, object, { ...state, ...terms }),
      resultOf: () => null,
    });
  }

  async pauseBundle(context: CallContext, bundleId: Uuid, options: BlockingOptions = {}): Promise<void> {
    const operation = EntitlementOperation.PAUSE;
    await this.#setOnBundle(context, bundleId, { operation, state: PAUSED, options });
  }

  async resumeBundle(context: CallContext, bundleId: Uuid, options: BlockingOptions = {}): Promise<void> {
    const operation = EntitlementOperation.RESUME;
    await this.#setOnBundle(context, bundleId, { operation, state: RUNNING, options });
  }

  async #setOnBundle(
    context: CallContext,
    bundleId: Uuid,
    {
      operation,
      state,
      options,
    }: {
      readonly operation: typeof EntitlementOperation.PAUSE | typeof EntitlementOperation.RESUME;
      readonly state: CheckedBlock;
      readonly options: BlockingOptions;
    },
  ): Promise<void> {
    const bundle = { type: BlockingStateType.SUBSCRIPTION_BUNDLE, id: bundleId };
    await this.#control.run(context, {
      operation,
      given: null,
      terms: termsOf(operation, options),
      subject: bundleOf(bundleId),
      prepare: (terms) => () => this.#set(context, bundle, { ...state, ...terms }),
      resultOf: () => null,
    });
  }

  async ofAccount(
    context: CallContext,
    accountId: Uuid,
    { types = [], services = [] }: BlockingStateFilter = {},
  ): Promise<readonly BlockingState[]> {
    return this.#ports.storage.read(context.tenant, async (session) => {
      await loadAccount(session, accountId);
      const nextTurn = turnsOf(this.#ports);
      const states = [...(await loadBlockingStates(session, [accountId], nextTurn))];
      for await (const bundles of bundlesInParts(session, accountId, nextTurn)) {
        const bundleIds = bundles.map(({ id }) => id);
        const subscriptions = await session.subscriptions.findByBundles(bundleIds);
        const ids = [...bundleIds, ...subscriptions.map(({ id }) => id)];
        for (const state of await loadBlockingStates(session, ids, nextTurn)) states.push(state);
      }
      return statesInTimeOrder(states).filter(
        ({ type, service }) =>
          (types.length === 0 || types.includes(type)) &&
          (services.length === 0 || services.includes(service)),
      );
    });
  }

  async #set(context: CallContext, ref: BlockedRef, wanted: CheckedBlock & BlockingOptions) {
    const now = context.createdDate;
    return this.#ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
      const object = await lockBlocked(session, ref);
      const { account } = object;
      const { requestedDate, ...said } = wanted;
      const block: StateToSet = { ...said, object, effective: datedInstant(requestedDate, now, account) };
      await setBlockingStates(session, [block], { now, nextId: () => this.#ports.ids.next() });
      return { accountId: account.id };
    });
  }
}

/** The object with its account, whose lock is taken. @throws BillingError 3002, 1081, 1082, BUSY (60018). */
async function lockBlocked(session: WriteSession, { type, id }: BlockedRef): Promise<BlockedObject> {
  switch (type) {
    case BlockingStateType.ACCOUNT:
      return { type, account: await lockAccount(session, id) };
    case BlockingStateType.SUBSCRIPTION_BUNDLE: {
      const [bundle] = await session.subscriptions.findBundlesByIds([id]);
      if (bundle === undefined) throw noSuchObject({ type: ObjectType.BUNDLE, id });
      return { type, bundle, account: await lockAccount(session, bundle.accountId) };
    }
    case BlockingStateType.SUBSCRIPTION: {
      const subscription = await loadSubscription(session, id);
      return { type, subscription, account: await lockAccount(session, subscription.accountId) };
    }
  }
}
