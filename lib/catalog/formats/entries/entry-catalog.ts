import {
  BillingMode,
  type CatalogEntry,
  EntryKind,
  type EntryPhase,
  type PlanRow,
} from '../../../records/index.ts';
import type { Instant } from '../../../values/time/index.ts';
import { type Catalog, createCatalog } from '../../lookup/catalog.ts';
import { CatalogVersion } from '../../lookup/catalog-version.ts';
import { DEFAULT_PRICE_LIST, type Plan, type Product, SIMPLE_RULES } from '../../model/catalog-model.ts';
import { byName, LazyPart, type Part, PartList, partOf, productPart } from '../../model/part.ts';
import { createPlan } from '../../model/plan.ts';
import type { VersionFrame } from '../../model/version-content.ts';
import type { EntriesAndRows } from './change-plan.ts';
import {
  availableProducts,
  collectCurrenciesAndUnits,
  type ListedPlan,
  mergedLists,
  mergedUnits,
  namesReferredTo,
  planContentOf,
  productOfEntry,
  productOfPlan,
  union,
  xmlProductNamed,
} from './entry-parts.ts';

export const DEFAULT_CATALOG_NAME = 'DEFAULT';

interface EntryCatalogInput {
  readonly xml: Catalog;
  readonly scope: EntriesAndRows;
  readonly revision: number;
  /** The tenant's entries. Plans of an account may refer to products in these entries. */
  readonly tenantEntries: readonly CatalogEntry[];
}

/** Returns the tenant's XML versions combined with its entries (§15.5, §15.6 rule 1). */
export function tenantCatalog(input: EntryCatalogInput): Catalog {
  const versions = tenantVersions(input);
  if (versions === input.xml.versions) return input.xml;
  const { revision, xml } = input;
  return createCatalog(versions, {
    revision,
    versionsAt: (then) => tenantVersions(asOf(input, then)),
    isRevised: xml.isRevised(),
  });
}

function tenantVersions(input: EntryCatalogInput): readonly CatalogVersion[] {
  const content = contentOf(input);
  const [firstDate] = content.dates;
  if (firstDate === undefined) return input.xml.versions;
  const xmlDates = input.xml.versions.map((version) => version.effectiveDate);
  return union(xmlDates, content.dates)
    .toSorted((one, other) => one - other)
    .map((date) => {
      const xml = xmlInForce(content, date);
      return xml !== null && date < firstDate ? xml : overlay(content, date, xml);
    });
}

/**
 * Returns the catalog of an account's own plans and their products, or null if the account has no plans of its own
 * (§15.6 rule 3).
 */
export function accountCatalog(input: EntryCatalogInput, ofTenant: Catalog): Catalog | null {
  const versions = accountVersions(input);
  if (versions.length === 0) return null;
  const { revision } = input;
  const past = { revision, versionsAt: (then: number) => accountVersions(asOf(input, then)) };
  return createCatalog(versions, past, { catalog: ofTenant, until: null });
}

function accountVersions(input: EntryCatalogInput): readonly CatalogVersion[] {
  const content = contentOf(input);
  return content.dates.map((date) => entryVersion(content, date));
}

/**
 * Returns the content at an earlier revision. Entries that have been deleted since then are missing, but no
 * subscription used them.
 */
function asOf({ xml, scope, tenantEntries }: EntryCatalogInput, revision: number): EntryCatalogInput {
  const rows = scope.rows.filter((row) => row.sinceRevision <= revision);
  return { xml: xml.asOf(revision), scope: { ...scope, rows }, tenantEntries, revision };
}

/** A plan entry with the plan for each row. A row that retires the plan has no plan. */
interface EntryPlan {
  readonly entry: CatalogEntry;
  readonly rows: readonly { readonly row: PlanRow; readonly part: Part<Plan> | null }[];
}

interface Content {
  readonly catalogName: string;
  readonly xml: readonly CatalogVersion[];
  readonly products: readonly CatalogEntry[];
  readonly productById: ReadonlyMap<CatalogEntry['id'], CatalogEntry>;
  readonly plans: readonly EntryPlan[];
  readonly dates: readonly Instant[];
}

function contentOf({ xml, scope, tenantEntries }: EntryCatalogInput): Content {
  const isProduct = ({ kind }: CatalogEntry): boolean => kind === EntryKind.PRODUCT;
  const known = [...tenantEntries, ...scope.entries].filter(isProduct);
  const productById = new Map(known.map((entry) => [entry.id, entry]));
  const rowsOf = Map.groupBy(scope.rows, (row) => row.planName);
  const plans = scope.entries
    .filter((entry) => isSold(entry, productById))
    .map((entry) => entryPlan(entry, rowsOf.get(entry.name) ?? []));
  const dates = union(plans.flatMap(({ rows }) => rows.map(({ row }) => row.effectiveDate)));
  const given = tenantEntries.find(({ kind }) => kind === EntryKind.CATALOG)?.name;
  return {
    catalogName: xml.name ?? given ?? DEFAULT_CATALOG_NAME,
    xml: xml.versions,
    products: scope.entries.filter(isProduct),
    productById,
    plans,
    dates: dates.toSorted((one, other) => one - other),
  };
}

/**
 * Returns true if the plan can be bought. A plan whose product entry has been deleted cannot be bought (§15.4 rule 9).
 */
function isSold(
  { plan, parentId }: CatalogEntry,
  products: ReadonlyMap<CatalogEntry['id'], unknown>,
): boolean {
  if (plan === null) return false;
  return parentId === null ? plan.xmlProduct !== null : products.has(parentId);
}

/**
 * Returns one part per row. All versions until the next row share the part (§15.5 rule 2). The first row never affects
 * existing subscriptions (§15.1 rule 4).
 */
function entryPlan({ name, plan: terms, ...entry }: CatalogEntry, rows: readonly PlanRow[]): EntryPlan {
  const partOfRow = (row: PlanRow, index: number): Part<Plan> | null => {
    if (terms === null || row.retired) return null;
    const forExisting = index === 0 ? null : row.effectiveDateForExistingSubscriptions;
    const content = { ...row, effectiveDateForExistingSubscriptions: forExisting };
    return new LazyPart({ name, forExisting }, () => createPlan(planContentOf(terms, content), null));
  };
  return {
    entry: { name, plan: terms, ...entry },
    rows: rows.map((row, index) => ({ row, part: partOfRow(row, index) })),
  };
}

interface InForce {
  readonly entry: CatalogEntry;
  readonly row: PlanRow;
  readonly part: Part<Plan>;
}

/** Returns the latest row of each plan up to `date`. Excludes plans that are retired on that date (§15.5 rule 1). */
function plansInForce({ plans }: Content, date: Instant): readonly InForce[] {
  return plans.flatMap(({ entry, rows }) => {
    const found = rows[latestBy(rows, date)];
    return found === undefined || found.part === null ? [] : { entry, row: found.row, part: found.part };
  });
}

/** Returns the index of the last row that is effective by `date`, or −1. The rows must be sorted by date. */
function latestBy(rows: EntryPlan['rows'], date: Instant): number {
  let low = -1;
  let high = rows.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((rows[middle]?.row.effectiveDate ?? 0) <= date) low = middle;
    else high = middle - 1;
  }
  return low;
}

function xmlInForce({ xml }: Content, date: Instant): CatalogVersion | null {
  return xml.findLast((version) => version.effectiveDate <= date) ?? null;
}

/** Returns a version with the entries in force and the rules of the XML version. */
function entryVersion(content: Content, date: Instant): CatalogVersion {
  const xml = xmlInForce(content, date);
  const inForce = plansInForce(content, date);
  const rules = xml?.rules ?? SIMPLE_RULES;
  const listsOfRules = rules.priceList.map((ruleCase) => ruleCase.result);
  const { products, entries } = withReferred(productsInForce(content, inForce, date), content, date);
  return version(date, {
    frame: {
      catalogName: content.catalogName,
      recurringBillingMode: xml?.recurringBillingMode ?? BillingMode.IN_ADVANCE,
      ...collectCurrenciesAndUnits(phasesOf(inForce)),
      ...(xml && xml.features.length > 0 ? { features: xml.features } : {}),
      rules,
      priceLists: mergedLists(null, collectListedPlans(inForce), listsOfRules),
    },
    products: availableProducts(products, entries),
    plans: inForce.map(({ part }) => part),
  });
}

/** Returns the XML version in force, combined with the entries in force (§15.6 rule 1). */
function overlay(content: Content, date: Instant, xml: CatalogVersion | null): CatalogVersion {
  if (xml === null) return entryVersion(content, date);
  const inForce = plansInForce(content, date);
  const { currencies, units } = collectCurrenciesAndUnits(phasesOf(inForce));
  const own = productsInForce(content, inForce, date);
  const added = own.products.filter((product) => xml.productNamed(product.name) === undefined);
  return version(date, {
    frame: {
      ...xml.frame.value,
      currencies: union(xml.currencies, currencies),
      units: mergedUnits(xml.units, units),
      priceLists: mergedLists(xml.priceLists, collectListedPlans(inForce)),
    },
    products: availableProducts([...xml.products, ...added], own.entries),
    plans: [...xml.planParts.parts, ...inForce.map(({ part }) => part)],
  });
}

interface ProductsInForce {
  readonly products: readonly Product[];
  readonly entries: readonly CatalogEntry[];
}

function productsInForce(content: Content, inForce: readonly InForce[], date: Instant): ProductsInForce {
  const ofPlans = inForce.flatMap(({ entry }) =>
    entry.parentId === null ? [] : (content.productById.get(entry.parentId) ?? []),
  );
  const entries = union(content.products, ofPlans);
  const products = new Map(entries.map((entry) => [entry.name, productOfEntry(entry)]));
  for (const { entry } of inForce) {
    if (entry.parentId !== null) continue;
    const product = productOfPlan(entry, content.xml, date);
    products.set(product.name, product);
  }
  return { products: [...products.values()], entries };
}

/** Adds the tenant's products to which these products refer as add-ons (§15.6 rule 3). */
function withReferred(
  { products, entries }: ProductsInForce,
  content: Content,
  date: Instant,
): ProductsInForce {
  const known = new Set(products.map(({ name }) => name));
  const names = union(namesReferredTo(entries)).filter((name) => !known.has(name));
  const entryOf = new Map([...content.productById.values()].map((entry) => [entry.name, entry]));
  const referred = names.flatMap((name) => entryOf.get(name) ?? []);
  const ofXml = names
    .filter((name) => !entryOf.has(name))
    .flatMap((name) => xmlProductNamed(name, content.xml, date) ?? []);
  return {
    products: [...products, ...referred.map(productOfEntry), ...ofXml],
    entries: [...entries, ...referred],
  };
}

function phasesOf(inForce: readonly InForce[]): readonly EntryPhase[] {
  return inForce.flatMap(({ row }) => row.phases);
}

function collectListedPlans(inForce: readonly InForce[]): readonly ListedPlan[] {
  return inForce.map(({ entry }) => ({
    planName: entry.name,
    listName: entry.plan?.pricelistName ?? DEFAULT_PRICE_LIST,
  }));
}

function version(
  effectiveDate: Instant,
  parts: {
    readonly frame: VersionFrame;
    readonly products: readonly Product[];
    readonly plans: readonly Part<Plan>[];
  },
): CatalogVersion {
  return new CatalogVersion({
    effectiveDate,
    frame: partOf(parts.frame.catalogName, parts.frame),
    products: new PartList(parts.products.map(productPart).sort(byName)),
    plans: new PartList(parts.plans.toSorted(byName)),
  });
}
