import type { NewPlanRow } from '../../../ports/storage/index.ts';
import {
  type CatalogEntry,
  EntryKind,
  type EntryScope,
  type New,
  type ProductTerms,
} from '../../../records/index.ts';
import { type BillingError, billingError, ErrorCode } from '../../../values/errors/index.ts';
import type { Uuid } from '../../../values/ids/index.ts';
import { shortenText } from '../../../values/text/index.ts';
import type { Instant } from '../../../values/time/index.ts';
import { NameKind } from '../../validation/findings.ts';
import { type CheckedRow, checkAvailability, checkedPlan, checkedProduct } from './check-entries.ts';
import {
  type CatalogEntriesInput,
  EntryProblems,
  type KnownNames,
  type KnownProduct,
  titleOf,
} from './entry-input.ts';
import { childListNames, unitsOf, usageNamesOf, validateEntries } from './entry-parts.ts';

interface CreateEntriesInput {
  readonly request: CatalogEntriesInput;
  readonly scope: EntryScope;
  /** The names from `namesIn` that already exist. They are read while the catalog is locked. */
  readonly known: KnownNames;
  readonly now: Instant;
  readonly nextId: () => Uuid;
}

/** The records that a call adds. The lists are empty if all of the entries already exist. */
interface CreatedEntries {
  readonly entries: readonly New<CatalogEntry>[];
  readonly rows: readonly NewPlanRow[];
}

export function namesIn({ plans, products }: CatalogEntriesInput): readonly string[] {
  const usages = (plans ?? []).flatMap(({ phases }) => (phases ?? []).flatMap((phase) => phase.usages ?? []));
  const blocks = usages.flatMap(({ tiers }) => (tiers ?? []).flatMap((tier) => tier.blocks ?? []));
  const names = [
    ...(plans ?? []).flatMap((plan) => [plan.name, plan.productName, plan.pricelistName]),
    ...usages.map((usage) => usage.usageName),
    ...blocks.map((block) => block.billingMeterCode),
    ...(products ?? []).flatMap(({ name, availableForBps, availableAddons }) => [
      name,
      ...(availableForBps ?? []),
      ...(availableAddons ?? []),
    ]),
  ];
  return [...new Set(names.flatMap((name) => name || []))];
}

/**
 * Creates entries (§15.3, §15.4). Does not change entries whose names already exist in the scope.
 * @throws BillingError CATALOG_ENTRY_SCOPE_MISMATCH (61002), CATALOG_ENTRY_INVALID_ENTRY (61004) with all problems,
 * CATALOG_ENTRY_PRODUCT_UNKNOWN (61001).
 */
export function createEntries(input: CreateEntriesInput): CreatedEntries {
  const { request, known } = input;
  const problems = new EntryProblems();
  const catalogName = newCatalogName(input, problems);
  const products = newProducts(input, problems);
  const plans = newPlans(input, products, problems);
  if ((request.plans ?? []).length === 0) problems.add('plans must contain at least one plan');
  const categoryOf = (name: string) =>
    (products.get(name) ?? known.productFor(input.scope, name)?.terms)?.category;
  for (const [name, terms] of products) checkAvailability({ name, terms }, categoryOf, problems);
  checkFree(plans, products, { known, problems });
  const checkable = plans.flatMap(({ terms, row }) => (row === undefined ? [] : { terms, row }));
  const productList = [...products].map(([name, terms]) => ({ name, terms }));
  for (const message of validateEntries(checkable, known.declaredFeatures, productList))
    problems.add(message);
  problems.throwIfAny();
  for (const plan of plans) if (plan.product === undefined) throw unknownProduct(plan);
  return recordsOf(input, catalogName, { products, plans });
}

interface NewPlan {
  readonly name: string;
  readonly terms: NonNullable<CatalogEntry['plan']>;
  readonly row: CheckedRow | undefined;
  readonly product: KnownProduct | 'REQUEST' | undefined;
}

function newCatalogName({ request, known }: CreateEntriesInput, problems: EntryProblems): string | null {
  if (!request.catalogName || known.catalogName !== undefined) return null;
  if (request.catalogName.trim() === '') problems.add('catalogName is blank');
  problems.textOf('The catalog', 'catalogName', request.catalogName);
  return problems.needName('The catalog', 'catalogName', request.catalogName) ?? null;
}

function newProducts(input: CreateEntriesInput, problems: EntryProblems) {
  const products = new Map<string, ProductTerms>();
  for (const product of input.request.products ?? []) {
    const name = problems.needName('A product', 'name', product.name);
    if (name === undefined || isStored(input, EntryKind.PRODUCT, name)) continue;
    // Products of the XML catalog are used unchanged (§15.3 rule 6).
    if (input.known.xmlProduct(name) !== undefined) continue;
    const terms = checkedProduct(product, problems);
    if (products.has(name)) problems.add(`${titleOf('Product', name)} appears twice in the request`);
    if (terms !== undefined) products.set(name, terms);
  }
  return products;
}

function newPlans(
  input: CreateEntriesInput,
  products: ReadonlyMap<string, ProductTerms>,
  problems: EntryProblems,
): readonly NewPlan[] {
  return (input.request.plans ?? []).flatMap((plan) => {
    const name = problems.needName('A plan', 'name', plan.name);
    if (name === undefined || isStored(input, EntryKind.PLAN, name)) return [];
    const checked = checkedPlan({ ...plan, name }, problems);
    if (checked === undefined) return [];
    const { productName } = checked.terms;
    const product = products.has(productName) ? 'REQUEST' : input.known.productFor(input.scope, productName);
    const isXml = product !== undefined && product !== 'REQUEST' && product.entryId === null;
    const xmlProduct = isXml ? product.terms : null;
    return [{ name, product, row: checked.row, terms: { ...checked.terms, xmlProduct } }];
  });
}

/** Checks that the tenant does not use the new names elsewhere (V1). */
function checkFree(
  plans: readonly NewPlan[],
  products: ReadonlyMap<string, ProductTerms>,
  { known, problems }: { readonly known: KnownNames; readonly problems: EntryProblems },
): void {
  const phases = plans.flatMap((plan) => plan.row?.phases ?? []);
  const check = (names: Iterable<string>, kind: NameKind, mayExist = false): void => {
    for (const name of names) {
      const holder = known.kindOf(name);
      if (holder === undefined || (mayExist && holder === kind)) continue;
      problems.add(
        `The ${kind} name ${JSON.stringify(shortenText(name))} is already used by a ${holder}; choose a different name`,
      );
    }
  };
  const planNames = plans.map(({ name }) => name);
  check(products.keys(), NameKind.PRODUCT);
  check(planNames, NameKind.PLAN);
  check(childListNames(plans), NameKind.PRICE_LIST, true);
  check(usageNamesOf(phases), NameKind.USAGE);
  check(unitsOf(phases), NameKind.UNIT, true);
}

/**
 * Returns true if the scope already has the name.
 * @throws BillingError 61002 if another scope has it (§15.4 rule 3).
 */
function isStored({ scope, known }: CreateEntriesInput, kind: EntryKind, name: string): boolean {
  const entry = known.entry(kind, name);
  if (entry === undefined) return false;
  if (entry.accountId === scope.accountId) return true;
  const what = titleOf(kind === EntryKind.PLAN ? 'Plan' : 'Product', name);
  throw billingError(
    ErrorCode.CATALOG_ENTRY_SCOPE_MISMATCH,
    `${what} exists in another scope; repeat the call with the accountId of the first call, or without an accountId`,
    { name },
  );
}

function unknownProduct({ name, terms }: NewPlan): BillingError {
  return billingError(
    ErrorCode.CATALOG_ENTRY_PRODUCT_UNKNOWN,
    `${titleOf('Plan', name)}: ${titleOf('product', terms.productName)} does not exist; create it in the same inputData call`,
    { planName: name, productName: terms.productName },
  );
}

function recordsOf(
  { scope, known, now, nextId }: CreateEntriesInput,
  catalogName: string | null,
  {
    products,
    plans,
  }: { readonly products: ReadonlyMap<string, ProductTerms>; readonly plans: readonly NewPlan[] },
): CreatedEntries {
  const { accountId, accountRecordId } = scope;
  const entry = (kind: EntryKind, name: string, own: Partial<CatalogEntry> = {}): New<CatalogEntry> => ({
    id: nextId(),
    kind,
    name,
    accountId,
    accountRecordId,
    parentId: null,
    product: null,
    plan: null,
    createdDate: now,
    ...own,
  });
  const ofTenant = { accountId: null, accountRecordId: null };
  const productEntries = [...products].map(([name, product]) => entry(EntryKind.PRODUCT, name, { product }));
  const idOfProduct = new Map(productEntries.map((product) => [product.name, product.id]));
  const lists = childListNames(plans).filter((name) => known.kindOf(name) === undefined);
  const units = unitsOf(plans.flatMap((plan) => plan.row?.phases ?? [])).filter(
    (name) => known.entry(EntryKind.UNIT, name) === undefined,
  );
  const planEntries = plans.map(({ name, terms, product }) => {
    const productId = product === 'REQUEST' ? idOfProduct.get(terms.productName) : product?.entryId;
    return entry(EntryKind.PLAN, name, { parentId: productId ?? null, plan: terms });
  });
  const usages = plans.flatMap(({ row }, index) =>
    usageNamesOf(row?.phases ?? []).map((name) =>
      entry(EntryKind.USAGE, name, { parentId: planEntries[index]?.id ?? null }),
    ),
  );
  return {
    entries: [
      ...(catalogName === null ? [] : [entry(EntryKind.CATALOG, catalogName, ofTenant)]),
      ...productEntries,
      ...lists.map((name) => entry(EntryKind.PRICE_LIST, name)),
      ...planEntries,
      ...usages,
      ...units.map((name) => entry(EntryKind.UNIT, name, ofTenant)),
    ],
    rows: plans
      .flatMap(({ row }) => row ?? [])
      .map((row) => ({
        ...row,
        id: nextId(),
        accountRecordId,
        createdOrder: 1,
        retired: false,
        createdDate: now,
      })),
  };
}
