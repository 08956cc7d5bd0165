import {
  BillingMode,
  type CatalogEntry,
  type EntryBlock,
  type EntryPhase,
  type EntryPrice,
  type EntryUsage,
  PhaseType,
  type PlanRow,
  type PlanTerms,
  ProductCategory,
  type ProductTerms,
} from '../../../records/index.ts';
import { decimal, formatDecimal } from '../../../values/money/index.ts';
import { type Instant, instant } from '../../../values/time/index.ts';
import type { CatalogVersion } from '../../lookup/catalog-version.ts';
import {
  DEFAULT_PRICE_LIST,
  type InternationalPrice,
  type PriceList,
  type PriceListSet,
  type Product,
  SIMPLE_RULES,
  type TieredBlock,
  type Unit,
  type Usage,
  type WrittenDecimal,
} from '../../model/catalog-model.ts';
import type { PhaseContent, PlanContent, VersionFrame } from '../../model/version-content.ts';
import { validateVersion } from '../../validation/validate-version.ts';
import { fixed, plan, priceList, product, tier, unit, usage } from '../fields/catalog-records.ts';
import { completeRecord } from '../fields/field.ts';

export interface ListedPlan {
  readonly planName: string;
  readonly listName: string;
}

const emptyLists: PriceListSet = {
  defaultPriceList: completeRecord(priceList, { name: DEFAULT_PRICE_LIST }),
  childPriceLists: [],
};

/**
 * Merges the price lists of an XML version and of entries by name (§15.6 rule 1). A price list that a rule names is
 * created even if it is empty, so that a search in this list continues in DEFAULT.
 */
export function mergedLists(
  xml: PriceListSet | null,
  plans: readonly ListedPlan[],
  namedByRules: readonly string[] = [],
): PriceListSet {
  const { defaultPriceList, childPriceLists } = xml ?? emptyLists;
  const plansOf = Map.groupBy(plans, ({ listName }) => listName);
  const addPlans = (list: PriceList): PriceList => ({
    ...list,
    plans: [...list.plans, ...(plansOf.get(list.name) ?? []).map(({ planName }) => planName)].toSorted(),
  });
  const known = new Set([DEFAULT_PRICE_LIST, ...childPriceLists.map((list) => list.name)]);
  const added = union([...plansOf.keys()], namedByRules).filter((name) => !known.has(name));
  return {
    defaultPriceList: addPlans(defaultPriceList),
    childPriceLists: [
      ...childPriceLists.map(addPlans),
      ...added.toSorted().map((name) => addPlans(completeRecord(priceList, { name }))),
    ],
  };
}

export function mergedUnits(xml: readonly Unit[], own: readonly Unit[]): readonly Unit[] {
  const known = new Set(xml.map((unit) => unit.name));
  return [...xml, ...own.filter((unit) => !known.has(unit.name))];
}

export function union<T>(...lists: readonly (readonly T[])[]): readonly T[] {
  return [...new Set(lists.flat())];
}

/** Returns the product of an entry. `availableProducts` adds its add-ons later. */
export function productOfEntry(entry: CatalogEntry): Product {
  if (entry.product === null) throw new Error(`catalog entry ${entry.name} is not a product`);
  return productOf(entry.name, entry.product);
}

/**
 * Returns the XML product of a plan. It comes from the version in force, otherwise the latest earlier version,
 * otherwise the earliest later version. If no version has the product, returns the product that was stored with the
 * plan.
 */
export function productOfPlan(entry: CatalogEntry, xml: readonly CatalogVersion[], date: Instant): Product {
  if (entry.plan === null) throw new Error(`catalog entry ${entry.name} is not a plan`);
  const { productName, xmlProduct } = entry.plan;
  const product = xmlProductNamed(productName, xml, date);
  if (product !== undefined) return product;
  if (xmlProduct === null) throw new Error(`plan ${entry.name} has no product`);
  return productOf(productName, xmlProduct);
}

/**
 * Finds a product in the version in force, otherwise in the latest earlier version, otherwise in the earliest later
 * version.
 */
export function xmlProductNamed(
  name: string,
  xml: readonly CatalogVersion[],
  date: Instant,
): Product | undefined {
  const holders = xml.filter((version) => version.productNamed(name) !== undefined);
  const holder = holders.findLast((version) => version.effectiveDate <= date) ?? holders[0];
  return holder?.productNamed(name);
}

export function namesReferredTo(entries: readonly CatalogEntry[]): readonly string[] {
  return entries.flatMap(({ product }) => [
    ...(product?.availableForBps ?? []),
    ...(product?.availableAddons ?? []),
  ]);
}

/**
 * Returns the products of a version, with the add-ons from entries. An add-on is available if either the product or the
 * add-on lists the other (§15.5 rule 3).
 */
export function availableProducts(
  products: readonly Product[],
  entries: readonly CatalogEntry[],
): readonly Product[] {
  const addOns = new Set(
    products.filter(({ category }) => category === ProductCategory.ADD_ON).map(({ name }) => name),
  );
  const offers = entries.flatMap(({ name, product }) => [
    ...(product?.availableForBps ?? []).map((base) => ({ base, addOn: name })),
    ...(product?.availableAddons ?? []).map((addOn) => ({ base: name, addOn })),
  ]);
  const offersOf = Map.groupBy(offers, ({ base }) => base);
  return products.map((product) => {
    if (product.category !== ProductCategory.BASE) return product;
    const included = product.included.filter((name) => addOns.has(name));
    const offered = (offersOf.get(product.name) ?? []).map(({ addOn }) => addOn);
    const available = union(product.available, offered).filter(
      (name) => addOns.has(name) && !included.includes(name),
    );
    const isSame =
      available.length === product.available.length && included.length === product.included.length;
    return isSame ? product : { ...product, included, available };
  });
}

function productOf(
  name: string,
  { prettyName, category, features }: Pick<ProductTerms, 'prettyName' | 'category' | 'features'>,
): Product {
  return completeRecord(product, {
    name,
    prettyName: prettyName || null,
    category,
    features: features ?? null,
  });
}

/** Returns the plan that a row contains (§15.5 rule 2). The plan has at least one phase. */
export function planContentOf(
  terms: PlanTerms,
  row: Pick<PlanRow, 'planName' | 'effectiveDateForExistingSubscriptions' | 'phases'>,
): PlanContent {
  const phases = row.phases.map(phaseContentOf);
  const finalPhase = phases.at(-1);
  if (finalPhase === undefined) throw new Error(`plan ${row.planName} has no phases`);
  return completeRecord(plan, {
    name: row.planName,
    prettyName: terms.prettyName || null,
    product: terms.productName,
    recurringBillingMode: terms.recurringBillingMode,
    effectiveDateForExistingSubscriptions: row.effectiveDateForExistingSubscriptions,
    initialPhases: phases.slice(0, -1),
    finalPhase,
    features: terms.features ?? null,
  });
}

function phaseContentOf({ prettyName, ...given }: EntryPhase): PhaseContent {
  const { type, duration, fixedPrices, recurringPrices, usages, features } = given;
  // A TRIAL without a price is free; other phases without a price have no fixed price.
  const hasFixed = fixedPrices.length > 0 || type === PhaseType.TRIAL;
  return {
    type,
    prettyName: prettyName || null,
    duration,
    fixed: hasFixed ? completeRecord(fixed, { price: internationalPrice(fixedPrices) }) : null,
    recurring: recurringPrices && recurringPriceOf(recurringPrices),
    usages: usages.map(usageOf),
    ...(features === undefined ? {} : { features }),
  };
}

function recurringPriceOf({ billingPeriod, prices }: NonNullable<EntryPhase['recurringPrices']>) {
  return { billingPeriod, price: prices.length === 0 ? null : internationalPrice(prices) };
}

function usageOf({ usageName, prettyName, tiers, ...terms }: EntryUsage): Usage {
  return completeRecord(usage, {
    ...terms,
    name: usageName,
    prettyName: prettyName || null,
    billingMode: BillingMode.IN_ARREAR,
    tiers: tiers
      .toSorted((one, other) => one.tierNumber - other.tierNumber)
      .map(({ blocks }) => completeRecord(tier, { blocks: blocks.map(tieredBlockOf) })),
  });
}

function tieredBlockOf({ billingMeterCode, size, max, prices }: EntryBlock): TieredBlock {
  return {
    unit: billingMeterCode,
    size: toWrittenDecimal(size),
    max: toWrittenDecimal(max),
    prices: internationalPrice(prices),
  };
}

function internationalPrice(prices: readonly EntryPrice[]): InternationalPrice {
  return {
    prices: prices.map(({ currency, value }) => ({
      currency,
      amount: { value, text: formatDecimal(value) },
    })),
  };
}

function toWrittenDecimal(number: number): WrittenDecimal {
  return { value: decimal(number), text: String(number) };
}

/** Returns the currencies and units that a version must declare for these phases. */
export function collectCurrenciesAndUnits(
  phases: readonly EntryPhase[],
): Pick<VersionFrame, 'currencies' | 'units'> {
  const prices = phases.flatMap((phase) => [
    ...phase.fixedPrices,
    ...(phase.recurringPrices?.prices ?? []),
    ...blocksOf(phase).flatMap((block) => block.prices),
  ]);
  return {
    currencies: union(prices.map((price) => price.currency)),
    units: unitsOf(phases).map((name) => completeRecord(unit, { name })),
  };
}

export function unitsOf(phases: readonly EntryPhase[]): readonly string[] {
  return union(phases.flatMap(blocksOf).map((block) => block.billingMeterCode));
}

function blocksOf({ usages }: EntryPhase): readonly EntryBlock[] {
  return usages.flatMap((usage) => usage.tiers.flatMap((tier) => tier.blocks));
}

export function usageNamesOf(phases: readonly EntryPhase[]): readonly string[] {
  return phases.flatMap((phase) => phase.usages.map((usage) => usage.usageName));
}

interface PlanToCheck {
  readonly terms: PlanTerms;
  readonly row: Pick<PlanRow, 'planName' | 'effectiveDateForExistingSubscriptions' | 'phases'>;
}

interface ProductToCheck {
  readonly name: string;
  readonly terms: Pick<ProductTerms, 'prettyName' | 'category' | 'features'>;
}

/** Placeholder for the date of a version. Each row is checked against its own date instead. */
const ANY_DATE = instant(0);

/** The features for which entries can have values, with their units. */
export type DeclaredFeatures = Pick<VersionFrame, 'features' | 'units'>;

/** Returns the features that a version declares. */
export function declaredFeatures(version: CatalogVersion | undefined): DeclaredFeatures {
  if (version === undefined || version.features.length === 0) return { units: [] };
  const { features } = version;
  const names = new Set(features.map((feature) => feature.unit));
  return { features, units: version.units.filter((each) => names.has(each.name)) };
}

/**
 * Checks the new entries and the declared features against V1, V7 to V15, V20, V23 and V24, as if they formed a version
 * (§15.3 rule 5).
 */
export function validateEntries(
  plans: readonly PlanToCheck[],
  declared: DeclaredFeatures,
  newProducts: readonly ProductToCheck[] = [],
): readonly string[] {
  const newNames = new Set(newProducts.map(({ name }) => name));
  const otherNames = union(plans.map(({ terms }) => terms.productName)).filter((name) => !newNames.has(name));
  const standalone = { category: ProductCategory.STANDALONE };
  const priced = collectCurrenciesAndUnits(plans.flatMap(({ row }) => row.phases));
  const { errors } = validateVersion({
    content: {
      catalogName: DEFAULT_PRICE_LIST,
      effectiveDate: ANY_DATE,
      recurringBillingMode: BillingMode.IN_ADVANCE,
      ...priced,
      ...declared,
      units: mergedUnits(declared.units, priced.units),
      products: [
        ...newProducts.map(({ name, terms }) => productOf(name, terms)),
        ...otherNames.map((name) => productOf(name, { prettyName: name, ...standalone })),
      ],
      plans: plans.map(({ terms, row }) => ({
        ...planContentOf(terms, row),
        effectiveDateForExistingSubscriptions: null,
      })),
      rules: SIMPLE_RULES,
      priceLists: {
        defaultPriceList: listOf(DEFAULT_PRICE_LIST, plans),
        childPriceLists: childListNames(plans).map((name) => listOf(name, plans)),
      },
    },
  });
  return errors.map((problem) => problem.message);
}

export function childListNames(plans: readonly Pick<PlanToCheck, 'terms'>[]): readonly string[] {
  const names = union(plans.map(({ terms }) => terms.pricelistName));
  return names.filter((name) => name !== DEFAULT_PRICE_LIST);
}

function listOf(name: string, plans: readonly PlanToCheck[]): PriceList {
  const members = plans.filter(({ terms }) => terms.pricelistName === name);
  return completeRecord(priceList, { name, plans: [...new Set(members.map(({ row }) => row.planName))] });
}
