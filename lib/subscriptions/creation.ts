import type { Account } from '../accounts/model.ts';
import type { CatalogWithOverrides, OverrideDefinition, OverridePlan } from '../catalog/index.ts';
import { BillingError, ErrorCode } from '../errors/index.ts';
import type { Uuid } from '../ids/index.ts';
import type { InvoicingCursor } from '../invoicing/model.ts';
import type { New } from '../ports/storage/index.ts';
import type { DatedInstant, Instant } from '../time/index.ts';
import { blockFlagsAt } from './blocking-in-force.ts';
import { type BundleContent, checkBundleTakes, chooseBundle } from './bundle-choice.ts';
import type { CheckedRequest, CreateSubscriptionOptions } from './create-request.ts';
import { eventsOf } from './event-draft.ts';
import { initialEvents } from './initial-events.ts';
import {
  type BlockingState,
  BlockingStateType,
  type Bundle,
  ENTITLEMENT_SERVICE,
  EntitlementStateName,
  type LifecycleEvent,
  type Subscription,
} from './model.ts';
import { createAnchor } from './plan-alignment.ts';
import { choosePlan, overridesOf, type PlanChoice, withOverridePlan } from './plan-choice.ts';
import { datedInstant } from './requested-date.ts';

export interface CreationInput {
  readonly request: CheckedRequest;
  readonly options: CreateSubscriptionOptions;
  /** Under its lock. */
  readonly account: Account;
  /** The bundle with the requested id or key, if there is one. */
  readonly found: BundleContent | undefined;
  /** Active blocking states of the account. */
  readonly blockingStates: readonly BlockingState[];
  readonly catalog: CatalogWithOverrides;
  /** Of the requested price overrides, as `overridesOfCreation` defines them; absent without any. */
  readonly overridePlan?: OverridePlan | null;
  readonly now: Instant;
  readonly nextId: () => Uuid;
}

/** Everything that one creation stores (subscriptions.md §6.2). */
export interface Creation {
  readonly bundle: Pick<Bundle, 'id' | 'externalKey'>;
  /** null when the subscription joins an existing bundle. */
  readonly newBundle: New<Bundle> | null;
  readonly subscription: New<Subscription>;
  readonly events: readonly New<LifecycleEvent>[];
  readonly entitlementStart: New<BlockingState>;
  readonly cursor: InvoicingCursor;
}

/**
 * The override plan that a creation needs before `planCreation`; null without price overrides (catalog.md §10).
 * @throws BillingError of `choosePlan`, CATALOG_INVALID_PRICE_OVERRIDE (2081).
 */
export function overridesOfCreation(input: CreationInput): OverrideDefinition | null {
  const { request, account, catalog } = input;
  const billing = datedInstant(input.options.billingDate, input.now, account);
  const choice = choosePlan(catalog, request, billing.at);
  return overridesOf(catalog, choice, {
    priceOverrides: request.priceOverrides,
    currency: account.currency,
  });
}

/**
 * Decides what a creation stores, from data read under the account's lock.
 * @throws BillingError of `chooseBundle`, `choosePlan`, `checkBundleTakes`, `initialEvents`; BLOCKING_BLOCKED_ACTION (6000).
 */
export function planCreation(input: CreationInput): Creation {
  const { request, account } = input;
  const { now } = input;
  const entitlement = datedInstant(input.options.entitlementDate, now, account);
  const billing = datedInstant(input.options.billingDate, now, account);
  const renameKeyIfUnused = input.options.renameKeyIfExistsAndUnused ?? true;
  const existing = chooseBundle({ request, found: input.found, renameKeyIfUnused, now });
  const choice = choiceOf(input, billing.at);
  if (existing !== null) checkBundleTakes(choice.category, existing);
  checkNotBlocked(account, input.blockingStates, entitlement.at);

  const newBundle = existing === null ? newBundleOf(input, now) : null;
  const bundle = existing?.bundle ?? newBundle;
  if (bundle === null) throw new Error('a creation has a bundle');
  const subscriptionId = input.nextId();
  const subscription: New<Subscription> = {
    id: subscriptionId,
    bundleId: bundle.id,
    accountId: account.id,
    accountRecordId: account.recordId,
    externalKey: request.externalKey ?? subscriptionId,
    category: choice.category,
    // BASE and STANDALONE begin their bundle's timeline where they begin to be billed (§6.2 rule 12).
    alignStart: billing,
    bundleStart: billing,
    chargedThrough: null,
    migrated: input.options.migrated ?? false,
    createdDate: now,
  };
  const alignment = choice.version.createAlignment({
    ...choice.version.contextOf(choice.plan),
    priceList: choice.priceListName,
  });
  const drafts = initialEvents({
    plan: choice.plan,
    priceListName: choice.priceListName,
    billing,
    anchor: createAnchor(alignment, subscription),
    phaseType: request.phaseType,
    billCycleDay: request.billCycleDay,
    quantity: request.quantity,
    now,
    zone: account.timeZone,
  });
  const owner = { subscriptionId, accountRecordId: account.recordId, lastSequence: 0, createdDate: now };
  return {
    bundle,
    newBundle,
    subscription,
    events: eventsOf(drafts, { ...owner, nextId: input.nextId }),
    entitlementStart: entitlementStarted(subscription, entitlement, input.nextId()),
    cursor: { subscriptionId, settledThrough: null, dirtyFrom: billing.date, nextDueDate: null },
  };
}

function choiceOf({ catalog, request, overridePlan }: CreationInput, billingAt: Instant): PlanChoice {
  const choice = choosePlan(catalog, request, billingAt);
  return overridePlan ? withOverridePlan(choice, overridePlan) : choice;
}

function newBundleOf({ request, account, nextId }: CreationInput, now: Instant): New<Bundle> {
  const id = nextId();
  return {
    id,
    accountId: account.id,
    accountRecordId: account.recordId,
    externalKey: request.bundleExternalKey ?? id,
    originalCreatedDate: now,
    createdDate: now,
  };
}

function entitlementStarted(
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

/** An account whose changes are blocked takes no subscription (§6.2 rule 8); the message is fixed (http-api.md §12). */
function checkNotBlocked(account: Account, states: readonly BlockingState[], at: Instant): void {
  if (!blockFlagsAt(states, at).isBlockChange) return;
  throw new BillingError({
    code: ErrorCode.BLOCKING_BLOCKED_ACTION,
    message: `The action Change is block on this Account with id=${account.id}`,
    facts: { accountId: account.id },
  });
}
