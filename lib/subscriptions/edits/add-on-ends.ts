import { type BlockingState, LifecycleEventType, ProductCategory } from '../../records/index.ts';
import type { Instant, TimeZone } from '../../values/time/index.ts';
import {
  AddOnOffer,
  addOnOffer,
  type BaseEnd,
  entitlementEnds,
  mayEndAddOns,
  timelinesOf,
} from '../add-ons/base-end.ts';
import { firstDayAtEnd } from '../blocking/blocked-time.ts';
import {
  asStored,
  bareDraft,
  DatedBy,
  type EditTools,
  isPlanChoice,
  reasonDatedBy,
  writeReason,
} from '../timeline/lifecycle-events.ts';
import { withDerivedPhases } from '../timeline/phase-events.ts';
import { type PlanResolver, planShownAt, transitionsOf } from '../timeline/transitions.ts';
import { nextEvents, type RunningSubscription } from './running-subscription.ts';
import {
  editOf,
  entitlementEnded,
  eventsFromEnd,
  eventsOfEdit,
  type SubscriptionEdit,
  withdrawnBy,
} from './subscription-edit.ts';

export type StoredMember = Pick<RunningSubscription, 'subscription' | 'bundle' | 'events' | 'blockingStates'>;

interface BundleRules {
  readonly plans: PlanResolver;
  readonly zone: TimeZone;
}

interface FollowInput {
  /** The change to the base. Changes to other subscriptions do not affect add-ons. */
  readonly edit: SubscriptionEdit;
  /** All subscriptions of the bundle before the operation. */
  readonly bundle: readonly RunningSubscription[];
  /** The catalog, including a plan that the edit adds. Defaults to the catalog of the bundle. */
  readonly plans?: PlanResolver;
}

/**
 * Returns the changes to add-ons after an operation on their base. Stores ends that have taken effect, removes ends
 * caused by a cancellation that is now undone, and marks all add-ons for invoicing.
 */
export function followBase(input: FollowInput, tools: EditTools): readonly SubscriptionEdit[] {
  const { edit, bundle } = input;
  const base = bundle.find(({ subscription }) => subscription.id === edit.subject.subscription.id);
  if (base?.subscription.category !== ProductCategory.BASE) return [];
  const rules = { plans: input.plans ?? base.catalog, zone: base.account.timeZone };
  const edited = applyEdit(edit, base);
  const withdrawn = new Set(edit.withdrawn.map(({ event }) => event.id));
  const touching = eventsOfEdit(edit).filter((event) => mayEndAddOns(event) || isPlanChoice(event));
  const members = bundle.map((member) => (member === base ? edited : withoutStatesOf(withdrawn, member)));
  const ends = [
    ...endsOfUndone(input, { before: base, after: edited, rules }, tools),
    ...addOnEnds({ bundle: members, until: tools.now, ...rules }, tools),
  ];
  const endOf = new Map(ends.map((end) => [end.subject.subscription.id, end]));
  return bundle.filter(isAddOn).flatMap((addOn): readonly SubscriptionEdit[] => {
    const end = endOf.get(addOn.subscription.id);
    const withdrawnStates = entitlementEnds(addOn).filter(
      ({ causedBy }) => causedBy !== null && withdrawn.has(causedBy),
    );
    const touched = touching.map(({ effective }) => firstDayAtEnd(addOn.blockingStates, effective));
    if (end === undefined && touched.length === 0 && withdrawnStates.length === 0) return [];
    return [{ ...(end ?? editOf(addOn, {})), withdrawnStates, touched }];
  });
}

/**
 * Ends add-ons that were bought for a pending change of plan when that change is undone (§12 rule 1). Their service
 * ends immediately. Their billing ends on the date on which it would have begun.
 */
function endsOfUndone(
  { bundle, edit }: FollowInput,
  base: { readonly before: StoredMember; readonly after: StoredMember; readonly rules: BundleRules },
  tools: EditTools,
): readonly SubscriptionEdit[] {
  const cause = edit.addedEvents.find(({ type }) => type === LifecycleEventType.UNDO_CHANGE);
  if (cause === undefined) return [];
  const { plans, zone } = base.rules;
  const transitionsIn = ({ events }: StoredMember) =>
    transitionsOf(withDerivedPhases(events, plans, zone), plans);
  const [before, after] = [transitionsIn(base.before), transitionsIn(base.after)];
  const left = bundle.filter((addOn) => {
    const { at } = addOn.subscription.alignStart;
    const plan = planShownAt(after, at);
    if (!isAddOn(addOn) || at <= tools.now || plan?.plan === planShownAt(before, at)?.plan) return false;
    const addOnProduct = planShownAt(transitionsIn(addOn), at)?.plan.product;
    const hasEnded = entitlementEnds(addOn).some(({ effective }) => effective.at <= tools.now);
    if (plan === null || addOnProduct === undefined || hasEnded) return false;
    return addOnOffer(plan, addOnProduct, { catalog: plans, at }) !== AddOnOffer.AVAILABLE;
  });
  const caused = { cause: { ...cause, recordId: 0 }, storedFrom: tools.now };
  return left.flatMap((addOn) => {
    const { alignStart } = addOn.subscription;
    const billing = { ...caused, type: LifecycleEventType.CANCEL, effective: alignStart };
    return endingEdit(addOn, { billing, entitlement: { ...caused, effective: cause.effective } }, tools);
  });
}

/** Returns the edits for add-on ends up to `until` that the base causes and that are not stored yet (§12). */
export function addOnEnds(
  {
    bundle,
    until,
    ...rules
  }: BundleRules & { readonly bundle: readonly StoredMember[]; readonly until: Instant },
  tools: EditTools,
): readonly SubscriptionEdit[] {
  const withOwnStates = bundle.map((member) => ({
    ...member,
    blockingStates: member.blockingStates.filter(({ blockedId }) => blockedId === member.subscription.id),
  }));
  return timelinesOf(withOwnStates, rules).flatMap((timeline, index) => {
    const addOn = bundle[index];
    if (addOn === undefined || timeline.baseEnd === null) return [];
    return endingEdit(addOn, comeBy(timeline.baseEnd, until), tools);
  });
}

function endingEdit(addOn: StoredMember, end: BaseEnd, { now, nextId }: EditTools) {
  const { billing, entitlement } = end;
  if (billing === null && entitlement === null) return [];
  const reason = writeReason(reasonDatedBy(DatedBy.BASE));
  const ends = billing === null ? [] : [{ ...bareDraft(billing.type, billing.effective), reason }];
  const addedEvents = nextEvents(addOn, ends, { now, nextId });
  const withdrawn =
    billing === null ? [] : withdrawnBy(addedEvents, eventsFromEnd(addOn.events, billing.effective.at, now));
  if (entitlement === null) return [editOf(addOn, { addedEvents, withdrawn })];
  const { effective, cause } = entitlement;
  const stated = { id: nextId(), effective, createdDate: now, causedBy: cause.id };
  return [editOf(addOn, { addedEvents, withdrawn, addedStates: [entitlementEnded(addOn, stated)] })];
}

function comeBy({ billing, entitlement }: BaseEnd, until: Instant): BaseEnd {
  return {
    billing: billing !== null && billing.storedFrom <= until ? billing : null,
    entitlement: entitlement !== null && entitlement.storedFrom <= until ? entitlement : null,
  };
}

function applyEdit(edit: SubscriptionEdit, base: StoredMember): StoredMember {
  const withdrawn = new Set(edit.withdrawn.map(({ event }) => event.id));
  const withdrawnStates = new Set(edit.withdrawnStates.map(({ id }) => id));
  const added = asStored(edit.addedEvents);
  const addedStates = edit.addedStates.map((state): BlockingState => ({ ...state, recordId: 0 }));
  return {
    ...base,
    events: [...base.events.filter(({ id }) => !withdrawn.has(id)), ...edit.restored, ...added],
    blockingStates: [...base.blockingStates.filter(({ id }) => !withdrawnStates.has(id)), ...addedStates],
  };
}

function withoutStatesOf(causes: ReadonlySet<string>, member: StoredMember): StoredMember {
  return {
    ...member,
    blockingStates: member.blockingStates.filter(
      ({ causedBy }) => causedBy === null || !causes.has(causedBy),
    ),
  };
}

function isAddOn({ subscription }: StoredMember): boolean {
  return subscription.category === ProductCategory.ADD_ON;
}
