import { type Instant, maxInstant, minInstant } from '../../values/time/index.ts';
import type { Catalog, LastPlanChange, ResolvedPlan } from '../lookup/catalog.ts';
import type { CatalogVersion } from '../lookup/catalog-version.ts';
import {
  type ChosenPlan,
  type PlanTimeline,
  type PriceChangeAlignment,
  type PriceChangeEvent,
  priceChangeEvents,
} from '../lookup/plan-history.ts';
import {
  decidePlanChange,
  type PlanChangeDecision,
  type PlanLookup,
  type PlanSpecifier,
  selectPlan,
} from '../lookup/rules.ts';
import type { Plan, SubscriptionContext } from '../model/catalog-model.ts';
import type { OverridePlan } from './define-overrides.ts';

/** A time span whose instants are all treated as the end of the span. */
export interface CollapsedSpan {
  readonly from: Instant;
  readonly end: Instant;
}

/**
 * A catalog with the override plans of one operation. A lookup first searches the catalog's own plans (§10 rule 7).
 * Immutable.
 */
export class CatalogWithOverrides {
  readonly catalog: Catalog;
  readonly #overridePlans: ReadonlyMap<string, OverridePlan>;

  readonly #seen: CollapsedSpan | null;

  /**
   * @param overridePlans Plans whose names the catalog does not use.
   * @param seen Time span whose instants are all treated as its end, or null (the default) for none.
   */
  constructor(catalog: Catalog, overridePlans: readonly OverridePlan[], seen: CollapsedSpan | null = null) {
    this.catalog = catalog;
    this.#seen = seen;
    this.#overridePlans = new Map(overridePlans.map((plan) => [plan.name, plan]));
    Object.freeze(this);
  }

  with(overridePlan: OverridePlan): CatalogWithOverrides {
    return new CatalogWithOverrides(
      this.catalog,
      [...this.#overridePlans.values(), overridePlan],
      this.#seen,
    );
  }

  get revision(): number {
    return this.catalog.revision;
  }

  knows(revision: number): boolean {
    return this.catalog.knows(revision);
  }

  /** Returns the catalog at an earlier revision, with the same override plans, because these never change. */
  asOf(revision: number): CatalogWithOverrides {
    const earlier = this.catalog.asOf(revision);
    return earlier === this.catalog
      ? this
      : new CatalogWithOverrides(earlier, [...this.#overridePlans.values()], this.#seen);
  }

  /**
   * Returns a catalog that treats all instants of a time span as the end of the span. Dry runs of a day use this
   * catalog (§6.1).
   */
  collapseSpan(span: CollapsedSpan): CatalogWithOverrides {
    return new CatalogWithOverrides(this.catalog, [...this.#overridePlans.values()], span);
  }

  #collapsedInstant(at: Instant): Instant {
    return this.#seen !== null && at >= this.#seen.from && at < this.#seen.end ? this.#seen.end : at;
  }

  overridePlanNamed(name: string): OverridePlan | undefined {
    return this.#overridePlans.get(name);
  }

  resolveVersion(at: Instant): CatalogVersion {
    return this.catalog.resolveVersion(this.#collapsedInstant(at));
  }

  versionAt(at: Instant): CatalogVersion | null {
    return this.catalog.versionAt(this.#collapsedInstant(at));
  }

  /** Resolves a plan. An override plan uses the version that supplies its parent plan. */
  resolvePlan(planName: string, at: Instant, lastPlanChange: Instant | LastPlanChange): ResolvedPlan {
    const overridePlan = this.#overridePlans.get(planName);
    const changed =
      typeof lastPlanChange === 'number'
        ? this.#collapsedInstant(lastPlanChange)
        : { ...lastPlanChange, at: this.#collapsedInstant(lastPlanChange.at) };
    const instants = [this.#collapsedInstant(at), changed] as const;
    if (overridePlan === undefined) return this.catalog.resolvePlan(planName, ...instants);
    const { version, plan } = this.catalog.resolvePlan(overridePlan.parentPlanName, ...instants);
    return { version, plan: overridePlan.planFrom(plan) };
  }

  /**
   * Returns the price change events of a subscription. For an override plan, they follow the versions of its parent
   * plan.
   */
  priceChangeEvents(timeline: PlanTimeline, alignment?: PriceChangeAlignment): readonly PriceChangeEvent[] {
    return priceChangeEvents((choice) => this.#plansChangedAfter(choice), timeline, alignment);
  }

  #plansChangedAfter(choice: ChosenPlan): readonly ResolvedPlan[] {
    const overridePlan = this.#overridePlans.get(choice.planName);
    const seen = { ...choice, effective: { at: this.#collapsedInstant(choice.effective.at) } };
    if (overridePlan === undefined) return this.catalog.plansChangedAfter(seen);
    return this.catalog
      .plansChangedAfter({ ...seen, planName: overridePlan.parentPlanName })
      .map(({ version, plan }) => ({ version, plan: overridePlan.planFrom(plan) }));
  }

  /**
   * Returns the first instant after `at` at which another version can start to supply the plan of an existing
   * subscription (§6.2), or null if none exists.
   */
  nextVersionChange(
    {
      plan,
      chosenAt,
      decided,
    }: { readonly plan: Plan; readonly chosenAt: Instant; readonly decided: Instant },
    at: Instant,
  ): Instant | null {
    const changed = this.#plansChangedAfter({ planName: plan.name, effective: { at: chosenAt }, decided });
    const dates = changed.flatMap(({ version, plan: later }) => {
      const date = later.effectiveDateForExistingSubscriptions;
      return date === null ? [] : [maxInstant(version.effectiveDate, date)];
    });
    const next = this.catalog.versions.find(({ effectiveDate }) => effectiveDate > at)?.effectiveDate;
    const later = [...dates, ...(next === undefined ? [] : [next])].filter((date) => date > at);
    return later.reduce<Instant | null>((first, date) => minInstant(first ?? date, date), null);
  }

  /** Returns the plan in its newest version. */
  newestPlan(planName: string): ResolvedPlan | undefined {
    const { versions } = this.catalog.holderOf(this.#overridePlans.get(planName)?.parentPlanName ?? planName);
    const version = versions.findLast((each) => this.planIn(each, planName) !== undefined);
    const plan = version && this.planIn(version, planName);
    return version && plan && { version, plan };
  }

  /** Returns the plan in a version, or undefined if the version has retired the plan or its parent. */
  planIn(version: CatalogVersion, planName: string): Plan | undefined {
    const overridePlan = this.#overridePlans.get(planName);
    const plan = version.planNamed(overridePlan?.parentPlanName ?? planName);
    return overridePlan && plan ? overridePlan.planFrom(plan) : plan;
  }

  selectPlan(version: CatalogVersion, specifier: PlanSpecifier): Plan {
    return selectPlan(this.#lookupIn(version), specifier);
  }

  decidePlanChange(
    version: CatalogVersion,
    from: SubscriptionContext,
    target: PlanSpecifier,
  ): PlanChangeDecision {
    return decidePlanChange(this.#lookupIn(version), from, target);
  }

  #lookupIn(version: CatalogVersion): PlanLookup {
    return {
      title: version.title,
      rules: version.rules,
      findPlan: (name) => this.planIn(version, name) ?? version.findPlan(name),
      findProduct: (name) => version.findProduct(name),
      hasPriceList: (name) => version.hasPriceList(name),
      findPriceList: (name) => version.findPriceList(name),
      plansMatching: (criteria) => version.plansMatching(criteria),
      contextOf: (plan) => version.contextOf(plan),
    };
  }
}

export function hasPlan(catalog: Catalog, planName: string): boolean {
  const { versions } = catalog.holderOf(planName);
  return versions.some((version) => version.planParts.part(planName) !== undefined);
}
