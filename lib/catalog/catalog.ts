import { BillingError, ErrorCode } from '../errors/index.ts';
import { MAX_EARLIER_CATALOGS } from '../limits.ts';
import { shortened } from '../text/index.ts';
import { formatInstant, type Instant } from '../time/index.ts';
import type { CatalogVersion } from './catalog-version.ts';
import type { Plan } from './model.ts';
import { PlanRuns } from './plan-runs.ts';
import {
  type PlanTimeline,
  type PriceChangeAlignment,
  type PriceChangeEvent,
  priceChangeEvents,
} from './price-change-events.ts';

/** A plan and the version that supplies it: whose date is the `catalogEffectiveDate` of what is billed. */
export interface ResolvedPlan {
  readonly version: CatalogVersion;
  readonly plan: Plan;
}

/** How a catalog came to be, revision by revision (catalog.md §13 rule 2). */
export interface CatalogPast {
  /** The tenant's `catalogRevision` of which this is the catalog. */
  readonly revision: number;
  /** The versions as they were at an earlier revision, in any order. */
  versionsAt(revision: number): readonly CatalogVersion[];
  /** As `Catalog.isRevised`; default true. */
  readonly isRevised?: boolean;
}

/** All versions of a tenant's catalog: an immutable value, shared. Made by `createCatalog`. */
export class Catalog {
  /** Ascending by effective date. */
  readonly versions: readonly CatalogVersion[];
  /** The tenant's `catalogRevision`; 0 for a catalog that is no tenant's; negative, and of its content, for a plugin's. */
  readonly revision: number;
  /** False where what it says can change without its revision: the host may start with another default catalog. */
  readonly isRevised: boolean;
  readonly #dates: Float64Array;
  readonly #past: CatalogPast | null;
  /** Where plans of running subscriptions are sought that are in none of the versions: the tenant's, for an account. */
  readonly #tenantCatalog: Catalog | null;
  readonly #earlier = new Map<number, Catalog>();
  #runs: PlanRuns | undefined;

  constructor(
    versions: readonly CatalogVersion[],
    past: CatalogPast | null = null,
    tenantCatalog: Catalog | null = null,
  ) {
    this.#tenantCatalog = tenantCatalog;
    this.versions = Object.freeze(versions.toSorted((one, other) => one.effectiveDate - other.effectiveDate));
    this.#dates = Float64Array.from(this.versions, (version) => version.effectiveDate);
    this.revision = past?.revision ?? 0;
    this.isRevised = past !== null && past.isRevised !== false && tenantCatalog?.isRevised !== false;
    this.#past = past;
    Object.freeze(this);
  }

  /** Name of the catalog; null without versions. */
  get name(): string | null {
    return this.versions[0]?.catalogName ?? null;
  }

  /** Whether `asOf` can tell what the catalog was at that revision: what a plugin has given before is not kept. */
  knows(revision: number): boolean {
    return this.revision >= 0 && revision >= 0;
  }

  /** The catalog as it was at an earlier revision of the tenant; without versions before its first upload. */
  asOf(revision: number): Catalog {
    if (this.#past === null || revision >= this.revision) return this;
    const known = this.#earlier.get(revision);
    if (known !== undefined) return known;
    const tenantCatalog = this.#tenantCatalog?.asOf(revision) ?? null;
    const earlier = new Catalog(this.#past.versionsAt(revision), null, tenantCatalog);
    if (this.#earlier.size >= MAX_EARLIER_CATALOGS) this.#earlier.clear();
    this.#earlier.set(revision, earlier);
    return earlier;
  }

  /**
   * The version in force at an instant: the latest that is effective by then, else the earliest (catalog.md §6.1).
   * @throws BillingError 2050 `CATALOG_NO_CATALOG_FOR_GIVEN_DATE` without any version.
   */
  resolveVersion(at: Instant): CatalogVersion {
    const version = this.versions[this.#indexAt(at)];
    if (version !== undefined) return version;
    throw noVersion(at);
  }

  /**
   * The plan of an existing subscription at an instant (catalog.md §6.2). It keeps the version of `lastPlanChange`, the
   * effective date of the event that put it on this plan, until a later version sets a date for existing subscriptions
   * that is reached. A retired plan is found in the last version that had it.
   * @throws BillingError 2020 `CATALOG_PLAN_NOT_FOUND` if no version up to `at` has the plan; 2050 without any version.
   */
  resolvePlan(planName: string, at: Instant, lastPlanChange: Instant): ResolvedPlan {
    const holder = this.holderOf(planName);
    if (holder !== this) return holder.resolvePlan(planName, at, lastPlanChange);
    if (this.versions.length === 0) throw noVersion(at);
    const index = this.#runsOfPlans().indexFor(planName, {
      at: this.#indexAt(at),
      anchor: this.#indexAt(lastPlanChange),
      instant: at,
    });
    const version = index === undefined ? undefined : this.versions[index];
    const plan = version?.planNamed(planName);
    if (version !== undefined && plan !== undefined) return { version, plan };
    throw new BillingError({
      code: ErrorCode.CATALOG_PLAN_NOT_FOUND,
      message: `Plan "${shortened(planName)}" is in no version of catalog "${this.name ?? ''}" up to ${formatInstant(at)}`,
      facts: { planName, at, lastPlanChange },
    });
  }

  /**
   * The price changes that versions of this catalog make for one existing subscription (catalog.md §6.4), in date order;
   * with `alignment` they fall on bill cycle dates.
   */
  priceChangeEvents(timeline: PlanTimeline, alignment?: PriceChangeAlignment): readonly PriceChangeEvent[] {
    return priceChangeEvents((planName, at) => this.plansChangedAfter(planName, at), timeline, alignment);
  }

  /**
   * The versions after the one in force at an instant that change a plan for existing subscriptions, up to the first
   * without it; ascending (catalog.md §6.4 rule 2).
   */
  plansChangedAfter(planName: string, at: Instant): readonly ResolvedPlan[] {
    const holder = this.holderOf(planName);
    if (holder !== this) return holder.plansChangedAfter(planName, at);
    return this.#runsOfPlans()
      .changedAfter(planName, this.#indexAt(at))
      .flatMap((index) => {
        const version = this.versions[index];
        const plan = version?.planNamed(planName);
        return version !== undefined && plan !== undefined ? [{ version, plan }] : [];
      });
  }

  /**
   * The catalog whose versions have the plan of a running subscription: this one, or that of the tenant where this one, of
   * an account, has it not. Names are unique over both (catalog.md §15.6 rule 4).
   */
  holderOf(planName: string): Catalog {
    if (this.#tenantCatalog === null) return this;
    const isOwn = this.versions.some((version) => version.planParts.part(planName) !== undefined);
    return isOwn ? this : this.#tenantCatalog;
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

function noVersion(at: Instant): BillingError {
  return new BillingError({
    code: ErrorCode.CATALOG_NO_CATALOG_FOR_GIVEN_DATE,
    message: `The tenant has no catalog; upload one to have a version at ${formatInstant(at)}`,
    facts: { at },
  });
}

/**
 * The catalog of the given versions, in any order; their names agree and their dates differ (`validateVersions`). That of
 * an account knows the tenant's catalog, for subscriptions that run on its plans.
 */
export function createCatalog(
  versions: readonly CatalogVersion[],
  past: CatalogPast | null = null,
  tenantCatalog: Catalog | null = null,
): Catalog {
  return new Catalog(versions, past, tenantCatalog);
}
