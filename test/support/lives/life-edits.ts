import { type Account, ProductCategory } from '../../../lib/records/index.ts';
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
import { checkChangeRequest } from '../../../lib/subscriptions/requests/edit-requests.ts';
import type { EditTools } from '../../../lib/subscriptions/timeline/lifecycle-events.ts';
import { asked } from './life-days.ts';
import type { LifeRecords } from './life-records.ts';
import { addOnName, planName, type Shelf } from './subscription-shelf.ts';
import type { AskedDay, SubscriptionCall } from './subscription-steps.ts';

type PhaseName = 'TRIAL' | 'DISCOUNT' | 'EVERGREEN';

/** A subscription of a life with all of its bundle, and what the rules are asked with. */
export interface EditedLife {
  readonly running: RunningSubscription;
  readonly bundle: readonly RunningSubscription[];
  readonly shelf: Shelf;
  readonly records: LifeRecords;
  readonly tools: EditTools;
}

/** What the operation changes, of the rest of the bundle too. @throws BillingError where the rules refuse it. */
export function editsOf(call: SubscriptionCall, life: EditedLife): readonly SubscriptionEdit[] {
  const edit = editOf(call, life);
  if (call.do === 'BILL_CYCLE_DAY' || call.do === 'QUANTITY') return [edit];
  const { running, bundle, tools } = life;
  const { catalog: plans, account } = running;
  return [edit, ...followBase({ bundle, edit, plans, zone: account.timeZone }, tools)];
}

function editOf(call: SubscriptionCall, life: EditedLife): SubscriptionEdit {
  const { running, records, tools } = life;
  const { account, subscription } = running;
  const from = (day: { readonly from: AskedDay; readonly isForced: boolean }) =>
    effectiveFrom(day, account, tools);
  switch (call.do) {
    case 'CHANGE':
      return changeOf(call, life);
    case 'CANCEL':
      return planCancellation(
        running,
        {
          requestedDate: asked(call.when, account, tools.now),
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
  { from, isForced }: { readonly from: AskedDay; readonly isForced: boolean },
  account: Account,
  { now }: EditTools,
) {
  return { effectiveFromDate: asked(from, account, now), allowPastDate: isForced };
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
    { requestedDate: asked(call.when, running.account, tools.now), billingPolicy: call.policy },
  );
  const decided = decideChange(running, request, tools.now);
  checkAddOnChange(decided, { running, bundle }, tools.now);
  return planChange(running, { request, decided, overridePlan: null }, tools).edit;
}
