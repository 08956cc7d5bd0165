import { type Account, ProductCategory } from '../../../lib/records/index.ts';
import { chooseGroup, type GroupChoiceInput } from '../../../lib/subscriptions/create/choose-group.ts';
import type { BundleCreation } from '../../../lib/subscriptions/create/creation.ts';
import { lateAddOnEnds, planCreations } from '../../../lib/subscriptions/create/creation.ts';
import { followBase } from '../../../lib/subscriptions/edits/add-on-ends.ts';
import { planCancellation } from '../../../lib/subscriptions/edits/cancellation.ts';
import {
  checkAddOnChange,
  decideChange,
  planChange,
} from '../../../lib/subscriptions/edits/change-of-plan.ts';
import type { RunningSubscription } from '../../../lib/subscriptions/edits/running-subscription.ts';
import type { SubscriptionEdit } from '../../../lib/subscriptions/edits/subscription-edit.ts';
import { planBillCycleDayChange, planQuantityChange } from '../../../lib/subscriptions/edits/terms-change.ts';
import { planUncancellation, planUndoChange } from '../../../lib/subscriptions/edits/undo.ts';
import type {
  CreateSubscriptionOptions,
  CreateSubscriptionRequest,
} from '../../../lib/subscriptions/requests/create-request.ts';
import { checkCreateRequest, groupOf } from '../../../lib/subscriptions/requests/create-request.ts';
import {
  checkChangeRequest,
  checkTransferOptions,
  checkTransferRequest,
} from '../../../lib/subscriptions/requests/edit-requests.ts';
import type { EditTools } from '../../../lib/subscriptions/timeline/lifecycle-events.ts';
import { type BundleTransfer, planTransfer } from '../../../lib/subscriptions/transfer/transfer.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { addDays } from '../../../lib/values/time/index.ts';
import type { HandOver } from './bundle-checks.ts';
import { given, type LifeRecords, requestedDateOf, todayOf } from './life-records.ts';
import { addOnName, planName, type Shelf } from './subscription-shelf.ts';
import type { RequestDay, SubscriptionCall, TransferCall } from './subscription-steps.ts';

type PhaseName = 'TRIAL' | 'DISCOUNT' | 'EVERGREEN';

export interface EditedLife {
  readonly running: RunningSubscription;
  readonly bundle: readonly RunningSubscription[];
  readonly shelf: Shelf;
  readonly records: LifeRecords;
  readonly tools: EditTools;
}

/** The changes of the operation to all subscriptions of the bundle. @throws BillingError if the rules reject it. */
export function editsOf(call: SubscriptionCall, life: EditedLife): readonly SubscriptionEdit[] {
  const edit = editOf(call, life);
  if (call.do === 'BILL_CYCLE_DAY' || call.do === 'QUANTITY') return [edit];
  return [edit, ...followBase({ bundle: life.bundle, edit }, life.tools)];
}

function editOf(call: SubscriptionCall, life: EditedLife): SubscriptionEdit {
  const { running, records, tools } = life;
  const { account, subscription } = running;
  const from = (day: { readonly from: RequestDay; readonly isForced: boolean }) =>
    effectiveFrom(day, account, tools);
  switch (call.do) {
    case 'CHANGE':
      return changeOf(call, life);
    case 'CANCEL':
      return planCancellation(
        running,
        {
          requestedDate: requestedDateOf(call.when, account, tools.now),
          entitlementPolicy: call.service,
          billingPolicy: call.policy,
          useRequestedDateForBilling: call.isForBilling,
        },
        tools,
      ).edit;
    case 'UNCANCEL':
      return planUncancellation(running, records.withdrawnOf([subscription.id]), tools);
    case 'UNDO':
      return planUndoChange(running, records.withdrawnOf([subscription.id]), tools);
    case 'BILL_CYCLE_DAY':
      return planBillCycleDayChange(running, { day: call.day, from: from(call) }, tools).edit;
    case 'QUANTITY':
      return planQuantityChange(running, { quantity: call.quantity, from: from(call) }, tools).edit;
  }
}

function effectiveFrom(
  { from, isForced }: { readonly from: RequestDay; readonly isForced: boolean },
  account: Account,
  { now }: EditTools,
) {
  return { effectiveFromDate: requestedDateOf(from, account, now), allowPastDate: isForced };
}

function changeOf(
  call: Extract<SubscriptionCall, { do: 'CHANGE' }>,
  { running, bundle, shelf, tools }: EditedLife,
): SubscriptionEdit {
  const { plans, addOns } = shelf;
  const isAddOn = running.subscription.category === ProductCategory.ADD_ON;
  const request = checkChangeRequest(
    {
      planName: isAddOn ? addOnName(call.plan % addOns.length) : planName(call.plan % plans.length),
      phaseType: call.phaseType as PhaseName | null,
      billCycleDayLocal: call.billCycleDay,
      quantity: call.quantity,
    },
    { requestedDate: requestedDateOf(call.when, running.account, tools.now), billingPolicy: call.policy },
  );
  const decided = decideChange(running, request, tools.now);
  checkAddOnChange(decided, { running, bundle }, tools.now);
  return planChange(running, { request, decided, overridePlan: null }, tools).edit;
}

/**
 * The records of a creation, with the ends of add-ons that have already ended. @throws BillingError if the rules reject
 * it.
 */
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

/** The records of a transfer to the other account. @throws BillingError if the rules reject it. */
export function transferOf(
  { when, policy, bcd }: TransferCall,
  { bundleId, accountId }: { readonly bundleId: Uuid; readonly accountId: Uuid },
  { records, tools }: { readonly records: LifeRecords; readonly tools: EditTools },
): { readonly plan: BundleTransfer; readonly handOver: HandOver | null } {
  const source = records.accountOf({ accountId });
  const target = given([...records.accounts.values()].find(({ id }) => id !== accountId));
  const running = records.runningIn(bundleId);
  const options = {
    requestedDate: requestedDateOf(when, source, tools.now),
    billingPolicy: policy,
    bcdTransfer: bcd,
  };
  const request = { ...checkTransferRequest({ accountId: target.id }), ...checkTransferOptions(options) };
  const history = records.withdrawnOf(running.map(({ subscription }) => subscription.id));
  const bundle = given(records.bundles.get(bundleId));
  const { catalog } = records;
  const plan = planTransfer(
    { request, source, target, bundle, keyCarriers: [], running, history, catalog },
    tools,
  );
  // Only then does billing end on one account on the day it starts on the other.
  const isPast = when !== null && when.days <= 0;
  const isHandedOver = policy === 'IMMEDIATE' && !isPast && source.timeZone === target.timeZone;
  const handOver = {
    left: running.map(({ subscription }) => subscription.id),
    begun: plan.begun.creations.map(({ subscription }) => subscription.id),
    date: addDays(todayOf(source, tools.now), when?.days ?? 0),
  };
  return { plan, handOver: isHandedOver ? handOver : null };
}
