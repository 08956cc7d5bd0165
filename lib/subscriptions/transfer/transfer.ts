import type { CatalogWithOverrides } from '../../catalog/index.ts';
import {
  type Account,
  type Bundle,
  type LifecycleEvent,
  type New,
  ProductCategory,
  type Subscription,
} from '../../records/index.ts';
import { BillingError, ErrorCode, invalidField } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type DatedInstant, formatInstant, type Instant, maxInstant } from '../../values/time/index.ts';
import {
  entitlementStarted,
  firstCursor,
  type NewBundleContent,
  type NewSubscription,
} from '../create/creation.ts';
import { KeyRetirement, originalCreation, withoutKey } from '../create/retired-keys.ts';
import { hasEnded } from '../edits/cancellation.ts';
import { firstTransitionOf, type RunningSubscription } from '../edits/running-subscription.ts';
import type { SubscriptionEdit } from '../edits/subscription-edit.ts';
import { isTransferred } from '../edits/transferred-ends.ts';
import type { CheckedTransfer } from '../requests/transfer-request.ts';
import { checkBillable } from '../timeline/billable-terms.ts';
import { atReferenceTime, datedInstant } from '../timeline/dated-instants.ts';
import type { EditTools } from '../timeline/edit-tools.ts';
import { asStored, eventsOf } from '../timeline/event-draft.ts';
import { transferEnds } from './transfer-ends.ts';
import { datedIn, transferredEvents } from './transferred-events.ts';

export interface TransferInput {
  readonly request: CheckedTransfer;
  /** Its lock is held, and that of the target. */
  readonly source: Account;
  readonly target: Account;
  readonly bundle: Bundle;
  /** Bundles that carry the bundle's key or carried it before. */
  readonly keyCarriers: readonly Bundle[];
  /** All subscriptions of the bundle. */
  readonly running: readonly RunningSubscription[];
  /** Their withdrawn events. */
  readonly history: readonly LifecycleEvent[];
  /** Of the target account. */
  readonly catalog: CatalogWithOverrides;
}

export interface BundleTransfer {
  /** What ends on the source account. */
  readonly ends: readonly SubscriptionEdit[];
  /** What begins on the target account. */
  readonly begun: NewBundleContent;
  readonly bundleId: Uuid;
}

/**
 * Returns what the transfer of a bundle to another account stores (§17.4): its running subscriptions end on one account
 * and continue on the other, in a new bundle with the same key.
 * @throws BillingError SUBSCRIPTION_NO_ACTIVE_SUBSCRIPTIONS (1099), MISSING_OR_INVALID_FIELD (60003), INVALID_PARAMETER
 * (60002); from the target account's catalog CATALOG_PLAN_NOT_FOUND (2020), CATALOG_NO_PRICE_FOR_CURRENCY (2010), 2011,
 * CURRENCY_INVALID (3).
 */
export function planTransfer(asked: TransferInput, tools: EditTools): BundleTransfer {
  const request = { ...asked.request, externalKeys: newKeys(asked) };
  const input = { ...asked, request };
  const { source, bundle, running } = input;
  const { now } = tools;
  const transfer = transferDate(request, source, now);
  const live = goingOver(running, maxInstant(now, transfer.at));
  if (live.length === 0) {
    throw new BillingError({
      code: ErrorCode.SUBSCRIPTION_NO_ACTIVE_SUBSCRIPTIONS,
      message: `Bundle ${bundle.id} of account ${source.id} has no subscription to transfer at ${formatInstant(transfer.at)}: each has ended by then, or is transferred already`,
      facts: { bundleId: bundle.id },
    });
  }
  checkNamed(request, request.ignoresEnded ? running : live);
  const newBundle = newBundleOf(input, tools);
  const creations = live.map((each) => continued(each, { ...input, transfer, newBundle }, tools));
  for (const { events } of creations)
    checkBillable({ account: input.target, events: asStored(events), plans: input.catalog });
  const policy = request.billingPolicy;
  const continuations = new Map(
    live.flatMap(({ subscription }, index) => {
      const [first] = creations[index]?.events ?? [];
      return first === undefined ? [] : [[subscription.id, first.id] as const];
    }),
  );
  const ends = transferEnds({ ofBundle: running, live, continuations, transfer, policy }, tools);
  const keyGivenUp = withoutKey(bundle, KeyRetirement.TRANSFERRED);
  return { ends, begun: { newBundle, keyGivenUp, creations }, bundleId: newBundle.id };
}

/**
 * The subscriptions that run at `at` and are not transferred yet, the base first; add-ons are transferred with their base
 * only.
 */
function goingOver(running: readonly RunningSubscription[], at: Instant): readonly RunningSubscription[] {
  const of = ({ subscription }: RunningSubscription, category: ProductCategory) =>
    subscription.category === category;
  const live = running.filter((each) => !hasEnded(each, at) && !isTransferred(each));
  const base = live.filter((each) => of(each, ProductCategory.BASE));
  const others = live.filter((each) => !base.includes(each));
  return base.length > 0 ? [...base, ...others] : others.filter((each) => !of(each, ProductCategory.ADD_ON));
}

/** A subscription that is sent back as it was read names no new key: its own key stays with it (json-models §16 rule 1). */
function newKeys({ request, running }: TransferInput): CheckedTransfer['externalKeys'] {
  const own = new Map(running.map(({ subscription: { id, externalKey } }) => [id, externalKey]));
  return new Map([...request.externalKeys].filter(([id, key]) => key === null || own.get(id) !== key));
}

/** The requested day at the source account's reference time, past or future, or now. */
function transferDate({ requestedDate }: CheckedTransfer, source: Account, now: Instant): DatedInstant {
  const asked = datedInstant(requestedDate, now, source);
  return requestedDate === null ? asked : atReferenceTime(asked.date, source);
}

function checkNamed({ externalKeys }: CheckedTransfer, accepted: readonly RunningSubscription[]): void {
  const known = new Set(accepted.map(({ subscription }) => subscription.id));
  for (const subscriptionId of externalKeys.keys()) {
    if (known.has(subscriptionId)) continue;
    throw invalidField(
      `Subscription ${subscriptionId} is not transferred with the bundle. Give keys to these only: ${[...known].join(', ')}`,
      { field: 'subscriptions', subscriptionId },
    );
  }
}

function newBundleOf(
  { target, bundle, keyCarriers }: TransferInput,
  { now, nextId }: EditTools,
): New<Bundle> {
  return {
    id: nextId(),
    accountId: target.id,
    accountRecordId: target.recordId,
    externalKey: bundle.externalKey,
    retiredKey: null,
    originalCreatedDate: originalCreation(keyCarriers, now),
    createdDate: now,
  };
}

/** The subscription as it continues (§17.4 rule 4). */
function continued(
  running: RunningSubscription,
  input: TransferInput & { readonly transfer: DatedInstant; readonly newBundle: New<Bundle> },
  { now, nextId }: EditTools,
): NewSubscription {
  const { target, request, newBundle, transfer, history } = input;
  const zone = target.timeZone;
  const begins = datedIn(transfer, zone);
  const id = nextId();
  const subscription: New<Subscription> = {
    id,
    bundleId: newBundle.id,
    accountId: target.id,
    accountRecordId: target.recordId,
    externalKey: request.externalKeys.get(running.subscription.id) ?? id,
    category: running.subscription.category,
    alignStart: datedIn(running.subscription.alignStart, zone),
    bundleStart: begins,
    chargedThrough: null,
    migrated: false,
    createdDate: now,
  };
  const drafts = transferredEvents({
    running,
    history: history.filter(({ subscriptionId }) => subscriptionId === running.subscription.id),
    transfer: begins,
    bcdTransfer: request.bcdTransfer,
    zone,
    now,
  });
  const events = eventsOf(drafts, {
    subscriptionId: id,
    accountRecordId: target.recordId,
    lastSequence: takesPlaceAt(running, transfer) ? 1 : 0,
    createdDate: now,
    nextId,
  });
  return {
    bundle: newBundle,
    subscription,
    events,
    entitlementStart: entitlementStarted(subscription, begins, nextId()),
    cursor: firstCursor(
      subscription,
      events[0]?.effective.date ?? firstTransitionOf(running).event.effective.date,
    ),
  };
}

/**
 * Whether it continues with a start that replaced another one (§7 rule 9). That must stay visible, since such a start
 * ends the add-ons that its plan does not offer (§12).
 */
function takesPlaceAt(running: RunningSubscription, transfer: DatedInstant): boolean {
  const { event } = firstTransitionOf(running);
  return event.effective.at >= transfer.at && event.sequence > 1;
}
