import { BillingError, ErrorCode } from '../errors/index.ts';
import type { Currency } from '../money/index.ts';
import { shortened } from '../text/index.ts';
import { BillingPeriod, formatInstant, type Instant } from '../time/index.ts';
import { deepFreeze } from './deep-freeze.ts';
import type {
  BillingActionPolicy,
  BillingAlignment,
  BillingMode,
  PhaseType,
  PlanAlignmentCreate,
} from './enumerations.ts';
import {
  DEFAULT_PRICE_LIST,
  type Plan,
  type PlanPhase,
  type PlanRules,
  type PriceList,
  type PriceListSet,
  type Product,
  type Unit,
} from './model.ts';
import { parsePhaseName, phaseName } from './phase-name.ts';
import { evaluatePlanChange, type PlanChangeEvaluation } from './plan-change.ts';
import type { PlanCriteria, PlanLookup } from './plan-lookup.ts';
import { type PlanSpecifier, selectPlan } from './plan-specifier.ts';
import {
  billingAlignment,
  type CreationContext,
  cancelPolicy,
  createAlignment,
  type SubscriptionContext,
} from './rules.ts';
import type { PhaseContent, PlanContent, VersionContent } from './version-content.ts';

/** Names that an error message lists before it gives up. */
const LISTED_NAMES = 10;

/**
 * One complete, dated catalog: an immutable value, deeply frozen, shared by everybody who holds it. Products, plans and
 * the plans of a list are in ascending order of name, price lists `DEFAULT` first, the rest as in the document. Every
 * look-up by name is a map read. Made by `createVersion`.
 */
export class CatalogVersion implements PlanLookup {
  /** The same in all versions of a tenant. */
  readonly catalogName: string;
  readonly effectiveDate: Instant;
  /** Default of the document for plans without a mode of their own; already applied to `plans`. */
  readonly recurringBillingMode: BillingMode | null;
  readonly currencies: readonly Currency[];
  readonly units: readonly Unit[];
  readonly products: readonly Product[];
  readonly plans: readonly Plan[];
  readonly rules: PlanRules;
  readonly priceLists: PriceListSet;
  readonly #products: ReadonlyMap<string, Product>;
  readonly #plans: ReadonlyMap<string, Plan>;
  readonly #lists: ReadonlyMap<string, PriceList>;
  /** First list, in the order above, that contains the plan. */
  readonly #listOfPlan = new Map<string, string>();
  /** Plans by list, product and period. */
  readonly #selections = new Map<string, Plan[]>();

  constructor(content: VersionContent) {
    this.catalogName = content.catalogName;
    this.effectiveDate = content.effectiveDate;
    this.recurringBillingMode = content.recurringBillingMode;
    this.currencies = deepFreeze(content.currencies);
    this.units = deepFreeze(content.units);
    this.products = deepFreeze(content.products.toSorted(byName));
    this.plans = deepFreeze(
      content.plans.map((plan) => planOf(plan, content.recurringBillingMode)).sort(byName),
    );
    this.rules = deepFreeze(content.rules);
    this.priceLists = deepFreeze(sortedPlans(content.priceLists));
    this.#products = indexByName(this.products);
    this.#plans = indexByName(this.plans);
    this.#lists = indexByName(this.allPriceLists);
    this.#indexLists();
    Object.freeze(this);
  }

  /** `catalog "Acme" effective 2026-03-01T00:00:00.000Z`, for messages. */
  get title(): string {
    return `catalog "${this.catalogName}" effective ${formatInstant(this.effectiveDate)}`;
  }

  /** `DEFAULT`, then the child lists. */
  get allPriceLists(): readonly PriceList[] {
    return [this.priceLists.defaultPriceList, ...this.priceLists.childPriceLists];
  }

  /** The plan of that name, or undefined: the version may have retired it. */
  planNamed(name: string): Plan | undefined {
    return this.#plans.get(name);
  }

  findPlan(name: string): Plan {
    const plan = this.#plans.get(name);
    if (plan !== undefined) return plan;
    throw this.#unknown(ErrorCode.CATALOG_NO_SUCH_PLAN, `Plan "${shortened(name)}"`, this.#plans);
  }

  productNamed(name: string): Product | undefined {
    return this.#products.get(name);
  }

  findProduct(name: string): Product {
    const product = this.#products.get(name);
    if (product !== undefined) return product;
    throw this.#unknown(ErrorCode.CATALOG_NO_SUCH_PRODUCT, `Product "${shortened(name)}"`, this.#products);
  }

  findPriceList(name: string): PriceList {
    const list = this.#lists.get(name);
    if (list !== undefined) return list;
    throw this.#unknown(
      ErrorCode.CATALOG_PRICE_LIST_NOT_FOUND,
      `Price list "${shortened(name)}"`,
      this.#lists,
    );
  }

  /**
   * The phase of a name such as `pro-monthly-evergreen`.
   * @throws BillingError 2041 if the name does not end in a phase type, 2040 if the version has no such phase.
   */
  findPhase(name: string): PlanPhase {
    const { planName, type } = parsePhaseName(name);
    const phase = this.#plans.get(planName)?.phases.find((candidate) => candidate.type === type);
    if (phase !== undefined) return phase;
    throw new BillingError({
      code: ErrorCode.CATALOG_NO_SUCH_PHASE,
      message: `Phase "${shortened(name)}" is not in ${this.title}`,
      facts: { phaseName: name, effectiveDate: this.effectiveDate },
    });
  }

  /** Name of the first list that contains the plan, `DEFAULT` before the others (catalog.md §1). */
  priceListOf(plan: Plan): string {
    return this.#listOfPlan.get(plan.name) ?? DEFAULT_PRICE_LIST;
  }

  plansMatching(criteria: PlanCriteria): readonly Plan[] {
    return this.#selections.get(selectionKey(criteria)) ?? [];
  }

  /** The plan that a request means (catalog.md §7). @throws BillingError as `selectPlan` of plan-specifier.ts. */
  selectPlan(specifier: PlanSpecifier): Plan {
    return selectPlan(this, specifier);
  }

  /** What a create rule reads of one of this version's plans. */
  contextOf(plan: Plan): CreationContext {
    return {
      product: plan.product,
      productCategory: this.findProduct(plan.product).category,
      billingPeriod: plan.billingPeriod,
      priceList: this.priceListOf(plan),
    };
  }

  /** What the other rules read of a subscription on one of this version's plans. */
  subscriptionContextOf(plan: Plan, phaseType: PhaseType): SubscriptionContext {
    return { ...this.contextOf(plan), phaseType };
  }

  createAlignment(context: CreationContext): PlanAlignmentCreate {
    return createAlignment(this.rules, context);
  }

  billingAlignment(context: SubscriptionContext): BillingAlignment {
    return billingAlignment(this.rules, context);
  }

  cancelPolicy(context: SubscriptionContext): BillingActionPolicy {
    return cancelPolicy(this.rules, context);
  }

  /** List, policy and alignment of a change of plan. @throws BillingError as `evaluatePlanChange` of plan-change.ts. */
  evaluatePlanChange(from: SubscriptionContext, target: PlanSpecifier): PlanChangeEvaluation {
    return evaluatePlanChange(this, from, target);
  }

  #indexLists(): void {
    for (const list of this.allPriceLists) {
      for (const planName of list.plans) {
        const plan = this.#plans.get(planName);
        if (plan === undefined) continue;
        if (!this.#listOfPlan.has(planName)) this.#listOfPlan.set(planName, list.name);
        const key = selectionKey({
          productName: plan.product,
          billingPeriod: plan.billingPeriod,
          priceListName: list.name,
        });
        const selection = this.#selections.get(key);
        if (selection === undefined) this.#selections.set(key, [plan]);
        else selection.push(plan);
      }
    }
  }

  #unknown(code: ErrorCode, thing: string, known: ReadonlyMap<string, unknown>): BillingError {
    const names = [...known.keys()];
    const listed = names.slice(0, LISTED_NAMES).join(', ') || 'none';
    const more = names.length > LISTED_NAMES ? ` and ${names.length - LISTED_NAMES} more` : '';
    return new BillingError({
      code,
      message: `${thing} is not in ${this.title}; there are ${listed}${more}`,
      facts: { catalogName: this.catalogName, effectiveDate: this.effectiveDate },
    });
  }
}

/** Turns the data of a version that passed `validateVersion` into the value that the engine works with. */
export function createVersion(content: VersionContent): CatalogVersion {
  return new CatalogVersion(content);
}

function planOf(content: PlanContent, versionMode: BillingMode | null): Plan {
  const initialPhases = content.initialPhases.map((phase) => phaseOf(phase, content.name));
  const finalPhase = phaseOf(content.finalPhase, content.name);
  return {
    name: content.name,
    prettyName: content.prettyName,
    product: content.product,
    recurringBillingMode: content.recurringBillingMode ?? versionMode,
    effectiveDateForExistingSubscriptions: content.effectiveDateForExistingSubscriptions,
    initialPhases,
    finalPhase,
    phases: [...initialPhases, finalPhase],
    billingPeriod: finalPhase.recurring?.billingPeriod ?? BillingPeriod.NO_BILLING_PERIOD,
    plansAllowedInBundle: content.plansAllowedInBundle,
  };
}

function phaseOf(content: PhaseContent, planName: string): PlanPhase {
  const name = phaseName(planName, content.type);
  return {
    name,
    type: content.type,
    prettyName: content.prettyName ?? name,
    duration: content.duration,
    fixed: content.fixed,
    recurring: content.recurring,
    usages: content.usages,
  };
}

function sortedPlans({ defaultPriceList, childPriceLists }: PriceListSet): PriceListSet {
  const sorted = (list: PriceList): PriceList => ({ ...list, plans: list.plans.toSorted() });
  return { defaultPriceList: sorted(defaultPriceList), childPriceLists: childPriceLists.map(sorted) };
}

/** Ascending by UTF-16 code unit, whatever the machine's locale. */
function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  if (one.name === other.name) return 0;
  return one.name < other.name ? -1 : 1;
}

function indexByName<T extends { readonly name: string }>(records: readonly T[]): ReadonlyMap<string, T> {
  return new Map(records.map((record) => [record.name, record]));
}

/** Neither a period nor an NCName holds a space. */
function selectionKey({ productName, billingPeriod, priceListName }: PlanCriteria): string {
  return `${billingPeriod} ${priceListName} ${productName}`;
}
