import type { BillingMode, FeatureDeclaration } from '../../records/index.ts';
import { type Plain, plainBy } from '../../values/host-values/index.ts';
import type { Currency } from '../../values/money/index.ts';
import type { Plan, PlanRules, PriceListSet, Product, Unit } from '../model/catalog-model.ts';
import type { Catalog } from './catalog.ts';
import type { CatalogVersion } from './catalog-version.ts';

export interface CatalogView {
  /** The name of the catalog, or null if there are no versions. */
  readonly name: string | null;
  /** A number that changes whenever the catalog changes. */
  readonly revision: number;
  readonly versions: readonly CatalogVersionView[];
  /** Returns a document with all versions, which `catalogs.upload` accepts. */
  toXml(): string;
}

/**
 * A version, with products and plans sorted by name. The default price list is first; the others are in document order.
 */
export interface CatalogVersionView {
  readonly catalogName: string;
  /** Name and effective date in a readable form. */
  readonly title: string;
  readonly effectiveDate: Date;
  readonly recurringBillingMode: BillingMode | null;
  readonly currencies: readonly Currency[];
  readonly units: readonly Unit[];
  readonly features: readonly FeatureDeclaration[];
  readonly products: readonly Product[];
  readonly plans: readonly Plain<Plan>[];
  readonly rules: PlanRules;
  readonly priceLists: PriceListSet;
}

export function catalogView(catalog: Catalog, toXml: () => string): CatalogView {
  const { name, revision, versions } = catalog;
  return { name, revision, versions: versions.map(catalogVersionView), toXml };
}

export const plainPlan = plainBy({ effectiveDateForExistingSubscriptions: 'instant' }) as (
  plan: Plan,
) => Plain<Plan>;

/** Returns the view of a version. Plans are decoded when they are first read. */
export function catalogVersionView(version: CatalogVersion): CatalogVersionView {
  const { catalogName, title, recurringBillingMode, currencies, units, features } = version;
  const { products, rules, priceLists } = version;
  let plans: readonly Plain<Plan>[] | undefined;
  return {
    catalogName,
    title,
    effectiveDate: new Date(version.effectiveDate),
    recurringBillingMode,
    currencies,
    units,
    features,
    products,
    rules,
    priceLists,
    get plans() {
      plans ??= version.plans.map(plainPlan);
      return plans;
    },
  };
}
