import { chooseGroup, type GroupChoiceInput } from '../../../lib/subscriptions/create/chosen-group.ts';
import {
  type BundleCreation,
  lateAddOnEnds,
  planCreations,
} from '../../../lib/subscriptions/create/creation.ts';
import type { SubscriptionEdit } from '../../../lib/subscriptions/edits/subscription-edit.ts';
import {
  type CreateSubscriptionOptions,
  type CreateSubscriptionRequest,
  checkCreateRequest,
  groupOf,
} from '../../../lib/subscriptions/requests/create-request.ts';
import {
  checkTransferOptions,
  checkTransferRequest,
} from '../../../lib/subscriptions/requests/edit-requests.ts';
import type { EditTools } from '../../../lib/subscriptions/timeline/lifecycle-events.ts';
import { type BundleTransfer, planTransfer } from '../../../lib/subscriptions/transfer/transfer.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { addDays } from '../../../lib/values/time/index.ts';
import type { HandOver } from './bundle-checks.ts';
import { asked, todayOf } from './life-days.ts';
import { given, type LifeRecords } from './life-records.ts';
import type { TransferCall } from './subscription-steps.ts';

/** What a creation stores, with the ends of add-ons that have ended by now. @throws BillingError where the rules refuse it. */
export function creationOf(
  request: CreateSubscriptionRequest,
  options: CreateSubscriptionOptions,
  { records, tools: { now, nextId } }: { readonly records: LifeRecords; readonly tools: EditTools },
): { readonly bundles: readonly BundleCreation[]; readonly late: readonly SubscriptionEdit[] } {
  const account = given(records.accounts.get(given(request.accountId)));
  const { bundleId = null } = request;
  const joined = bundleId === null ? [] : [records.found(bundleId)];
  const blockedIds = joined.flatMap(({ bundle, subscriptions }) => [
    bundle.id,
    ...subscriptions.map(({ id }) => id),
  ]);
  const input: GroupChoiceInput = {
    options,
    account,
    found: joined,
    keyCarriers: [],
    blockingStates: records.statesOf(account.id, ...blockedIds),
    catalog: records.catalog,
    now,
  };
  const overridePlanOf = () => {
    throw new Error('these requests override no prices');
  };
  const groups = [chooseGroup(groupOf(checkCreateRequest(request)), input)];
  const bundles = planCreations({ ...input, groups, overridePlanOf, nextId });
  return { bundles, late: lateAddOnEnds(bundles, input, nextId) };
}

/** What a transfer to the other account stores. @throws BillingError where the rules refuse it. */
export function transferOf(
  { when, policy, bcd }: TransferCall,
  { bundleId, accountId }: { readonly bundleId: Uuid; readonly accountId: Uuid },
  { records, tools }: { readonly records: LifeRecords; readonly tools: EditTools },
): { readonly plan: BundleTransfer; readonly handOver: HandOver | null } {
  const source = records.accountOf({ accountId });
  const target = given([...records.accounts.values()].find(({ id }) => id !== accountId));
  const running = records.runningIn(bundleId);
  const options = { requestedDate: asked(when, source, tools.now), billingPolicy: policy, bcdTransfer: bcd };
  const request = { ...checkTransferRequest({ accountId: target.id }), ...checkTransferOptions(options) };
  const history = records.withdrawnOf(running.map(({ subscription }) => subscription.id));
  const bundle = given(records.bundles.get(bundleId));
  const { catalog } = records;
  const plan = planTransfer(
    { request, source, target, bundle, keyCarriers: [], running, history, catalog },
    tools,
  );
  // Only then does billing end on one account where it begins on the other.
  const isPast = when !== null && when.days <= 0;
  const isHandedOver = policy === 'IMMEDIATE' && !isPast && source.timeZone === target.timeZone;
  const handOver = {
    left: running.map(({ subscription }) => subscription.id),
    begun: plan.begun.creations.map(({ subscription }) => subscription.id),
    date: addDays(todayOf(source, tools.now), when?.days ?? 0),
  };
  return { plan, handOver: isHandedOver ? handOver : null };
}
