import { BillingError, ErrorCode } from '../errors/index.ts';
import { shortened } from '../text/index.ts';
import { formatInstant, type Instant } from '../time/index.ts';
import type { CatalogVersion } from './catalog-version.ts';
import type { Plan } from './model.ts';
import { PlanRuns } from './plan-runs.ts';

/** A plan and the version that supplies it: whose date is the `catalogEffectiveDate` of what is billed. */
export interface ResolvedPlan {
  readonly version: CatalogVersion;
  readonly plan: Plan;
}

/** All versions of a tenant's catalog: an immutable value, shared. Made by `createCatalog`. */
export class Catalog {
  /** Ascending by effective date. */
  readonly versions: readonly CatalogVersion[];
  readonly #dates: Float64Array;
  #runs: PlanRuns | undefined;

  constructor(versions: readonly CatalogVersion[]) {
    this.versions = Object.freeze(versions.toSorted((one, other) => one.effectiveDate - other.effectiveDate));
    this.#dates = Float64Array.from(this.versions, (version) => version.effectiveDate);
    Object.freeze(this);
  }

  /** Name of the catalog; null without versions. */
  get name(): string | null {
    return this.versions[0]?.catalogName ?? null;
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
    if (this.versions.length === 0) throw noVersion(at);
    this.#runs ??= new PlanRuns(this.versions);
    const index = this.#runs.indexFor(planName, {
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

/** The catalog of the given versions, in any order; their names agree and their dates differ (`validateVersions`). */
export function createCatalog(versions: readonly CatalogVersion[]): Catalog {
  return new Catalog(versions);
}
