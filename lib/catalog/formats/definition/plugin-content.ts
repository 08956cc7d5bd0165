import type {
  PluginCatalog,
  PluginCatalogVersion,
  PluginPhase,
  PluginPlan,
  PluginProduct,
} from '../../../ports/index.ts';
import { BillingMode, FixedType, PhaseType, ProductCategory } from '../../../records/index.ts';
import type { Problem } from '../../../values/errors/index.ts';
import { BillingPeriod, type Duration, TimeUnit, UNLIMITED_DURATION } from '../../../values/time/index.ts';
import {
  DEFAULT_PRICE_LIST,
  type PriceList,
  type PriceListSet,
  type Product,
  UNBOUNDED,
} from '../../model/catalog-model.ts';
import type { PhaseContent, PlanContent, VersionContent } from '../../model/version-content.ts';
import { limitContent, named } from './plugin-parts.ts';
import { rulesContent } from './plugin-rules.ts';
import { usageContent } from './plugin-usages.ts';
import { PluginValues } from './plugin-values.ts';

/** A plugin's version as the engine reads it, and the values in it that are none. */
export interface ReadPluginVersion {
  readonly content: VersionContent;
  readonly problems: readonly Problem[];
}

/**
 * Turns plain data into what `validateVersion` examines (§16): defaults filled in, lists made of what plans and
 * lists say of each other, an empty `DEFAULT` where there is none.
 */
export function pluginVersion(
  catalog: Pick<PluginCatalog, 'catalogName'>,
  version: PluginCatalogVersion,
): ReadPluginVersion {
  const values = new PluginValues();
  const content: VersionContent = {
    catalogName: catalog.catalogName,
    effectiveDate: values.date(version.effectiveDate, 'The effective date of a version'),
    recurringBillingMode: billingMode(values, version.recurringBillingMode, 'A version'),
    currencies: version.currencies.map((code) => values.currency(code, 'The currencies of a version')),
    units: (version.units ?? []).map(named),
    products: version.products.map((product) => productContent(values, product)),
    plans: version.plans.map((plan) => planContent(values, plan)),
    rules: rulesContent(values, version.rules),
    priceLists: priceListsOf(version),
  };
  return { content, problems: values.problems };
}

function productContent(values: PluginValues, product: PluginProduct): Product {
  const owner = `Product "${product.name}"`;
  return {
    ...named(product),
    category: values.oneOf(ProductCategory, product.category, owner),
    included: product.included ?? [],
    available: product.available ?? [],
    limits: (product.limits ?? []).map((limit) => limitContent(values, limit, owner)),
  };
}

function planContent(values: PluginValues, plan: PluginPlan): PlanContent {
  const owner = `Plan "${plan.name}"`;
  const forExisting = plan.effectiveDateForExistingSubscriptions ?? null;
  return {
    ...named(plan),
    product: plan.product,
    recurringBillingMode: billingMode(values, plan.recurringBillingMode, owner),
    effectiveDateForExistingSubscriptions: forExisting === null ? null : values.date(forExisting, owner),
    initialPhases: (plan.initialPhases ?? []).map((phase) => phaseContent(values, phase, owner)),
    finalPhase: phaseContent(values, plan.finalPhase, owner),
    plansAllowedInBundle: values.integer(plan.plansAllowedInBundle ?? UNBOUNDED, owner),
  };
}

function phaseContent(values: PluginValues, phase: PluginPhase, plan: string): PhaseContent {
  const owner = `${plan}, phase ${phase.type}`;
  const { fixedPrice, recurring } = phase;
  return {
    type: values.oneOf(PhaseType, phase.type, owner),
    prettyName: phase.prettyName ?? null,
    duration: durationContent(values, phase.duration, owner),
    fixed:
      fixedPrice === undefined
        ? null
        : { type: FixedType.ONE_TIME, price: values.price(fixedPrice, `${owner}, fixed price`) },
    recurring:
      recurring === undefined
        ? null
        : {
            billingPeriod: values.oneOf(BillingPeriod, recurring.billingPeriod, owner),
            price: values.priceOrNull(recurring.price, `${owner}, recurring price`),
          },
    usages: (phase.usages ?? []).map((usage) => usageContent(values, usage, owner)),
  };
}

function durationContent(values: PluginValues, duration: PluginPhase['duration'], owner: string): Duration {
  if (duration === undefined) return UNLIMITED_DURATION;
  return {
    unit: values.oneOf(TimeUnit, duration.unit, owner),
    number: values.integer(duration.number ?? UNBOUNDED, owner),
  };
}

function billingMode(
  values: PluginValues,
  mode: BillingMode | null | undefined,
  owner: string,
): BillingMode | null {
  return mode === null || mode === undefined ? null : values.oneOf(BillingMode, mode, owner);
}

/** The declared lists in their order, then those that only plans name. */
function priceListsOf(version: PluginCatalogVersion): PriceListSet {
  const declared = [
    { name: DEFAULT_PRICE_LIST, ...version.defaultPriceList },
    ...(version.childPriceLists ?? []),
  ];
  const inSomeList = new Set(declared.flatMap((list) => list.plans ?? []));
  const listed = new Map<string, string[]>();
  for (const plan of version.plans) {
    const name = plan.priceList ?? (inSomeList.has(plan.name) ? null : DEFAULT_PRICE_LIST);
    if (name === null) continue;
    listed.set(name, [...(listed.get(name) ?? []), plan.name]);
  }
  const lists = declared.map((list): PriceList => {
    const plans = list.plans ?? [];
    const own = (listed.get(list.name) ?? []).filter((plan) => !plans.includes(plan));
    return { ...named(list), plans: [...plans, ...own] };
  });
  const known = new Set(lists.map((list) => list.name));
  const undeclared = [...listed]
    .filter(([name]) => !known.has(name))
    .map(([name, plans]): PriceList => ({ ...named({ name }), plans }));
  const [defaultPriceList = { ...named({ name: DEFAULT_PRICE_LIST }), plans: [] }, ...childPriceLists] =
    lists;
  return { defaultPriceList, childPriceLists: [...childPriceLists, ...undeclared] };
}
