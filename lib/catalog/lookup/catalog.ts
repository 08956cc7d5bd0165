import type {
  BillingActionPolicy,
  BillingAlignment,
  PhaseType,
  PlanAlignmentCreate,
  RuleDecision,
} from '../../records/index.ts';
import { type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import { shortenText } from '../../values/text/index.ts';
import { formatInstant, type Instant, maxInstant } from '../../values/time/index.ts';
import type { Plan, SubscriptionContext } from '../model/catalog-model.ts';
import type { CatalogVersion } from './catalog-version.ts';
import {
  type ChosenPlan,
  PlanRuns,
  type PlanTimeline,
  type PriceChangeAlignment,
  type PriceChangeEvent,
  priceChangeEvents,
} from './plan-history.ts';
import {
  billingAlignment,
  cancelPolicy,
  createAlignment,
  type PlanChangeDecision,
  type PlanSpecifier,
} from './rules.ts';

/** Maximum number of earlier revisions of a catalog that stay in memory. They share the versions of the catalog. */
const MAX_EARLIER_CATALOGS = 16;

/** A plan with its version. The date of the version becomes the `catalogEffectiveDate` of charges. */
export interface ResolvedPlan {
  readonly version: CatalogVersion;
  readonly plan: Plan;
}

export interface LastPlanChange {
  readonly at: Instant;
  /** The time at which the choice of the plan was recorded. It is independent of the effective date of the choice. */
  readonly decided: Instant;
}

/** Another catalog that contains plans of running subscriptions (§14 rule 2, §15.6 rule 4). */
export interface Elsewhere {
  readonly catalog: Catalog;
  /**
   * Plans chosen before this instant come from the other catalog, even if this catalog also contains them. If the value
   * is null, the name of the plan determines the catalog.
   */
  readonly until: Instant | null;
}

/** The earlier revisions of a catalog (§13 rule 2). */
export interface CatalogPast {
  /** The current `catalogRevision`. */
  readonly revision: number;
  /** Returns the versions at an earlier revision, in no particular order. */
  versionsAt(revision: number): readonly CatalogVersion[];
  /** False if plans can change without a new revision, because the host may start with a different default catalog. */
  readonly isRevised?: boolean;
}

/** All versions of a tenant's catalog. They are immutable and shared. Created by `createCatalog`. */
export class Catalog {
  readonly versions: readonly CatalogVersion[];
  /**
   * The tenant's `catalogRevision`, or 0 if there is no tenant. The revision of a plugin's catalog is a negative number
   * derived from its content.
   */
  readonly revision: number;
  readonly #dates: Float64Array;
  readonly #past: CatalogPast | null;
  readonly #elsewhere: Elsewhere | null;
  readonly #earlier = new Map<number, Catalog>();
  #runs: PlanRuns | undefined;

  constructor(
    versions: readonly CatalogVersion[],
    past: CatalogPast | null = null,
    elsewhere: Elsewhere | null = null,
  ) {
    this.#elsewhere = elsewhere;
    this.versions = Object.freeze(versions.toSorted((one, other) => one.effectiveDate - other.effectiveDate));
    this.#dates = Float64Array.from(this.versions, (version) => version.effectiveDate);
    this.revision = past?.revision ?? 0;
    this.#past = past;
    Object.freeze(this);
  }

  get name(): string | null {
    return this.versions[0]?.catalogName ?? null;
  }

  /**
   * Returns false if the plan can change without a new revision, because the host may start with a different default
   * catalog. If no name is given, checks all plans.
   */
  isRevised(planName: string | null = null): boolean {
    if (this.#past === null || this.#past.isRevised === false) return false;
    if (this.#elsewhere === null || this.#elsewhere.catalog.isRevised()) return true;
    return planName !== null && this.#has(planName) && !this.#elsewhere.catalog.#holder(planName, null);
  }

  /** Returns this catalog combined with another one, which supplies plans of running subscriptions. */
  beside(elsewhere: Elsewhere): Catalog {
    return new Catalog(this.versions, this.#past, elsewhere);
  }

  /** Returns false for an earlier revision of a plugin's catalog, because such revisions are not stored. */
  knows(revision: number): boolean {
    return this.revision >= 0 && revision >= 0;
  }

  /** Returns the catalog at an earlier revision. Before the first upload, it has no versions. */
  asOf(revision: number): Catalog {
    if (this.#past === null || revision >= this.revision) return this;
    const known = this.#earlier.get(revision);
    if (known !== undefined) return known;
    const elsewhere = this.#elsewhere && {
      ...this.#elsewhere,
      catalog: this.#elsewhere.catalog.asOf(revision),
    };
    const earlier = new Catalog(this.#past.versionsAt(revision), null, elsewhere);
    if (this.#earlier.size >= MAX_EARLIER_CATALOGS) this.#earlier.clear();
    this.#earlier.set(revision, earlier);
    return earlier;
  }

  /**
   * Returns the latest version that is effective at the instant. If none exists yet, returns the earliest version
   * (§6.1).
   * @throws BillingError 2050 `CATALOG_NO_CATALOG_FOR_GIVEN_DATE` for a catalog without versions.
   */
  resolveVersion(at: Instant): CatalogVersion {
    const version = this.versionAt(at);
    if (version !== null) return version;
    throw noVersion(at);
  }

  versionAt(at: Instant): CatalogVersion | null {
    return this.versions[this.#indexAt(at)] ?? null;
  }

  /**
   * Returns the plan of an existing subscription at an instant (§6.2). The plan comes from the version of
   * `lastPlanChange` until a later version's date for existing subscriptions is reached. A retired plan comes
   * from its last version.
   * @param lastPlanChange effective date of the choice. An instant alone means a choice made now.
   * @throws BillingError 2020 `CATALOG_PLAN_NOT_FOUND` if no version up to `at` has the plan; 2050 for a
   * catalog without versions.
   */
  resolvePlan(planName: string, at: Instant, lastPlanChange: Instant | LastPlanChange): ResolvedPlan {
    const { at: chosenAt, decided } = choiceOf(lastPlanChange);
    const holder = this.holderOf(planName, decided);
    if (holder !== this) return holder.resolvePlan(planName, at, lastPlanChange);
    if (this.versions.length === 0) throw noVersion(at);
    const index = this.#runsOfPlans().indexFor(planName, {
      at: this.#indexAt(at),
      anchor: this.#indexAt(chosenAt),
      instant: at,
    });
    const version = index === undefined ? undefined : this.versions[index];
    const plan = version?.planNamed(planName);
    if (version !== undefined && plan !== undefined) return { version, plan };
    throw billingError(
      ErrorCode.CATALOG_PLAN_NOT_FOUND,
      `Plan "${shortenText(planName)}" is not in any version of catalog "${this.name ?? ''}" up to ${formatInstant(at)}`,
      { planName, at, lastPlanChange: chosenAt },
    );
  }

  /** Returns the price change events in date order (§6.4). With `alignment`, they are moved to bill cycle dates. */
  priceChangeEvents(timeline: PlanTimeline, alignment?: PriceChangeAlignment): readonly PriceChangeEvent[] {
    return priceChangeEvents((step) => this.plansChangedAfter(step), timeline, alignment);
  }

  /**
   * Returns the later versions that change the plan for existing subscriptions, sorted by date. Stops at the first
   * version without the plan (§6.4 rule 2).
   */
  plansChangedAfter(choice: ChosenPlan): readonly ResolvedPlan[] {
    const { planName, effective, decided = null } = choice;
    const holder = this.holderOf(planName, decided);
    if (holder !== this) return holder.plansChangedAfter(choice);
    return this.#runsOfPlans()
      .changedAfter(planName, this.#indexAt(effective.at))
      .flatMap((index) => {
        const version = this.versions[index];
        const plan = version?.planNamed(planName);
        return version !== undefined && plan !== undefined ? [{ version, plan }] : [];
      });
  }

  /**
   * Returns the catalog with the plan of a running subscription. This is the tenant's catalog if the account's
   * catalog lacks the plan (§15.6 rule 4), the default catalog for plans chosen before the tenant had its own (§14
   * rule 2), otherwise this catalog.
   * @param decided time at which the plan was chosen; null means now.
   */
  holderOf(planName: string, decided: Instant | null = null): Catalog {
    return this.#elsewhere === null ? this : (this.#holder(planName, decided) ?? this);
  }

  #holder(planName: string, decided: Instant | null): Catalog | null {
    if (this.#elsewhere === null) return this.#has(planName) ? this : null;
    const { catalog, until } = this.#elsewhere;
    const isEarlier = decided !== null && until !== null && decided < until;
    const found = isEarlier || !this.#has(planName) ? catalog.#holder(planName, decided) : null;
    return found ?? (this.#has(planName) ? this : null);
  }

  #has(planName: string): boolean {
    return this.#runsOfPlans().has(planName);
  }

  #runsOfPlans(): PlanRuns {
    this.#runs ??= new PlanRuns(this.versions);
    return this.#runs;
  }

  /** Returns the index of the version in force. Returns 0 before the first version, and −1 if there are no versions. */
  #indexAt(at: Instant): number {
    let low = 0;
    let high = this.#dates.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#dates[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return high;
  }
}

function choiceOf(
  lastPlanChange: Instant | LastPlanChange,
): Pick<LastPlanChange, 'at'> & { readonly decided: Instant | null } {
  return typeof lastPlanChange === 'number' ? { at: lastPlanChange, decided: null } : lastPlanChange;
}

function noVersion(at: Instant): BillingError {
  return billingError(
    ErrorCode.CATALOG_NO_CATALOG_FOR_GIVEN_DATE,
    `The tenant has no catalog; upload one that is in effect at ${formatInstant(at)}`,
    { at },
  );
}

/**
 * Creates a catalog from versions in any order. The versions must have equal names and distinct dates
 * (`validateVersions`).
 * @param elsewhere Another catalog, for plans of subscriptions that this catalog no longer contains.
 */
export function createCatalog(
  versions: readonly CatalogVersion[],
  past: CatalogPast | null = null,
  elsewhere: Elsewhere | null = null,
): Catalog {
  return new Catalog(versions, past, elsewhere);
}

// The following functions choose the version whose rules apply (§6.3). Change rules are never grandfathered. Plan rules
// are grandfathered with their plan.

interface RuledCatalog extends Pick<Catalog, 'resolveVersion' | 'resolvePlan'> {
  decidePlanChange(
    version: CatalogVersion,
    from: SubscriptionContext,
    target: PlanSpecifier,
  ): PlanChangeDecision;
}

export interface RuledSubscription {
  readonly planName: string;
  readonly phaseType: PhaseType;
  readonly priceListName: string;
  /** Date of the last CREATE, TRANSFER or CHANGE event. */
  readonly lastPlanChange: Instant;
  /** The time at which the choice of the plan was recorded. It is independent of the effective date of the choice. */
  readonly decided: Instant;
}

interface PlanChangeQuestion {
  /**
   * The subscription at `now`. Its own plan describes it, so that a subscription on a retired plan can still change.
   */
  readonly subscription: RuledSubscription;
  readonly target: PlanSpecifier;
  /** The date of the change, or null until the policy has determined it. */
  readonly changeDate: Instant | null;
  readonly now: Instant;
}

/**
 * Returns the price list, policy and alignment of a change. The rules come from the version in force on the date of the
 * change, or now if the date is not known yet. Call this function again once the date is known, because the version in
 * force on that date may forbid the change.
 * @throws BillingError with the codes of `decidePlanChange` in rules.ts.
 */
export function planChangeRules(catalog: RuledCatalog, question: PlanChangeQuestion): PlanChangeDecision {
  const { subscription, target, changeDate, now } = question;
  const version = catalog.resolveVersion(changeDate ?? now);
  return catalog.decidePlanChange(version, ruledContext(catalog, subscription, now).context, target);
}

/** Returns the cancellation policy. The rules come from the version that supplies the plan now. */
export function cancelPolicyOf(
  catalog: RuledCatalog,
  subscription: RuledSubscription,
  now: Instant,
): RuleDecision<BillingActionPolicy> {
  const { version, context } = ruledContext(catalog, subscription, now);
  return cancelPolicy(version.rules, context);
}

/**
 * Returns the bill cycle alignment that applies from an event on. The rules come from the version that supplies the
 * event's plan.
 */
export function billingAlignmentOf(
  catalog: RuledCatalog,
  subscription: RuledSubscription,
  eventDate: Instant,
): RuleDecision<BillingAlignment> {
  const { version, context } = ruledContext(catalog, subscription, eventDate);
  return billingAlignment(version.rules, context);
}

/**
 * Returns the create alignment. The rules come from the version that supplies the plan on the date of the event.
 * @param subscriptionStart Start of the subscription, used as the date of the last plan change.
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
  // A future subscription already has its first plan, even if today's catalog version does not contain this plan.
  const asked = maxInstant(at, lastPlanChange);
  const { version, plan } = catalog.resolvePlan(planName, asked, { at: lastPlanChange, decided });
  const context: SubscriptionContext = {
    ...version.subscriptionContextOf(plan, phaseType),
    priceList: priceListName,
  };
  return { version, context };
}
