import {
  type BillingActionPolicy,
  type BillingAlignment,
  type BillingMode,
  type FeatureDeclaration,
  type PhaseType,
  type PlanAlignmentCreate,
  ProductCategory,
} from '../../records/index.ts';
import { atOnce, eachStep, type Steps } from '../../runtime/index.ts';
import { type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Currency } from '../../values/money/index.ts';
import { shortenText } from '../../values/text/index.ts';
import { BillingPeriod, formatInstant, type Instant } from '../../values/time/index.ts';
import {
  type CreationContext,
  DEFAULT_PRICE_LIST,
  type Plan,
  type PlanPhase,
  type PlanRules,
  type PriceList,
  type PriceListSet,
  type Product,
  type SubscriptionContext,
  textOfValue,
  type Unit,
} from '../model/catalog-model.ts';
import { byName, type Part, PartList, partOf, planPart, productPart, soldAs } from '../model/part.ts';
import { createPlan, parsePhaseName } from '../model/plan.ts';
import { priceListIndex, type VersionContent, type VersionFrame } from '../model/version-content.ts';
import {
  billingAlignment,
  cancelPolicy,
  createAlignment,
  decidePlanChange,
  type PlanChangeEvaluation,
  type PlanCriteria,
  type PlanLookup,
  type PlanSpecifier,
  selectPlan,
} from './rules.ts';

const LISTED_NAMES = 10;

export interface VersionParts {
  readonly effectiveDate: Instant;
  readonly frame: Part<VersionFrame>;
  readonly products: PartList<Product>;
  readonly plans: PartList<Plan>;
}

/**
 * One complete, dated catalog, deeply frozen and shared. Products, plans and the plans of a list are sorted by name.
 * The price list `DEFAULT` comes before the other price lists. Everything else is in document order. Lookups by name
 * read a map and decode only the plan that they find. Created by `createVersion`, or from parts of other versions.
 */
export class CatalogVersion implements PlanLookup {
  readonly effectiveDate: Instant;
  readonly frame: Part<VersionFrame>;
  readonly productParts: PartList<Product>;
  readonly planParts: PartList<Plan>;
  #selections: ReadonlyMap<string, readonly Part<Plan>[]> | undefined;

  constructor({ effectiveDate, frame, products, plans }: VersionParts) {
    this.effectiveDate = effectiveDate;
    this.frame = frame;
    this.productParts = products;
    this.planParts = plans;
    Object.freeze(this);
  }

  get catalogName(): string {
    return this.frame.value.catalogName;
  }

  /** The default billing mode of the document. It has already been applied to `plans`. */
  get recurringBillingMode(): BillingMode | null {
    return this.frame.value.recurringBillingMode;
  }

  get currencies(): readonly Currency[] {
    return this.frame.value.currencies;
  }

  get units(): readonly Unit[] {
    return this.frame.value.units;
  }

  get features(): readonly FeatureDeclaration[] {
    return this.frame.value.features ?? [];
  }

  get products(): readonly Product[] {
    return this.productParts.values();
  }

  get plans(): readonly Plan[] {
    return this.planParts.values();
  }

  get rules(): PlanRules {
    return this.frame.value.rules;
  }

  get priceLists(): PriceListSet {
    return this.frame.value.priceLists;
  }

  /** Title of the version in messages, such as `catalog "Acme" effective 2026-03-01T00:00:00.000Z`. */
  get title(): string {
    return `catalog "${this.catalogName}" effective ${formatInstant(this.effectiveDate)}`;
  }

  get allPriceLists(): readonly PriceList[] {
    return priceListIndex(this.frame.value).all;
  }

  planNamed(name: string): Plan | undefined {
    return this.planParts.part(name)?.value;
  }

  findPlan(name: string): Plan {
    const plan = this.planNamed(name);
    if (plan !== undefined) return plan;
    throw this.#unknown(
      ErrorCode.CATALOG_NO_SUCH_PLAN,
      `Plan "${shortenText(name)}"`,
      this.planParts.names(),
    );
  }

  productNamed(name: string): Product | undefined {
    return this.productParts.part(name)?.value;
  }

  findProduct(name: string): Product {
    const product = this.productNamed(name);
    if (product !== undefined) return product;
    throw this.#unknown(
      ErrorCode.CATALOG_NO_SUCH_PRODUCT,
      `Product "${shortenText(name)}"`,
      this.productParts.names(),
    );
  }

  hasPriceList(name: string): boolean {
    return priceListIndex(this.frame.value).byName.has(name);
  }

  findPriceList(name: string): PriceList {
    const { byName } = priceListIndex(this.frame.value);
    const list = byName.get(name);
    if (list !== undefined) return list;
    throw this.#unknown(
      ErrorCode.CATALOG_PRICE_LIST_NOT_FOUND,
      `Price list "${shortenText(name)}"`,
      byName.keys(),
    );
  }

  /**
   * Returns the phase with this name, such as `pro-monthly-evergreen`.
   * @throws BillingError 2041 if the name does not end in a phase type, 2040 if the version does not have the phase.
   */
  findPhase(name: string): PlanPhase {
    const { planName, type } = parsePhaseName(name);
    const phase = this.planNamed(planName)?.phases.find((candidate) => candidate.type === type);
    if (phase !== undefined) return phase;
    throw billingError(
      ErrorCode.CATALOG_NO_SUCH_PHASE,
      `Phase "${shortenText(name)}" is not in ${this.title}`,
      { phaseName: name, effectiveDate: this.effectiveDate },
    );
  }

  /**
   * Returns the name of the first price list that contains the plan or its parent plan. `DEFAULT` comes before all
   * others (§1, §10).
   */
  priceListOf(plan: Plan): string {
    const { listOfPlan } = priceListIndex(this.frame.value);
    return listOfPlan.get(plan.parentPlanName ?? plan.name) ?? DEFAULT_PRICE_LIST;
  }

  plansMatching(criteria: PlanCriteria): readonly Plan[] {
    this.#selections ??= this.#selectionsOfLists();
    return (this.#selections.get(selectionKey(criteria)) ?? []).map((part) => part.value);
  }

  /** Selects a plan (§7). @throws BillingError The errors of `selectPlan` in rules.ts. */
  selectPlan(specifier: PlanSpecifier): Plan {
    return selectPlan(this, specifier);
  }

  contextOf(plan: Plan): CreationContext {
    return {
      product: plan.product,
      productCategory: this.findProduct(plan.product).category,
      billingPeriod: plan.billingPeriod,
      priceList: this.priceListOf(plan),
    };
  }

  subscriptionContextOf(plan: Plan, phaseType: PhaseType): SubscriptionContext {
    return { ...this.contextOf(plan), phaseType };
  }

  createAlignment(context: CreationContext): PlanAlignmentCreate {
    return createAlignment(this.rules, context).result;
  }

  billingAlignment(context: SubscriptionContext): BillingAlignment {
    return billingAlignment(this.rules, context).result;
  }

  cancelPolicy(context: SubscriptionContext): BillingActionPolicy {
    return cancelPolicy(this.rules, context).result;
  }

  evaluatePlanChange(from: SubscriptionContext, target: PlanSpecifier): PlanChangeEvaluation {
    const { priceList, policy, alignment } = decidePlanChange(this, from, target);
    return { priceList, policy: policy.result, alignment: alignment.result };
  }

  #selectionsOfLists(): ReadonlyMap<string, readonly Part<Plan>[]> {
    const selections = this.allPriceLists.flatMap(({ name: priceListName, plans }) =>
      plans.flatMap((planName) => {
        const part = this.planParts.part(planName);
        if (part === undefined) return [];
        const { product: productName, billingPeriod } = soldAs(part);
        return { key: selectionKey({ productName, billingPeriod, priceListName }), part };
      }),
    );
    const byKey = Map.groupBy(selections, ({ key }) => key);
    return new Map([...byKey].map(([key, found]) => [key, found.map(({ part }) => part)]));
  }

  #unknown(code: ErrorCode, thing: string, known: Iterable<string>): BillingError {
    const names = [...known];
    const listed = names.slice(0, LISTED_NAMES).join(', ') || 'none';
    const more = names.length > LISTED_NAMES ? ` and ${names.length - LISTED_NAMES} more` : '';
    return billingError(code, `${thing} is not in ${this.title}; there are ${listed}${more}`, {
      catalogName: this.catalogName,
      effectiveDate: this.effectiveDate,
    });
  }
}

/**
 * Creates a version from content that `validateVersion` has accepted. Plans and products of other versions remain the
 * same objects.
 */
export function createVersion(content: VersionContent): CatalogVersion {
  return atOnce(versionSteps(content));
}

export function* contentSteps(version: CatalogVersion): Steps<VersionContent> {
  const { effectiveDate, frame, productParts, planParts } = version;
  return {
    ...frame.value,
    effectiveDate,
    products: yield* productParts.valueSteps(),
    plans: yield* planParts.valueSteps(),
  };
}

export function* versionSteps(content: VersionContent): Steps<CatalogVersion> {
  const { effectiveDate, products: writtenProducts, plans: writtenPlans, ...frame } = content;
  const plans = yield* eachStep(writtenPlans, (plan) =>
    planPart(createPlan(plan, frame.recurringBillingMode)),
  );
  const products = yield* eachStep(writtenProducts, productPart);
  return new CatalogVersion({
    effectiveDate,
    frame: partOf(frame.catalogName, { ...frame, priceLists: sortedPlans(frame.priceLists) }),
    products: new PartList(products.sort(byName)),
    plans: new PartList(plans.sort(byName)),
  });
}

function sortedPlans({ defaultPriceList, childPriceLists }: PriceListSet): PriceListSet {
  const sortPlansOfList = (list: PriceList): PriceList => ({ ...list, plans: list.plans.toSorted() });
  return {
    defaultPriceList: sortPlansOfList(defaultPriceList),
    childPriceLists: childPriceLists.map(sortPlansOfList),
  };
}

/**
 * Returns a unique key for a selection of a plan. Its parts are separated by a space, which neither a period nor an
 * NCName contains.
 */
function selectionKey({ productName, billingPeriod, priceListName }: PlanCriteria): string {
  return `${billingPeriod} ${priceListName} ${productName}`;
}

/** A plan on one of its price lists. */
export interface AvailablePlan {
  readonly plan: Plan;
  readonly priceListName: string;
}

/**
 * Yields each plan of a BASE product, once for each list that contains the plan, sorted by plan name, then by list (§12
 * rule 4).
 */
export function* listBasePlans(version: CatalogVersion): Steps<readonly AvailablePlan[]> {
  const products = yield* version.productParts.valueSteps();
  const isBase = new Map(products.map(({ name, category }) => [name, category === ProductCategory.BASE]));
  const listed = version.allPriceLists.flatMap((list) =>
    list.plans.map((planName) => ({ planName, priceListName: list.name })),
  );
  const listsOf = Map.groupBy(listed, ({ planName }) => planName);
  const plans = yield* version.planParts.valueSteps();
  return plans
    .filter((plan) => isBase.get(plan.product))
    .flatMap((plan) => (listsOf.get(plan.name) ?? []).map(({ priceListName }) => ({ plan, priceListName })));
}

/**
 * Returns the plans of add-ons that are available with a base product, except included add-ons, sorted by add-on,
 * period, list and name (§12 rule 4). The list can be limited to one price list.
 */
export function listAddOns(
  version: CatalogVersion,
  baseProductName: string,
  priceListName: string | null = null,
): readonly AvailablePlan[] {
  const lists = version.allPriceLists
    .map((list) => list.name)
    .filter((name) => priceListName === null || name === priceListName);
  return (version.productNamed(baseProductName)?.available ?? []).flatMap((productName) =>
    Object.values(BillingPeriod).flatMap((billingPeriod) =>
      lists.flatMap((list) =>
        version
          .plansMatching({ productName, billingPeriod, priceListName: list })
          .map((plan) => ({ plan, priceListName: list })),
      ),
    ),
  );
}

/** Names of the changed plans. Null means that any plan may have changed. */
export type ChangedPlans = ReadonlySet<string> | null;

/**
 * Returns the plans that added versions change. If a version changes bill cycle alignment, returns null (all plans).
 * Decodes no plan.
 * @param before versions that `after` also contains.
 * @param after all versions, sorted by effective date.
 */
export function changedPlans(
  before: readonly CatalogVersion[],
  after: readonly CatalogVersion[],
): ChangedPlans {
  const held = new Set(before);
  const changed = new Set<string>();
  for (const [index, version] of after.entries()) {
    if (held.has(version)) continue;
    // The first version is also in force before its date (§6.1).
    const inForce = after[index - 1] ?? before[0];
    if (inForce === undefined || !alignsAlike(version, inForce)) return null;
    addDifferent(version.planParts, inForce.planParts, changed);
    addDifferent(inForce.planParts, version.planParts, changed);
  }
  return changed;
}

function alignsAlike(one: CatalogVersion, other: CatalogVersion): boolean {
  if (one.frame === other.frame) return true;
  return textOfValue(one.rules.billingAlignment) === textOfValue(other.rules.billingAlignment);
}

function addDifferent<T extends object>(list: PartList<T>, other: PartList<T>, names: Set<string>): void {
  if (list === other) return;
  for (const part of list.parts) if (other.part(part.name) !== part) names.add(part.name);
}
