import type { ReadSession, WriteSession } from '../../ports/storage/index.ts';
import { type BlockingState, BlockingStateType } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { blockedPath, planState, type StatePlan, type StateToSet } from '../blocking/state-to-set.ts';
import { blockFlagsAround } from '../blocking/states-in-force.ts';
import type { TouchedDate } from '../edits/dirty-days.ts';
import { blockingStateEvent } from '../telling/blocking-bus-events.ts';
import { blockingStateNotification } from '../telling/notifications.ts';
import type { EditTools } from '../timeline/edit-tools.ts';
import { markDirty } from './mark-dirty.ts';

/**
 * Puts states of services on accounts, bundles and subscriptions, at most one of each service on each object, in a
 * constant number of statements (§14.1, §21). What is in force by now is told with the call, the rest by the queue; the
 * next invoice run looks again at what is billed differently.
 */
export async function setBlockingStates(
  session: WriteSession,
  blocks: readonly StateToSet[],
  tools: EditTools,
): Promise<void> {
  const objectIds = new Set(blocks.flatMap(({ object }) => blockedPath(object)));
  const states = await session.subscriptions.findBlockingStates([...objectIds]);
  const statesOf = Map.groupBy(states, ({ blockedId }) => blockedId);
  const onPathOf = ({ object }: StateToSet) => blockedPath(object).flatMap((id) => statesOf.get(id) ?? []);
  const plans = blocks.map((block) => planState(onPathOf(block), block, tools));

  const withdrawn = plans.flatMap((plan) => plan.withdrawn);
  if (withdrawn.length > 0) {
    await session.subscriptions.withdrawBlockingStates(withdrawn.map(({ id }) => id));
    const planned = withdrawn.filter(({ effective }) => effective.at > tools.now);
    await session.unschedule(planned.flatMap((state) => blockingStateNotification(state).uniqueKey ?? []));
  }
  const added = plans.flatMap((plan) => plan.added ?? []);
  if (added.length === 0) return;
  await session.subscriptions.insertBlockingStates(added);
  await markDirty(session, await touchedBy(session, plans));
  for (const plan of plans) announce(session, { plan, states: onPathOf(plan.block) }, tools);
}

/** The subscriptions under the objects whose billing differs, each with the day from which it does. */
async function touchedBy(session: ReadSession, plans: readonly StatePlan[]): Promise<readonly TouchedDate[]> {
  const differing = plans.filter(({ billedOtherwiseFrom }) => billedOtherwiseFrom !== null);
  const accountIds: Uuid[] = [];
  const bundleIds: Uuid[] = [];
  for (const { object } of differing.map(({ block }) => block)) {
    if (object.type === BlockingStateType.ACCOUNT) accountIds.push(object.account.id);
    if (object.type === BlockingStateType.SUBSCRIPTION_BUNDLE) bundleIds.push(object.bundle.id);
  }
  const cursors = accountIds.length === 0 ? [] : await session.invoices.cursorsOfAccounts(accountIds);
  const inBundles = bundleIds.length === 0 ? [] : await session.subscriptions.findByBundles(bundleIds);
  const ofAccount = Map.groupBy(cursors, ({ accountRecordId }) => accountRecordId);
  const ofBundle = Map.groupBy(inBundles, ({ bundleId }) => bundleId);
  return differing.flatMap(({ block: { object }, billedOtherwiseFrom }) => {
    const date = billedOtherwiseFrom?.date;
    return date === undefined ? [] : idsBelow(object).map((subscriptionId) => ({ subscriptionId, date }));
  });

  function idsBelow(object: StateToSet['object']): readonly Uuid[] {
    switch (object.type) {
      case BlockingStateType.ACCOUNT:
        return (ofAccount.get(object.account.recordId) ?? []).map(({ subscriptionId }) => subscriptionId);
      case BlockingStateType.SUBSCRIPTION_BUNDLE:
        return (ofBundle.get(object.bundle.id) ?? []).map(({ id }) => id);
      case BlockingStateType.SUBSCRIPTION:
        return [object.subscription.id];
    }
  }
}

function announce(
  session: WriteSession,
  { plan, states }: { readonly plan: StatePlan; readonly states: readonly BlockingState[] },
  { now }: EditTools,
): void {
  const { added, withdrawn, billedOtherwiseFrom } = plan;
  if (added === null) return;
  if (added.effective.at > now) {
    session.schedule([blockingStateNotification(added)]);
    return;
  }
  const active = [...states.filter((state) => !withdrawn.includes(state)), added];
  session.publish([
    blockingStateEvent(plan.block.object.account.id, added, {
      ...blockFlagsAround(active, added),
      changesBilling: billedOtherwiseFrom !== null && billedOtherwiseFrom.at <= now,
      targetDate: null,
    }),
  ]);
}
