import type {
  BillingActionPolicy,
  BillingAlignment,
  PhaseType,
  PlanAlignmentCreate,
  RuleDecision,
} from '../../records/index.ts';
import { type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import { shortened } from '../../values/text/index.ts';
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

/** Limit of earlier revisions kept in memory per catalog; they share its versions. */
const MAX_EARLIER_CATALOGS = 16;

/** A plan with its version, whose date is the `catalogEffectiveDate` of charges. */
export interface ResolvedPlan {
  readonly version: CatalogVersion;
  readonly plan: Plan;
}

export interface LastPlanChange {
  readonly at: Instant;
  /** The time at which that event was recorded, regardless of its date. */
  readonly decided: Instant;
}

/** Another catalog with plans of running subscriptions (§14 rule 2, §15.6 rule 4). */
export interface Elsewhere {
  readonly catalog: Catalog;
  /** Earlier choices use that catalog, even for plans of this one; null if the plan name decides. */
  readonly until: Instant | null;
}

/** The history of a catalog by revision (§13 rule 2). */
export interface CatalogPast {
  /** The current `catalogRevision`. */
  readonly revision: number;
  /** Returns the versions at an earlier revision, in any order. */
  versionsAt(revision: number): readonly CatalogVersion[];
  /** False if the plan can change without the revision: the host may start with another default catalog. */
  readonly isRevised?: boolean;
}

/** All versions of a tenant's catalog, immutable and shared. Created by `createCatalog`. */
export class Catalog {
  readonly versions: readonly CatalogVersion[];
  /** The tenant's `catalogRevision`; 0 without a tenant; negative for a plugin's catalog, derived from its content. */
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
   * False if the plan (by default: any plan) can change without the revision, since the host may start with another
   * default catalog.
   */
  isRevised(planName: string | null = null): boolean {
    if (this.#past === null || this.#past.isRevised === false) return false;
    if (this.#elsewhere === null || this.#elsewhere.catalog.isRevised()) return true;
    return planName !== null && this.#has(planName) && !this.#elsewhere.catalog.#holder(planName, null);
  }

  /** Adds another catalog for plans of running subscriptions. */
  beside(elsewhere: Elsewhere): Catalog {
    return new Catalog(this.versions, this.#past, elsewhere);
  }

  /** Returns false for an earlier revision of a plugin's catalog, which is not stored. */
  knows(revision: number): boolean {
    return this.revision >= 0 && revision >= 0;
  }

  /** Returns the catalog at an earlier revision; without versions before the first upload. */
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
   * Returns the latest version effective at the instant, otherwise the earliest (§6.1).
   * @throws BillingError 2050 `CATALOG_NO_CATALOG_FOR_GIVEN_DATE` without any version.
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
   * Returns the plan of an existing subscription at an instant (§6.2). It keeps the version of `lastPlanChange` until a
   * later version's date for existing subscriptions is reached. A retired plan is found in its last version.
   * @param lastPlanChange the effective date of the choice; an instant alone means a choice made now.
   * @throws BillingError 2020 `CATALOG_PLAN_NOT_FOUND` if no version up to `at` has the plan; 2050 without any version.
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
      `Plan "${shortened(planName)}" is not in any version of catalog "${this.name ?? ''}" up to ${formatInstant(at)}`,
      { planName, at, lastPlanChange: chosenAt },
    );
  }

  /** Returns the events in date order (§6.4); with `alignment`, on bill cycle dates. */
  priceChangeEvents(timeline: PlanTimeline, alignment?: PriceChangeAlignment): readonly PriceChangeEvent[] {
    return priceChangeEvents((step) => this.plansChangedAfter(step), timeline, alignment);
  }

  /**
   * Later versions that change the plan for existing subscriptions, up to the first without it; ascending (§6.4 rule
   * 2).
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
   * The catalog with the plan of a running subscription: this one; the tenant's, if an account's lacks the plan (§15.6
   * rule 4); the default one before the tenant's own (§14 rule 2). Falls back to this one.
   * @param decided when the plan was chosen; null: now.
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

  /** Index of the version in force: 0 before the first one, −1 without any. */
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
 * Creates a catalog of versions in any order, with equal names and distinct dates (`validateVersions`).
 * @param elsewhere for subscriptions on plans of another catalog.
 */
export function createCatalog(
  versions: readonly CatalogVersion[],
  past: CatalogPast | null = null,
  elsewhere: Elsewhere | null = null,
): Catalog {
  return new Catalog(versions, past, elsewhere);
}

// The following functions choose the version whose rules apply (§6.3).
// The rules of a change are never grandfathered; the rules of a plan are grandfathered with the plan.

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
  /** Date of the last CREATE, TRANSFER or CHANGE. */
  readonly lastPlanChange: Instant;
  /** The time at which that event was recorded, regardless of its date. */
  readonly decided: Instant;
}

interface PlanChangeQuestion {
  /** The subscription at `now`, by its own plan, so that one on a retired plan can change. */
  readonly subscription: RuledSubscription;
  readonly target: PlanSpecifier;
  /** Null until the policy gives it. */
  readonly changeDate: Instant | null;
  readonly now: Instant;
}

/**
 * List, policy and alignment of a change by the version in force at its date, or now without one. Call it again with
 * the date, since that version may forbid the change.
 * @throws BillingError as `decidePlanChange` of rules.ts.
 */
export function planChangeRules(catalog: RuledCatalog, question: PlanChangeQuestion): PlanChangeDecision {
  const { subscription, target, changeDate, now } = question;
  const version = catalog.resolveVersion(changeDate ?? now);
  return catalog.decidePlanChange(version, ruledContext(catalog, subscription, now).context, target);
}

/** Evaluates the rules of the version that supplies the plan now. */
export function cancelPolicyOf(
  catalog: RuledCatalog,
  subscription: RuledSubscription,
  now: Instant,
): RuleDecision<BillingActionPolicy> {
  const { version, context } = ruledContext(catalog, subscription, now);
  return cancelPolicy(version.rules, context);
}

/** Returns the bill cycle alignment from an event on, by the version that supplies its plan. */
export function billingAlignmentOf(
  catalog: RuledCatalog,
  subscription: RuledSubscription,
  eventDate: Instant,
): RuleDecision<BillingAlignment> {
  const { version, context } = ruledContext(catalog, subscription, eventDate);
  return billingAlignment(version.rules, context);
}

/**
 * Returns the create alignment, by the version that supplies the plan at the event's date.
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
  // A future subscription has its first plan, which today's version may not contain.
  const asked = maxInstant(at, lastPlanChange);
  const { version, plan } = catalog.resolvePlan(planName, asked, { at: lastPlanChange, decided });
  const context: SubscriptionContext = {
    ...version.subscriptionContextOf(plan, phaseType),
    priceList: priceListName,
  };
  return { version, context };
}
