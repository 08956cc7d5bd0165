import type {
  BillingActionPolicy,
  BillingAlignment,
  PhaseType,
  PlanAlignmentCreate,
  RuleDecision,
} from '../../records/index.ts';
import { type Instant, maxInstant } from '../../values/time/index.ts';
import type { SubscriptionContext } from '../model/rule-conditions.ts';
import type { Catalog } from './catalog.ts';
import type { CatalogVersion } from './catalog-version.ts';
import type { PlanSpecifier } from './plan-specifier.ts';
import { billingAlignment, cancelPolicy, createAlignment } from './rules.ts';
import type { PlanChangeDecision } from './rules-of-change.ts';

// Which version's rules apply (§6.3). Rules of a change are never grandfathered; rules of the plan are, together with it.

/** Where plans and their rules are looked up. */
export interface RuledCatalog extends Pick<Catalog, 'resolveVersion' | 'resolvePlan'> {
  decidePlanChange(
    version: CatalogVersion,
    from: SubscriptionContext,
    target: PlanSpecifier,
  ): PlanChangeDecision;
}

/** A subscription as the rules read it. */
export interface RuledSubscription {
  readonly planName: string;
  /** The phase in force. */
  readonly phaseType: PhaseType;
  /** The list that the plan was chosen from. */
  readonly priceListName: string;
  /** Date of the CREATE, TRANSFER or CHANGE that put it on the plan. */
  readonly lastPlanChange: Instant;
  /** When that event was recorded, whatever its date. */
  readonly decided: Instant;
}

export interface PlanChangeQuestion {
  /** The subscription at `now`. Its properties are those of its own plan, so that one on a retired plan can change. */
  readonly subscription: RuledSubscription;
  readonly target: PlanSpecifier;
  /** Date of the change; null while it is still to follow from the policy. */
  readonly changeDate: Instant | null;
  readonly now: Instant;
}

/**
 * List, policy and alignment of a change by the version in force at its date, or now while that is not known. Once it is
 * known, ask again, since the version of that date may forbid the change.
 * @throws BillingError as `decidePlanChange` of rules-of-change.ts.
 */
export function planChangeRules(catalog: RuledCatalog, question: PlanChangeQuestion): PlanChangeDecision {
  const { subscription, target, changeDate, now } = question;
  const version = catalog.resolveVersion(changeDate ?? now);
  return catalog.decidePlanChange(version, ruledContext(catalog, subscription, now).context, target);
}

/** The policy of a cancellation, by the version that supplies the plan now. */
export function cancelPolicyOf(
  catalog: RuledCatalog,
  subscription: RuledSubscription,
  now: Instant,
): RuleDecision<BillingActionPolicy> {
  const { version, context } = ruledContext(catalog, subscription, now);
  return cancelPolicy(version.rules, context);
}

/** How bill cycles align from an event on, by the version that supplies the plan at its date. */
export function billingAlignmentOf(
  catalog: RuledCatalog,
  subscription: RuledSubscription,
  eventDate: Instant,
): RuleDecision<BillingAlignment> {
  const { version, context } = ruledContext(catalog, subscription, eventDate);
  return billingAlignment(version.rules, context);
}

/**
 * From where phases count, by the version that supplies the plan at the event's date.
 * @param subscriptionStart replaces the last plan change.
 */
export function createAlignmentOf(
  catalog: RuledCatalog,
  plan: Pick<RuledSubscription, 'planName' | 'priceListName'>,
  { eventDate, subscriptionStart }: { readonly eventDate: Instant; readonly subscriptionStart: Instant },
): RuleDecision<PlanAlignmentCreate> {
  const found = catalog.resolvePlan(plan.planName, eventDate, subscriptionStart);
  const context = { ...found.version.contextOf(found.plan), priceList: plan.priceListName };
  return createAlignment(found.version.rules, context);
}

function ruledContext(catalog: RuledCatalog, subscription: RuledSubscription, at: Instant) {
  const { planName, phaseType, priceListName, lastPlanChange, decided } = subscription;
  // A subscription that is still to begin is on its first plan, which today's version may not have yet.
  const asked = maxInstant(at, lastPlanChange);
  const { version, plan } = catalog.resolvePlan(planName, asked, { at: lastPlanChange, decided });
  const context: SubscriptionContext = {
    ...version.subscriptionContextOf(plan, phaseType),
    priceList: priceListName,
  };
  return { version, context };
}
