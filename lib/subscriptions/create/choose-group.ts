import type { CatalogWithOverrides, OverrideDefinition } from '../../catalog/index.ts';
import {
  type Account,
  type BlockingState,
  type Bundle,
  EntitlementState,
  type LifecycleEvent,
  ProductCategory,
  type Subscription,
} from '../../records/index.ts';
import { assertInvariant, type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { DatedInstant, Instant } from '../../values/time/index.ts';
import {
  type BasePlan,
  basePlanAt,
  checkLimit,
  checkOffered,
  listedName,
  noActiveBase,
} from '../add-ons/add-on-checks.ts';
import { historiesOf, type Timeline, timelinesOf } from '../add-ons/base-end.ts';
import { blockFlagsAt, subscriptionStateAt } from '../blocking/states-in-force.ts';
import {
  type CheckedGroup,
  type CheckedRequest,
  type CreateSubscriptionOptions,
  choosePlan,
  overridesOf,
  type PlanChoice,
} from '../requests/create-request.ts';
import { checkBundleOwner, noSuchBundle, specifierError } from '../requests/unknown-objects.ts';
import { isEnd } from '../timeline/lifecycle-events.ts';
import { datedInstant, raiseTo } from '../timeline/phase-timeline.ts';

export interface FoundBundle extends BundleContent {
  readonly subscriptions: readonly Subscription[];
}

export interface GroupChoiceInput {
  readonly options: CreateSubscriptionOptions;
  /** The locked account. */
  readonly account: Account;
  /** The existing bundles that have the requested ids and keys. */
  readonly found: readonly FoundBundle[];
  /** All bundles that have the requested keys or had them earlier. */
  readonly keyCarriers: readonly Bundle[];
  /** Active states of the account, of the found bundles and of their subscriptions. */
  readonly blockingStates: readonly BlockingState[];
  readonly catalog: CatalogWithOverrides;
  readonly now: Instant;
}

export interface ChosenSubscription {
  readonly request: CheckedRequest;
  readonly choice: PlanChoice;
  /** The price override of the request (catalog §10), or null if the request has no price override. */
  readonly overrides: OverrideDefinition | null;
}

export interface ChosenGroup {
  readonly group: CheckedGroup;
  /**
   * Id and key of the combined group. If both are given, the id selects the bundle. A wrong key takes precedence over a
   * correct key, so that the wrong key is rejected.
   */
  readonly joined: BundleContent | null;
  readonly entitlement: DatedInstant;
  readonly billing: DatedInstant;
  /** The date from which phases are measured under the alignment START_OF_BUNDLE. */
  readonly bundleStart: DatedInstant;
  /** The subscriptions, with the base first. */
  readonly subscriptions: readonly ChosenSubscription[];
}

/**
 * Determines the bundle, dates and plans of a group according to §6.2 rules 1 to 11.
 * @throws The errors of `chooseBundle`, `choosePlan`, `checkBundleTakes`, `checkOffered` and `checkLimit`. BillingError
 * SUBSCRIPTION_CREATE_NO_BP (1013), 1017, 1020, 1085, CATALOG_INVALID_PRICE_OVERRIDE (2081), BLOCKING_BLOCKED_ACTION
 * (6000).
 */
export function chooseGroup(group: CheckedGroup, input: GroupChoiceInput): ChosenGroup {
  const { options, account, now, catalog } = input;
  const found = namedBundle(group, input.found);
  const isJoined = group.bundleId !== null || (found !== undefined && isLive(found, now));
  const live = isJoined ? joinedBundle(group, found, input) : null;
  const running = found !== undefined && live !== null ? runningBundle(found, input) : NO_BUNDLE;
  const entitlement = datedInstant(options.entitlementDate, now, account);
  const requested = datedInstant(options.billingDate, now, account);
  const billing = running.base === null ? requested : raiseTo(requested, running.base.start);

  const chosen = group.members.map((request) => {
    const choice = choosePlan(catalog, request, billing.at);
    const { priceOverrides } = request;
    return {
      request,
      choice,
      overrides: overridesOf(catalog, choice, { priceOverrides, currency: account.currency }),
    };
  });
  const subscriptions = inOrder(chosen);
  const [first] = subscriptions;
  assertInvariant(first, 'A group must have at least one subscription');
  const { category } = first.choice;
  const rules = { catalog, now };
  const chosenGroup = { group, entitlement, billing, subscriptions };
  if (category === ProductCategory.ADD_ON) {
    if (live === null) throw noBase(group);
    checkAccountNotBlocked(input, entitlement.at);
    const base = usableBase(chosenGroup, running, now);
    checkAddOns(chosenGroup, { ...rules, base: base.plan, members: running.members });
    return { ...chosenGroup, joined: live, bundleStart: base.start };
  }
  const joined = live ?? joinedBundle(group, found, input);
  if (joined !== null) checkBundleTakes(category, joined);
  checkAccountNotBlocked(input, entitlement.at);
  checkAddOns(chosenGroup, { ...rules, base: first.choice, members: [] });
  return { ...chosenGroup, joined, bundleStart: billing };
}

/** Returns the bundle with the requested id. If the group has no id, returns the bundle that has the requested key. */
export function namedBundle(
  group: Pick<CheckedGroup, 'bundleId' | 'bundleExternalKey'>,
  found: readonly FoundBundle[],
): FoundBundle | undefined {
  const { bundleId, bundleExternalKey } = group;
  return found.find(({ bundle }) =>
    bundleId === null ? holdsKey(bundle) && bundle.externalKey === bundleExternalKey : bundle.id === bundleId,
  );
}

function joinedBundle(
  group: CheckedGroup,
  found: FoundBundle | undefined,
  { account, options, now }: GroupChoiceInput,
): BundleContent | null {
  const renameKeyIfUnused = options.renameKeyIfExistsAndUnused ?? true;
  return chooseBundle({ request: { ...group, accountId: account.id }, found, renameKeyIfUnused, now });
}

type Member = Timeline<{
  readonly subscription: Subscription;
  readonly events: BundleContent['events'];
  readonly blockingStates: readonly BlockingState[];
}>;

interface RunningBundle {
  readonly base: RunningBase | null;
  readonly members: readonly Member[];
}

const NO_BUNDLE: RunningBundle = { base: null, members: [] };

interface RunningBase {
  readonly member: Member;
  readonly start: DatedInstant;
  readonly blockingStates: readonly BlockingState[];
}

function runningBundle(
  { bundle, subscriptions, events }: FoundBundle,
  { account, blockingStates, catalog }: GroupChoiceInput,
): RunningBundle {
  const histories = historiesOf(subscriptions, events, blockingStates);
  const members = timelinesOf(histories, { plans: catalog, zone: account.timeZone });
  const member = members.find(({ subscription }) => subscription.category === ProductCategory.BASE);
  const start = member?.transitions[0]?.event.effective;
  if (member === undefined || start === undefined) return { base: null, members };
  const levels: readonly Uuid[] = [account.id, bundle.id, member.subscription.id];
  const states = blockingStates.filter(({ blockedId }) => levels.includes(blockedId));
  return { base: { member, start, blockingStates: states }, members };
}

/**
 * Returns the subscriptions with the base first. Allows at most one base, and allows STANDALONE only with other
 * STANDALONE subscriptions (§6.2 rule 5).
 */
function inOrder(chosen: readonly ChosenSubscription[]): readonly ChosenSubscription[] {
  const of = (category: ProductCategory) => chosen.filter(({ choice }) => choice.category === category);
  const bases = of(ProductCategory.BASE);
  const standalone = of(ProductCategory.STANDALONE);
  if (bases.length > 1) throw badGroup('A bundle can have only one base subscription');
  if (standalone.length > 0 && standalone.length < chosen.length)
    throw badGroup('Standalone subscriptions do not share a bundle with base subscriptions and add-ons');
  return [...bases, ...standalone, ...of(ProductCategory.ADD_ON)];
}

/** Returns the base of the add-ons if add-ons can use it on their date (§6.2 rules 8 to 10). */
function usableBase(
  { billing, entitlement }: Pick<ChosenGroup, 'billing' | 'entitlement'>,
  { base }: RunningBundle,
  now: Instant,
): { readonly plan: BasePlan; readonly start: DatedInstant } {
  if (base === null) throw noUsableBase('The bundle has no base subscription for the add-on', {});
  const { member, start } = base;
  const { id } = member.subscription;
  const own = { ...member, subscriptionId: id };
  const states = [now, entitlement.at].map((at) => subscriptionStateAt(own, at));
  if (states.includes(EntitlementState.CANCELLED))
    throw noUsableBase(`The base subscription ${id} is canceled`, { subscriptionId: id });
  // An add-on may start earlier than a base whose service has already started, but not earlier than a pending base.
  if (states.every((state) => state === EntitlementState.PENDING))
    throw noUsableBase(`The service of base subscription ${id} starts after that of the add-on`, {
      subscriptionId: id,
    });
  const plan = basePlanAt(member, billing.at, now);
  if (plan === null) throw noActiveBase(id, billing.at);
  checkBaseNotBlocked(base, entitlement.at);
  return { plan, start };
}

function checkAddOns(
  { subscriptions, billing }: Pick<ChosenGroup, 'subscriptions' | 'billing'>,
  {
    base,
    members,
    catalog,
    now,
  }: Pick<GroupChoiceInput, 'catalog' | 'now'> & Pick<RunningBundle, 'members'> & { readonly base: BasePlan },
): void {
  const addOns = subscriptions.filter(({ choice }) => choice.category === ProductCategory.ADD_ON);
  for (const { choice } of addOns) checkOffered({ plan: choice.plan, at: billing.at }, base, catalog);
  const ofOnePlan = Map.groupBy(addOns, ({ choice }) => listedName(choice.plan));
  for (const same of ofOnePlan.values()) {
    const [first] = same;
    if (first === undefined) continue;
    checkLimit({ plan: first.choice.plan, at: billing.at }, members, { requested: same.length, now });
  }
}

/**
 * Rejects the creation if the account blocks changes (§6.2 rule 8). Clients rely on the exact message (http-api §12).
 */
function checkAccountNotBlocked({ account, blockingStates }: GroupChoiceInput, at: Instant): void {
  const states = blockingStates.filter(({ blockedId }) => blockedId === account.id);
  if (!blockFlagsAt(states, at).isBlockChange) return;
  throw blockedActionError('Change', { kind: 'Account', id: account.id });
}

function checkBaseNotBlocked({ member, blockingStates }: RunningBase, at: Instant): void {
  const { id } = member.subscription;
  const flags = blockFlagsAt(blockingStates, at);
  if (flags.isBlockChange) throw blockedActionError('Change', { kind: 'Subscription', id });
  if (flags.isBlockEntitlement) throw blockedActionError('Entitlement', { kind: 'Subscription', id });
}

function blockedActionError(
  action: string,
  of: { readonly kind: string; readonly id: string },
): BillingError {
  return billingError(
    ErrorCode.BLOCKING_BLOCKED_ACTION,
    `The action ${action} is block on this ${of.kind} with id=${of.id}`,
    of.kind === 'Account' ? { accountId: of.id } : { subscriptionId: of.id },
  );
}

function noBase({ bundleExternalKey }: CheckedGroup): BillingError {
  const where =
    bundleExternalKey === null ? 'name its bundle' : `no live bundle has the key ${bundleExternalKey}`;
  return billingError(
    ErrorCode.SUBSCRIPTION_CREATE_NO_BP,
    `An add-on needs a bundle with a base subscription: ${where}, or create the base with it`,
    { bundleExternalKey },
  );
}

function noUsableBase(message: string, facts: Readonly<Record<string, unknown>>): BillingError {
  return billingError(ErrorCode.SUBSCRIPTION_GET_NO_SUCH_BASE_SUBSCRIPTION, message, facts);
}

function badGroup(message: string): BillingError {
  return billingError(ErrorCode.SUBSCRIPTION_CREATE_INVALID_ENTITLEMENT_SPECIFIER, message);
}

/** Combines groups that request the same bundle, so that the rules see all requests for the bundle. */
export function groupsByBundle(
  groups: readonly CheckedGroup[],
  found: readonly FoundBundle[],
): readonly CheckedGroup[] {
  const named = Map.groupBy(
    groups,
    (group) => namedBundle(group, found)?.bundle.id ?? group.bundleExternalKey ?? group,
  );
  return [...named.values()].map((same) => combineGroups(same, found));
}

/**
 * Returns the id and key of the combined group. An id takes precedence over a key. A wrong key takes precedence over a
 * correct key, because both keys must be checked.
 */
function combineGroups(same: readonly CheckedGroup[], found: readonly FoundBundle[]): CheckedGroup {
  const members = same.flatMap((group) => group.members);
  const [bundleId = null] = same.flatMap((group) => group.bundleId ?? []);
  const keys = same.flatMap(({ bundleExternalKey }) => bundleExternalKey ?? []);
  const [first = null] = keys;
  const held = namedBundle({ bundleId, bundleExternalKey: first }, found)?.bundle.externalKey;
  return { bundleId, bundleExternalKey: keys.find((key) => key !== held) ?? first, members };
}

export interface BundleContent {
  readonly bundle: Bundle;
  readonly subscriptions: readonly Pick<Subscription, 'id' | 'category'>[];
  /** Active lifecycle events. */
  readonly events: readonly LifecycleEvent[];
}

interface BundleChoiceInput {
  readonly request: Pick<CheckedRequest, 'accountId' | 'bundleId' | 'bundleExternalKey'>;
  readonly found: BundleContent | undefined;
  readonly renameKeyIfUnused: boolean;
  readonly now: Instant;
}

/**
 * Returns the existing bundle to join, or null for a new bundle, which takes the key from an ended bundle (§6.2 rule
 * 2, §17.2).
 * @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_ID (1081), SUBSCRIPTION_CREATE_INVALID_ENTITLEMENT_SPECIFIER
 * (1020), SUBSCRIPTION_CREATE_ACTIVE_BUNDLE_KEY_EXISTS (1014).
 */
export function chooseBundle(input: BundleChoiceInput): BundleContent | null {
  const { request, found } = input;
  if (request.bundleId !== null) return bundleById(request.bundleId, input);
  if (request.bundleExternalKey === null || found === undefined) return null;

  const isOurs = found.bundle.accountId === request.accountId;
  if (isLive(found, input.now)) {
    if (isOurs) return found;
    throw keyExists(found.bundle, 'it belongs to another account');
  }
  if (isOurs && found.subscriptions.length === 0) return found;
  if (input.renameKeyIfUnused) return null;
  throw keyExists(found.bundle, 'its subscriptions have ended; allow the key to be renamed');
}

function isLive(content: BundleContent, now: Instant): boolean {
  const ended = new Set(
    content.events
      .filter((event) => isEnd(event) && event.effective.at <= now)
      .map((event) => event.subscriptionId),
  );
  return content.subscriptions.some(
    (subscription) => subscription.category !== ProductCategory.ADD_ON && !ended.has(subscription.id),
  );
}

function bundleById(bundleId: Uuid, { request, found }: BundleChoiceInput): BundleContent {
  if (found === undefined) throw noSuchBundle(bundleId);
  checkBundleOwner(found.bundle, request.accountId);
  const key = request.bundleExternalKey;
  if (key !== null && key !== found.bundle.externalKey) {
    throw specifierError(`Bundle ${bundleId} has the key ${found.bundle.externalKey}, not ${key}`, bundleId);
  }
  return found;
}

function keyExists(bundle: Bundle, why: string): BillingError {
  return billingError(
    ErrorCode.SUBSCRIPTION_CREATE_ACTIVE_BUNDLE_KEY_EXISTS,
    `Bundle ${bundle.id} already has the key ${bundle.externalKey}: ${why}, or choose another key`,
    { bundleId: bundle.id, bundleExternalKey: bundle.externalKey },
  );
}

/**
 * Allows at most one BASE, and allows STANDALONE only with other STANDALONE subscriptions (§6.2 rules 5, 6).
 * @throws BillingError SUBSCRIPTION_CREATE_BP_EXISTS (1015), SUBSCRIPTION_CREATE_INVALID_ENTITLEMENT_SPECIFIER
 * (1020).
 */
export function checkBundleTakes(category: ProductCategory, content: BundleContent): void {
  const base = content.subscriptions.find((subscription) => subscription.category === ProductCategory.BASE);
  const bundleId = content.bundle.id;
  if (base !== undefined) {
    throw billingError(
      ErrorCode.SUBSCRIPTION_CREATE_BP_EXISTS,
      `Bundle ${bundleId} already has the base subscription ${base.id}; create another bundle`,
      { bundleId, subscriptionId: base.id },
    );
  }
  if (category === ProductCategory.BASE && content.subscriptions.length > 0) {
    throw specifierError(
      `Bundle ${bundleId} contains STANDALONE subscriptions and cannot have a BASE; create another bundle`,
      bundleId,
    );
  }
}

/** Reason why a bundle loses its key. The reason becomes a prefix of the stored key (§17.1). */
export const KeyRetirement = { CANCELLED: 'kbcncl', TRANSFERRED: 'kbtsf' } as const;
export type KeyRetirement = (typeof KeyRetirement)[keyof typeof KeyRetirement];

/** Returns true if no later bundle has taken over the key. */
export function holdsKey({ retiredKey }: Bundle): boolean {
  return retiredKey === null;
}

/** Retires the bundle's key so that another bundle can use it. Callers still see the key on this bundle. */
export function withoutKey(bundle: Bundle, why: KeyRetirement): Bundle {
  return { ...bundle, retiredKey: `${why}-${bundle.recordId}:${bundle.externalKey}` };
}

/** Returns the creation date of the oldest bundle that had the key (§3). */
export function originalCreation(carriers: readonly Bundle[], now: Instant): Instant {
  return carriers.reduce<Instant>(
    (first, { originalCreatedDate }) => (originalCreatedDate < first ? originalCreatedDate : first),
    now,
  );
}
