import { loadAccount, lockAccount, noSuchObject } from '../../accounts/index.ts';
import {
  type BlockedRef,
  type BlockingOptions,
  type BlockingStateRequest,
  EntitlementOperation,
  type Ports,
} from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import { BlockingStateType, type CallContext, ObjectType } from '../../records/index.ts';
import { authorshipOf, turnsOf } from '../../runtime/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { BlockedObject } from '../blocking/blocked-time.ts';
import { statesInTimeOrder } from '../blocking/states-in-force.ts';
import { type CheckedBlock, checkBlockingRequest, PAUSED, RESUMED } from '../requests/edit-requests.ts';
import { bundlesInParts, loadBlockingStates } from '../storing/load-outlines.ts';
import { loadSubscription } from '../storing/load-subscriptions.ts';
import { setBlockingStates } from '../storing/save-changes.ts';
import { datedInstant } from '../timeline/phase-timeline.ts';
import { blockedObjectOf, bundleOf, type EntitlementControl, termsOf } from './entitlement-control.ts';
import type { BlockingStateFilter } from './subscription-operations.ts';

/** Creates the operations on blocking states (§14). Entitlement plugins control them (§22). */
export function blockingOperations(
  ports: Pick<Ports, 'storage' | 'ids' | 'systemClock' | 'scopes'>,
  control: EntitlementControl,
) {
  const set = (context: CallContext, ref: BlockedRef, wanted: CheckedBlock & BlockingOptions) =>
    ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
      const { createdDate: now } = context;
      const object = await lockBlocked(session, ref);
      const { requestedDate, ...state } = wanted;
      const effective = datedInstant(requestedDate, now, object.account);
      await setBlockingStates(session, [{ ...state, object, effective }], {
        now,
        nextId: () => ports.ids.next(),
      });
      return { accountId: object.account.id };
    });

  const createBundleOperation =
    (
      operation: typeof EntitlementOperation.PAUSE | typeof EntitlementOperation.RESUME,
      state: CheckedBlock,
    ) =>
    async (context: CallContext, bundleId: Uuid, options: BlockingOptions = {}): Promise<void> => {
      const bundle = { type: BlockingStateType.SUBSCRIPTION_BUNDLE, id: bundleId };
      await control(context, {
        operation,
        given: null,
        terms: termsOf(operation, options),
        subject: bundleOf(bundleId),
        prepare: (terms) => () => set(context, bundle, { ...state, ...terms }),
        resultOf: () => null,
      });
    };

  return {
    async add(context: CallContext, object: BlockedRef, request: BlockingStateRequest & BlockingOptions) {
      const state = checkBlockingRequest(request);
      const operation = EntitlementOperation.ADD_BLOCKING_STATE;
      return control(context, {
        operation,
        given: { ...state, ...object },
        terms: termsOf(operation, request),
        subject: blockedObjectOf(object),
        prepare: (terms) => () => set(context, object, { ...state, ...terms }),
        resultOf: () => null,
      });
    },

    pauseBundle: createBundleOperation(EntitlementOperation.PAUSE, PAUSED),

    resumeBundle: createBundleOperation(EntitlementOperation.RESUME, RESUMED),

    ofAccount: (
      context: CallContext,
      accountId: Uuid,
      { types = [], services = [] }: BlockingStateFilter = {},
    ) =>
      ports.storage.read(context.tenant, async (session) => {
        await loadAccount(session, accountId);
        const nextTurn = turnsOf(ports);
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
      }),
  };
}

/** Returns the object with its account and locks the account. @throws BillingError 3002, 1081, 1082, BUSY (60018). */
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
