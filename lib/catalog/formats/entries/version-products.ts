import type { CatalogEntry, ProductTerms } from '../../../records/index.ts';
import { ProductCategory } from '../../../records/index.ts';
import type { Instant } from '../../../values/time/index.ts';
import type { CatalogVersion } from '../../lookup/catalog-version.ts';
import type { Product } from '../../model/catalog-model.ts';
import { completed } from '../fields/field.ts';
import { product } from '../fields/records.ts';
import { union } from './merged-parts.ts';

/** A product entry in a catalog version; its add-ons are added by `availableProducts`. */
export function productOfEntry(entry: CatalogEntry): Product {
  if (entry.product === null) throw new Error(`catalog entry ${entry.name} is no product`);
  return productOf(entry.name, entry.product);
}

/**
 * The XML product of a plan: as the version in force has it, else the latest one before that has it, else the earliest
 * one after; without any, as it was when the plan was created.
 */
export function productOfPlan(entry: CatalogEntry, xml: readonly CatalogVersion[], date: Instant): Product {
  if (entry.plan === null) throw new Error(`catalog entry ${entry.name} is no plan`);
  const { productName, xmlProduct } = entry.plan;
  const product = xmlProductNamed(productName, xml, date);
  if (product !== undefined) return product;
  if (xmlProduct === null) throw new Error(`plan ${entry.name} has no product`);
  return productOf(productName, xmlProduct);
}

/** The XML product of that name: as the version in force has it, else the latest one before, else the earliest one after. */
export function xmlProductNamed(
  name: string,
  xml: readonly CatalogVersion[],
  date: Instant,
): Product | undefined {
  const holders = xml.filter((version) => version.productNamed(name) !== undefined);
  const holder = holders.findLast((version) => version.effectiveDate <= date) ?? holders[0];
  return holder?.productNamed(name);
}

/** Names of products that these entries make add-ons of, or available. */
export function namesReferredTo(entries: readonly CatalogEntry[]): readonly string[] {
  return entries.flatMap(({ product }) => [
    ...(product?.availableForBps ?? []),
    ...(product?.availableAddons ?? []),
  ]);
}

/**
 * The products of a version with the add-ons that entries make available, named from either side (§15.5 rule 3). Add-ons
 * that the version does not have are left out. `entries` are the product entries among them.
 */
export function availableProducts(
  products: readonly Product[],
  entries: readonly CatalogEntry[],
): readonly Product[] {
  const addOns = new Set(
    products.filter(({ category }) => category === ProductCategory.ADD_ON).map(({ name }) => name),
  );
  const addedTo = new Map<string, string[]>();
  const add = (base: string, addOn: string): void => {
    addedTo.set(base, [...(addedTo.get(base) ?? []), addOn]);
  };
  for (const { name, product } of entries) {
    for (const base of product?.availableForBps ?? []) add(base, name);
    for (const addOn of product?.availableAddons ?? []) add(name, addOn);
  }
  return products.map((product) => {
    if (product.category !== ProductCategory.BASE) return product;
    const included = product.included.filter((name) => addOns.has(name));
    const available = union(product.available, addedTo.get(product.name) ?? []).filter(
      (name) => addOns.has(name) && !included.includes(name),
    );
    const isSame =
      available.length === product.available.length && included.length === product.included.length;
    return isSame ? product : { ...product, included, available };
  });
}

/** A product by itself, without add-ons. */
export function productOf(name: string, terms: Pick<ProductTerms, 'prettyName' | 'category'>): Product {
  return completed(product, { name, prettyName: terms.prettyName || null, category: terms.category });
}
