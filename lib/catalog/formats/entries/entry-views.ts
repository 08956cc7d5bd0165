import {
  type CatalogEntry,
  EntryKind,
  type PlanEntryView,
  type PlanRow,
  type ProductEntryView,
} from '../../../records/index.ts';
import { byName } from '../../model/by-name.ts';
import type { Product } from '../../model/catalog-model.ts';
import { latestOf } from './change-plan.ts';

/** Entries and the rows of the plans among them, by plan, effective date and creation. */
export interface EntriesAndRows {
  readonly entries: readonly CatalogEntry[];
  readonly rows: readonly PlanRow[];
}

/** Every row of the plans, by name, then date (§15.2). */
export function planViews({ entries, rows }: EntriesAndRows): readonly PlanEntryView[] {
  const plans = new Map(
    entries.flatMap((entry) => (entry.kind === EntryKind.PLAN ? [[entry.name, entry] as const] : [])),
  );
  return rows
    .flatMap((row) => {
      const entry = plans.get(row.planName);
      return entry === undefined ? [] : planView(entry, row);
    })
    .sort((one, other) => byName(one, other) || one.effectiveDate - other.effectiveDate);
}

export function planView(
  entry: CatalogEntry,
  row: Omit<PlanRow, 'id' | 'recordId' | 'sinceRevision'>,
): PlanEntryView {
  if (entry.plan === null) throw new Error(`catalog entry ${entry.name} is no plan`);
  const { prettyName, recurringBillingMode, productName, pricelistName } = entry.plan;
  return {
    name: entry.name,
    prettyName,
    recurringBillingMode,
    productName,
    pricelistName,
    effectiveDate: row.effectiveDate,
    effectiveDateForExistingSubscriptions: row.effectiveDateForExistingSubscriptions,
    retired: row.retired,
    phases: row.phases,
  };
}

/** The products among the entries by name; `plansOf` are their plans, in whatever scope. */
export function productViews(
  products: readonly CatalogEntry[],
  plansOf: EntriesAndRows,
): readonly ProductEntryView[] {
  const latest = new Map(
    [...Map.groupBy(plansOf.rows, (row) => row.planName)].map(([name, rows]) => [name, latestOf(rows)]),
  );
  const plansOfProduct = Map.groupBy(
    plansOf.entries.filter((entry) => entry.kind === EntryKind.PLAN),
    (entry) => entry.parentId,
  );
  return products
    .flatMap((entry) => {
      if (entry.product === null) return [];
      const rows = (plansOfProduct.get(entry.id) ?? []).flatMap((plan) => latest.get(plan.name) ?? []);
      return { ...entry.product, name: entry.name, retiredDate: retiredDateOf(rows) };
    })
    .sort(byName);
}

/** A product of the XML catalog, which a creation has found there. */
export function xmlProductView({ name, prettyName, category }: Product): ProductEntryView {
  return { name, prettyName, category, availableForBps: [], availableAddons: [], retiredDate: null };
}

/** When its last sold plan was retired; null while a plan is sold (§15.4 rule 8). */
function retiredDateOf(latestRows: readonly PlanRow[]): PlanRow['effectiveDate'] | null {
  if (latestRows.length === 0 || latestRows.some((row) => !row.retired)) return null;
  return latestRows.map((row) => row.effectiveDate).reduce((last, date) => (date > last ? date : last));
}
