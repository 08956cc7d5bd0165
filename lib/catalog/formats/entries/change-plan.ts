import type { NewPlanRow } from '../../../ports/storage/index.ts';
import type { CatalogEntry, EntryPhase, PlanRow } from '../../../records/index.ts';
import { BillingError, ErrorCode } from '../../../values/errors/index.ts';
import { stringifyExactJson } from '../../../values/money/index.ts';
import { formatInstant, type Instant, truncateToSecond } from '../../../values/time/index.ts';
import { checkedPhases } from './check-phases.ts';
import { dateForExisting } from './check-plans.ts';
import type { PhaseInput } from './entry-input.ts';
import { EntryProblems, titleOf } from './entry-problems.ts';
import { validateEntries } from './validate-entries.ts';

/** A row before it has an id. */
export type NextRow = Omit<NewPlanRow, 'id'>;

export interface PlanUpdate {
  /** All phases of the plan with all their prices. */
  readonly phases?: readonly PhaseInput[] | null;
  /** The date from which the prices hold; default now. */
  readonly effectiveDate?: Instant | null;
  /** The date from which they hold for running subscriptions; only together with `effectiveDate`. */
  readonly effectiveDateForExistingSubscriptions?: Instant | null;
}

/**
 * The row that new prices make (§15.2, updatePlan). `rows` are those of the plan, the latest one last.
 * @throws BillingError CATALOG_ENTRY_INVALID_ENTRY (61004) for a retired plan, another shape, or dates out of order.
 */
export function updatedRow(
  { entry, rows }: { readonly entry: CatalogEntry; readonly rows: readonly PlanRow[] },
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
      `${owner}: the effective date ${formatInstant(effectiveDate)} is not after that of the latest row, ${formatInstant(latest.effectiveDate)}`,
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
    for (const message of validateEntries([{ terms: entry.plan, row }])) problems.add(message);
  }
  problems.throwIfAny();
  return withoutIds(row);
}

/**
 * The rows that retire a plan from now on; none if it is already retired. A row that would take effect later gets a
 * retirement of its own date, so that it does not bring the plan back.
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

/** The row with the latest effective date; among equal dates the one created last. `rows` are in that order. */
export function latestOf(rows: readonly PlanRow[]): PlanRow {
  const latest = rows.at(-1);
  if (latest === undefined) throw new Error('a plan of the entry catalog has at least one row');
  return latest;
}

export function planNotFound(planName: string): BillingError {
  return new BillingError({
    code: ErrorCode.CATALOG_ENTRY_PLAN_NOT_FOUND,
    message: `${titleOf('Plan', planName)} is not among the catalog entries of this scope`,
    facts: { planName },
  });
}

function nextOrder(rows: readonly PlanRow[]): number {
  return Math.max(0, ...rows.map((row) => row.createdOrder)) + 1;
}

function withoutIds({ id: _id, recordId: _recordId, sinceRevision: _revision, ...row }: PlanRow): NextRow {
  return row;
}

/** Types, durations, periods and the structure of usages stay; prices and the names for people may change. */
function checkSameShape(
  before: readonly EntryPhase[],
  after: readonly EntryPhase[],
  { owner, problems }: { readonly owner: string; readonly problems: EntryProblems },
): void {
  if (stringifyExactJson(before.map(shapeOf)) === stringifyExactJson(after.map(shapeOf))) return;
  problems.add(
    `${owner}: only prices may change; types, durations, periods and the structure of usages are those of the plan`,
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
