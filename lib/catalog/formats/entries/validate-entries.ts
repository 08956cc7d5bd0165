import type { PlanRow, PlanTerms, ProductTerms } from '../../../records/index.ts';
import { BillingMode, ProductCategory } from '../../../records/index.ts';
import { instant } from '../../../values/time/index.ts';
import { DEFAULT_PRICE_LIST, type PriceList, type Product } from '../../model/catalog-model.ts';
import { SIMPLE_RULES } from '../../model/simple-rules.ts';
import { validateVersion } from '../../validation/validate-version.ts';
import { completed } from '../fields/field.ts';
import { priceList } from '../fields/records.ts';
import { planContentOf, pricedIn } from './plan-content.ts';
import { productOf } from './version-products.ts';

export interface PlanToCheck {
  readonly terms: PlanTerms;
  readonly row: Pick<PlanRow, 'planName' | 'effectiveDateForExistingSubscriptions' | 'phases'>;
}

export interface ProductToCheck {
  readonly name: string;
  readonly terms: Pick<ProductTerms, 'prettyName' | 'category'>;
}

/** The version's own date does not matter: a row is checked against its own date. */
const ANY_DATE = instant(0);

/**
 * What rules V1, V7 to V15 and V20 find in plans and products as a catalog version of their own (§15.3 rule 5): it costs
 * as much as the new content, however much else the tenant has.
 */
export function validateEntries(
  plans: readonly PlanToCheck[],
  newProducts: readonly ProductToCheck[] = [],
): readonly string[] {
  const { errors } = validateVersion({
    content: {
      catalogName: DEFAULT_PRICE_LIST,
      effectiveDate: ANY_DATE,
      recurringBillingMode: BillingMode.IN_ADVANCE,
      ...pricedIn(plans.flatMap(({ row }) => row.phases)),
      products: [
        ...newProducts.map(({ name, terms }) => productOf(name, terms)),
        ...otherProducts(plans, newProducts),
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

function childListNames(plans: readonly PlanToCheck[]): readonly string[] {
  const names = new Set(plans.map(({ terms }) => terms.pricelistName));
  names.delete(DEFAULT_PRICE_LIST);
  return [...names];
}

function listOf(name: string, plans: readonly PlanToCheck[]): PriceList {
  const members = plans.filter(({ terms }) => terms.pricelistName === name);
  return completed(priceList, { name, plans: [...new Set(members.map(({ row }) => row.planName))] });
}

function otherProducts(
  plans: readonly PlanToCheck[],
  newProducts: readonly ProductToCheck[],
): readonly Product[] {
  const names = new Set(plans.map(({ terms }) => terms.productName));
  for (const product of newProducts) names.delete(product.name);
  return [...names].map((name) =>
    productOf(name, { prettyName: name, category: ProductCategory.STANDALONE }),
  );
}
