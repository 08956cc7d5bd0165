import type { NewPlanRow } from '../../../ports/storage/index.ts';
import {
  type CatalogEntry,
  EntryKind,
  type EntryPhase,
  type PlanEntryView,
  type PlanRow,
  type ProductEntryView,
} from '../../../records/index.ts';
import { type BillingError, billingError, ErrorCode } from '../../../values/errors/index.ts';
import { stringifyExactJson } from '../../../values/money/index.ts';
import { formatInstant, type Instant, truncateToSecond } from '../../../values/time/index.ts';
import type { Product } from '../../model/catalog-model.ts';
import { byName } from '../../model/part.ts';
import { checkedPhases, dateForExisting, type Place } from './check-entries.ts';
import { EntryProblems, type PhaseInput, titleOf } from './entry-input.ts';
import { type DeclaredFeatures, validateEntries } from './entry-parts.ts';

type NextRow = Omit<NewPlanRow, 'id'>;

export interface PlanUpdate {
  readonly phases?: readonly PhaseInput[] | null;
  /** Start of the prices. Defaults to now. */
  readonly effectiveDate?: Instant | null;
  /** Date from which the prices apply to running subscriptions. Allowed only together with `effectiveDate`. */
  readonly effectiveDateForExistingSubscriptions?: Instant | null;
}

/**
 * Returns the row with the new prices (§15.2, updatePlan). `rows` contains the plan's rows, the latest last.
 * `declared` contains the features of the tenant's XML version in force.
 * @throws BillingError CATALOG_ENTRY_INVALID_ENTRY (61004) for a retired plan, phases of a different shape, or dates
 * out of order.
 */
export function updatedRow(
  {
    entry,
    rows,
    declared,
  }: {
    readonly entry: CatalogEntry;
    readonly rows: readonly PlanRow[];
    readonly declared: DeclaredFeatures;
  },
  update: PlanUpdate,
  now: Instant,
): NextRow {
  const latest = latestOf(rows);
  const owner = titleOf('Plan', entry.name);
  const problems = new EntryProblems();
  const effectiveDate = truncateToSecond(update.effectiveDate ?? now);
  if (latest.retired) {
    problems.add(`${owner} is retired and cannot be changed`);
  } else if (effectiveDate <= latest.effectiveDate) {
    problems.add(
      `${owner}: the effective date ${formatInstant(effectiveDate)} must be after that of the latest row, ${formatInstant(latest.effectiveDate)}`,
    );
  }
  const given = update.effectiveDateForExistingSubscriptions;
  if (given && !update.effectiveDate) {
    problems.add(`${owner}: effectiveDateForExistingSubscriptions needs effDate to be set`);
  }
  const forExisting = dateForExisting(given, effectiveDate, { owner, problems });
  const phases = checkedPhases(update.phases, owner, problems);
  problems.throwIfAny();
  checkSameShape(latest.phases, phases, { owner, problems });
  const row = {
    ...latest,
    createdOrder: nextOrder(rows),
    effectiveDate,
    effectiveDateForExistingSubscriptions: forExisting,
    retired: false,
    phases,
    createdDate: now,
  };
  if (entry.plan !== null) {
    for (const message of validateEntries([{ terms: entry.plan, row }], declared)) problems.add(message);
  }
  problems.throwIfAny();
  return withoutIds(row);
}

/**
 * Returns the rows that retire a plan now. Each later row is retired too, on its own date. Returns no rows if the plan
 * is already retired.
 */
export function retirementRows(rows: readonly PlanRow[], now: Instant): readonly NextRow[] {
  const latest = latestOf(rows);
  if (latest.retired) return [];
  const later = rows.filter((row) => row.effectiveDate > now).map((row) => row.effectiveDate);
  const isSoldNow = rows.some((row) => row.effectiveDate <= now);
  const dates = new Set([...(isSoldNow ? [now] : []), ...later]);
  return [...dates].map((effectiveDate, index) =>
    withoutIds({
      ...(rows.findLast((row) => row.effectiveDate <= effectiveDate) ?? latest),
      createdOrder: nextOrder(rows) + index,
      effectiveDate,
      effectiveDateForExistingSubscriptions: null,
      retired: true,
      createdDate: now,
    }),
  );
}

/** Returns the last row by effective date, then by creation. `rows` must be sorted in this order. */
export function latestOf(rows: readonly PlanRow[]): PlanRow {
  const latest = rows.at(-1);
  if (latest === undefined) throw new Error('a plan of the entry catalog has no row');
  return latest;
}

export function planNotFound(planName: string): BillingError {
  return billingError(
    ErrorCode.CATALOG_ENTRY_PLAN_NOT_FOUND,
    `${titleOf('Plan', planName)} is not a catalog entry of this scope`,
    { planName },
  );
}

function nextOrder(rows: readonly PlanRow[]): number {
  return Math.max(0, ...rows.map((row) => row.createdOrder)) + 1;
}

function withoutIds({ id: _id, recordId: _recordId, sinceRevision: _revision, ...row }: PlanRow): NextRow {
  return row;
}

/** Checks that a change affects only prices and display names. */
function checkSameShape(
  before: readonly EntryPhase[],
  after: readonly EntryPhase[],
  { owner, problems }: Place,
): void {
  if (stringifyExactJson(before.map(shapeOf)) === stringifyExactJson(after.map(shapeOf))) return;
  problems.add(
    `${owner}: only prices may change; types, durations, periods and the structure of usages must match the plan`,
  );
}

function shapeOf({ type, duration, recurringPrices, usages }: EntryPhase): unknown {
  return [
    type,
    duration.unit,
    duration.number,
    recurringPrices?.billingPeriod ?? null,
    usages.map(({ usageName, usageType, billingPeriod, tierBlockPolicy, tiers }) => [
      usageName,
      usageType,
      billingPeriod,
      tierBlockPolicy,
      tiers.map(({ tierNumber, blocks }) => [
        tierNumber,
        blocks.map(({ billingMeterCode, size, max }) => [billingMeterCode, size, max]),
      ]),
    ]),
  ];
}

/** Catalog entries, and the rows of their plans sorted by plan, effective date and creation. */
export interface EntriesAndRows {
  readonly entries: readonly CatalogEntry[];
  readonly rows: readonly PlanRow[];
}

/** Returns all rows, sorted by plan name, then by date (§15.2). */
export function planViews({ entries, rows }: EntriesAndRows): readonly PlanEntryView[] {
  const planEntries = entries.filter((entry) => entry.kind === EntryKind.PLAN);
  const plans = new Map(planEntries.map((entry) => [entry.name, entry]));
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
  if (entry.plan === null) throw new Error(`catalog entry ${entry.name} is not a plan`);
  const { xmlProduct: _xmlProduct, ...terms } = entry.plan;
  const { effectiveDate, effectiveDateForExistingSubscriptions, retired, phases } = row;
  return {
    name: entry.name,
    ...terms,
    effectiveDate,
    effectiveDateForExistingSubscriptions,
    retired,
    phases,
  };
}

/** Returns the products with their plans. `plansOf` may contain plans of any scope. */
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

export function xmlProductView({ name, prettyName, category }: Product): ProductEntryView {
  return { name, prettyName, category, availableForBps: [], availableAddons: [], retiredDate: null };
}

function retiredDateOf(latestRows: readonly PlanRow[]): PlanRow['effectiveDate'] | null {
  if (latestRows.length === 0 || latestRows.some((row) => !row.retired)) return null;
  return latestRows.map((row) => row.effectiveDate).reduce((last, date) => (date > last ? date : last));
}
