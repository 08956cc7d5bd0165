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

/** Earlier revisions of one catalog that are kept in memory; they share their versions with it. */
const MAX_EARLIER_CATALOGS = 16;

/** A plan and the version that supplies it, whose date is the `catalogEffectiveDate` of what is billed. */
export interface ResolvedPlan {
  readonly version: CatalogVersion;
  readonly plan: Plan;
}

/** When a subscription was put on its plan. */
export interface LastPlanChange {
  /** The effective date of the event that did so. */
  readonly at: Instant;
  /** When that event was recorded, whatever its date. */
  readonly decided: Instant;
}

/** Another catalog with plans of running subscriptions that this one does not sell (§14 rule 2, §15.6 rule 4). */
export interface Elsewhere {
  readonly catalog: Catalog;
  /** Choices before this instant belong to that catalog, even if this one has the plan; null: the name decides. */
  readonly until: Instant | null;
}

/** How a catalog came to be, revision by revision (§13 rule 2). */
export interface CatalogPast {
  /** The tenant's `catalogRevision` of which this is the catalog. */
  readonly revision: number;
  /** The versions as they were at an earlier revision, in any order. */
  versionsAt(revision: number): readonly CatalogVersion[];
  /**
   * False if answers about the plan can change without the revision: the host may start with another default catalog.
   */
  readonly isRevised?: boolean;
}

/** All versions of a tenant's catalog: an immutable value, shared. Made by `createCatalog`. */
export class Catalog {
  /** Ascending by effective date. */
  readonly versions: readonly CatalogVersion[];
  /** The tenant's `catalogRevision`; 0 for a catalog of no tenant; negative, and made from the content, for a plugin's. */
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

  /** Name of the catalog; null without versions. */
  get name(): string | null {
    return this.versions[0]?.catalogName ?? null;
  }

  /**
   * False if what is said about this plan (without a name: about any plan) can change without the revision, since the
   * host may start with another default catalog.
   */
  isRevised(planName: string | null = null): boolean {
    if (this.#past === null || this.#past.isRevised === false) return false;
    if (this.#elsewhere === null || this.#elsewhere.catalog.isRevised()) return true;
    return planName !== null && this.#has(planName) && !this.#elsewhere.catalog.#holder(planName, null);
  }

  /** The same, with another catalog for the plans of running subscriptions that it does not sell. */
  beside(elsewhere: Elsewhere): Catalog {
    return new Catalog(this.versions, this.#past, elsewhere);
  }

  /** Whether `asOf` can tell what the catalog was at that revision: earlier content of a plugin is not stored. */
  knows(revision: number): boolean {
    return this.revision >= 0 && revision >= 0;
  }

  /** The catalog as it was at an earlier revision of the tenant; without versions before its first upload. */
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
   * The version in force at an instant: the latest that is effective by then, else the earliest (§6.1).
   * @throws BillingError 2050 `CATALOG_NO_CATALOG_FOR_GIVEN_DATE` without any version.
   */
  resolveVersion(at: Instant): CatalogVersion {
    const version = this.versionAt(at);
    if (version !== null) return version;
    throw noVersion(at);
  }

  /** As `resolveVersion`; null without any version. */
  versionAt(at: Instant): CatalogVersion | null {
    return this.versions[this.#indexAt(at)] ?? null;
  }

  /**
   * The plan of an existing subscription at an instant (§6.2). It keeps the version of `lastPlanChange`, the effective
   * date of the event that put it on this plan, until a later version sets a date for existing subscriptions that is
   * reached. A retired plan is found in the last version that had it.
   * @param lastPlanChange an instant alone means a choice that is made now.
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
      `Plan "${shortened(planName)}" is in no version of catalog "${this.name ?? ''}" up to ${formatInstant(at)}`,
      { planName, at, lastPlanChange: chosenAt },
    );
  }

  /** The price changes for one existing subscription (§6.4), in date order; with `alignment` on bill cycle dates. */
  priceChangeEvents(timeline: PlanTimeline, alignment?: PriceChangeAlignment): readonly PriceChangeEvent[] {
    return priceChangeEvents((step) => this.plansChangedAfter(step), timeline, alignment);
  }

  /**
   * The later versions that change the plan for existing subscriptions, up to the first without it; ascending (§6.4
   * rule 2).
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
   * The catalog whose versions have the plan of a running subscription: this one; the tenant's, if this one is an
   * account's and lacks the plan (§15.6 rule 4); the default one that the tenant had before its own (§14 rule 2). If none
   * has the plan, this one.
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
    `The tenant has no catalog; upload one to have a version at ${formatInstant(at)}`,
    { at },
  );
}

/**
 * The catalog of the given versions, in any order; their names agree and their dates differ (`validateVersions`).
 * @param elsewhere for subscriptions on plans of another catalog.
 */
export function createCatalog(
  versions: readonly CatalogVersion[],
  past: CatalogPast | null = null,
  elsewhere: Elsewhere | null = null,
): Catalog {
  return new Catalog(versions, past, elsewhere);
}

// Which version's rules apply (§6.3). Rules of a change are never grandfathered; rules of the plan are, together with it.

/** Where plans and their rules are looked up. */
interface RuledCatalog extends Pick<Catalog, 'resolveVersion' | 'resolvePlan'> {
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

interface PlanChangeQuestion {
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
 * The create alignment, by the version that supplies the plan at the event's date.
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
