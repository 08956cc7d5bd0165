import { createAlignmentOf, type OverrideDefinition, type OverridePlan } from '../../catalog/index.ts';
import {
  type Account,
  type BlockingState,
  BlockingStateType,
  type Bundle,
  ENTITLEMENT_SERVICE,
  EntitlementStateName,
  type LifecycleEvent,
  type New,
  type StoredCursor,
  type Subscription,
} from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { DatedInstant, LocalDate } from '../../values/time/index.ts';
import { historiesOf } from '../add-ons/base-end.ts';
import { addOnEnds, type StoredMember } from '../edits/add-on-ends.ts';
import type { SubscriptionEdit } from '../edits/subscription-edit.ts';
import {
  type CheckedGroup,
  type CheckedRequest,
  type CouponRequest,
  couponRequestOf,
  withOverridePlan,
} from '../requests/create-request.ts';
import {
  asStored,
  DatedBy,
  type EditTools,
  eventsOf,
  reasonDatedBy,
  writeReason,
} from '../timeline/lifecycle-events.ts';
import { checkBillable, initialEvents } from '../timeline/phase-events.ts';
import { createAnchor } from '../timeline/phase-timeline.ts';
import {
  type ChosenGroup,
  type ChosenSubscription,
  type GroupChoiceInput,
  KeyRetirement,
  namedBundle,
  originalCreation,
  withoutKey,
} from './choose-group.ts';

interface CreationsInput extends GroupChoiceInput {
  readonly groups: readonly ChosenGroup[];
  /** Returns the plan that implements requested prices. */
  readonly overridePlanOf: (definition: OverrideDefinition) => OverridePlan;
  readonly nextId: () => Uuid;
}

export interface NewSubscription {
  readonly bundle: Pick<Bundle, 'id' | 'externalKey'>;
  readonly subscription: New<Subscription>;
  readonly events: readonly New<LifecycleEvent>[];
  readonly entitlementStart: New<BlockingState>;
  readonly cursor: StoredCursor;
}

export interface Creation extends NewSubscription {
  readonly request: CheckedRequest;
  /** Null if no coupon is redeemed. */
  readonly coupons: CouponRequest | null;
}

export interface NewBundleContent {
  /** The new bundle, or null if the subscriptions join an existing bundle. */
  readonly newBundle: New<Bundle> | null;
  /** The ended bundle that loses its key, or null if no bundle loses a key. */
  readonly releasedKey: Bundle | null;
  /** The subscriptions, with the base first. */
  readonly creations: readonly NewSubscription[];
}

export interface BundleCreation extends NewBundleContent {
  readonly group: CheckedGroup;
  readonly bundle: Pick<Bundle, 'id' | 'externalKey'>;
  readonly creations: readonly Creation[];
}

/**
 * Returns the records of the subscriptions that `chooseGroup` allows (§6.2 rules 7, 12, 13).
 * @throws BillingError SUBSCRIPTION_CREATE_BAD_PHASE (1011) and the codes of `checkBillable`.
 */
export function planCreations(input: CreationsInput): readonly BundleCreation[] {
  return input.groups.map((chosen) => {
    const { bundleExternalKey: key } = chosen.group;
    const carriers = input.keyCarriers.filter(({ externalKey }) => externalKey === key);
    const newBundle = chosen.joined === null ? newBundleOf(input.account, { key, carriers }, input) : null;
    const bundle = chosen.joined?.bundle ?? newBundle;
    assertInvariant(bundle, 'A creation has no bundle');
    const creations = chosen.subscriptions.map((each) => creationOf(each, { ...input, chosen, bundle }));
    return {
      group: chosen.group,
      bundle,
      newBundle,
      releasedKey: newBundle && releasedKey(chosen.group, input),
      creations,
    };
  });
}

function releasedKey(group: CheckedGroup, { found }: CreationsInput): Bundle | null {
  const holder = namedBundle(group, found);
  return holder === undefined ? null : withoutKey(holder.bundle, KeyRetirement.CANCELLED);
}

function creationOf(
  one: ChosenSubscription,
  context: CreationsInput & Pick<BundleCreation, 'bundle'> & { readonly chosen: ChosenGroup },
): Creation {
  const { account, bundle, chosen, now, nextId, options } = context;
  const { request, overrides } = one;
  const { billing, bundleStart } = chosen;
  const overridePlan = overrides === null ? null : context.overridePlanOf(overrides);
  const choice = overridePlan === null ? one.choice : withOverridePlan(one.choice, overridePlan);
  const plans = overridePlan === null ? context.catalog : context.catalog.with(overridePlan);
  const subscriptionId = nextId();
  const subscription: New<Subscription> = {
    id: subscriptionId,
    bundleId: bundle.id,
    accountId: account.id,
    accountRecordId: account.recordId,
    externalKey: request.externalKey ?? subscriptionId,
    category: choice.category,
    alignStart: billing,
    bundleStart,
    chargedThrough: null,
    migrated: options.migrated ?? false,
    announcedTrialEnd: null,
    createdDate: now,
  };
  // The alignment comes from the catalog version that supplies the plan at the billing date (§5 rule 6).
  const { plan: chosenPlan, priceListName } = one.choice;
  const dates = { eventDate: billing.at, subscriptionStart: billing.at };
  const alignment = createAlignmentOf(context.catalog, { planName: chosenPlan.name, priceListName }, dates);
  const drafts = initialEvents({
    plan: choice.plan,
    priceListName: choice.priceListName,
    billing,
    anchor: createAnchor(alignment.result, subscription),
    phaseType: request.phaseType,
    billCycleDay: request.billCycleDay,
    quantity: request.quantity,
    reason:
      subscription.alignStart.at === subscription.bundleStart.at
        ? null
        : writeReason({ ...reasonDatedBy(DatedBy.REQUESTED_DATE), alignment, alignedBy: 'CREATE' }),
    now,
    zone: account.timeZone,
  });
  const owner = { subscriptionId, accountRecordId: account.recordId, lastSequence: 0, createdDate: now };
  const events = eventsOf(drafts, { ...owner, nextId });
  checkBillable({ account, events: asStored(events), plans });
  return {
    bundle,
    request,
    coupons: couponRequestOf(request, { subscriptionId, plan: choice.plan, redeemed: billing }),
    subscription,
    events,
    entitlementStart: entitlementStarted(subscription, chosen.entitlement, nextId()),
    cursor: firstCursor(subscription, billing.date),
  };
}

/**
 * Returns the new bundle. @param bundle If `key` is null, the bundle's id is used as its key. `carriers` are the
 * bundles that have ever had the key.
 */
export function newBundleOf(
  account: Account,
  { key, carriers }: { readonly key: string | null; readonly carriers: readonly Bundle[] },
  { now, nextId }: EditTools,
): New<Bundle> {
  const id = nextId();
  return {
    id,
    accountId: account.id,
    accountRecordId: account.recordId,
    externalKey: key ?? id,
    retiredKey: null,
    originalCreatedDate: originalCreation(carriers, now),
    createdDate: now,
  };
}

export function entitlementStarted(
  subscription: New<Subscription>,
  effective: DatedInstant,
  id: Uuid,
): New<BlockingState> {
  return {
    id,
    blockedId: subscription.id,
    accountRecordId: subscription.accountRecordId,
    type: BlockingStateType.SUBSCRIPTION,
    service: ENTITLEMENT_SERVICE,
    stateName: EntitlementStateName.ENT_STARTED,
    isBlockChange: false,
    isBlockEntitlement: false,
    isBlockBilling: false,
    effective,
    sequence: 1,
    isActive: true,
    causedBy: null,
    createdDate: subscription.createdDate,
  };
}

/** Returns the initial cursor, which records that nothing has been invoiced yet. */
export function firstCursor(
  { id, accountRecordId }: Pick<Subscription, 'id' | 'accountRecordId'>,
  firstDay: LocalDate,
): StoredCursor {
  return {
    subscriptionId: id,
    accountRecordId,
    settledThrough: null,
    dirtyFrom: firstDay,
    nextDueDate: null,
    catalogRevision: null,
    itemsDate: null,
    itemsCount: 0,
    usage: null,
    ongoing: null,
  };
}

/**
 * Returns the ends of add-ons that would start after their base has ended, or after it has changed to a plan that does
 * not offer them. These ends are stored immediately (§12 rule 1).
 */
export function lateAddOnEnds(
  creations: readonly BundleCreation[],
  { found, blockingStates, catalog, account, now }: GroupChoiceInput,
  nextId: () => Uuid,
): readonly SubscriptionEdit[] {
  const late = creations.filter(({ creations: made }) =>
    made.some(({ subscription }) => subscription.alignStart.at < now),
  );
  return late.flatMap(({ bundle: { id }, newBundle, creations: made }) => {
    const joined = found.find(({ bundle }) => bundle.id === id);
    const bundle = joined?.bundle ?? (newBundle && { ...newBundle, recordId: 0 });
    if (!bundle) return [];
    const histories = historiesOf(joined?.subscriptions ?? [], joined?.events ?? [], blockingStates);
    const standing = histories.map((history) => ({ ...history, bundle }));
    const members = [...standing, ...made.map((creation) => asMember(creation, bundle))];
    const own = new Set(made.map(({ subscription }) => subscription.id));
    const rules = { plans: catalog, zone: account.timeZone };
    const ends = addOnEnds({ bundle: members, until: now, ...rules }, { now, nextId });
    return ends.filter(({ subject }) => own.has(subject.subscription.id));
  });
}

function asMember({ subscription, events, entitlementStart }: Creation, bundle: Bundle): StoredMember {
  return {
    subscription: { ...subscription, recordId: 0 },
    bundle,
    events: asStored(events),
    blockingStates: [{ ...entitlementStart, recordId: 0 }],
  };
}
