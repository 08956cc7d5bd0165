import type { ProductTerms } from '../../../records/index.ts';
import { ProductCategory } from '../../../records/index.ts';
import type { ProductEntryInput } from './entry-input.ts';
import { type EntryProblems, titleOf } from './entry-problems.ts';

/** Category of a product that others may name; undefined for an unknown one. */
export type CategoryOf = (productName: string) => ProductCategory | undefined;

/** Checks a new product: what is required must be there (§15.3 rule 1). What is wrong goes to `problems`. */
export function checkedProduct(input: ProductEntryInput, problems: EntryProblems): ProductTerms | undefined {
  const owner = titleOf('Product', input.name);
  const category = problems.need(owner, 'category', input.category);
  const terms = {
    prettyName: problems.textOf(owner, 'prettyName', input.prettyName),
    availableForBps: [...new Set(input.availableForBps ?? [])],
    availableAddons: [...new Set(input.availableAddons ?? [])],
  };
  return category && { ...terms, category };
}

/** The add-ons of a new product and the products of a new add-on (§15.3 rule 4). */
export function checkAvailability(
  { name, terms }: { readonly name: string; readonly terms: ProductTerms },
  categoryOf: CategoryOf,
  problems: EntryProblems,
): void {
  const owner = `${titleOf('Product', name)}`;
  const { category, availableForBps, availableAddons } = terms;
  const isAddOn = category === ProductCategory.ADD_ON;
  if (isAddOn && availableForBps.length === 0) {
    problems.add(`${owner}: an ADD_ON needs availableForBps`);
  }
  if (!isAddOn && availableForBps.length > 0) {
    problems.add(`${owner}: only an ADD_ON has availableForBps, not a ${category} product`);
  }
  if (category !== ProductCategory.BASE && availableAddons.length > 0) {
    problems.add(`${owner}: only a BASE product has availableAddons, not a ${category} product`);
  }
  const references = [
    ...availableForBps.map((other) => ({ field: 'availableForBps', other, wanted: ProductCategory.BASE })),
    ...availableAddons.map((other) => ({ field: 'availableAddons', other, wanted: ProductCategory.ADD_ON })),
  ];
  for (const { field, other, wanted } of references) {
    const found = categoryOf(other);
    const named = `${owner}: ${field} names ${titleOf('product', other)}`;
    if (found === undefined) problems.add(`${named}, which does not exist`);
    else if (found !== wanted) problems.add(`${named}, which is ${found}, not ${wanted}`);
  }
}
