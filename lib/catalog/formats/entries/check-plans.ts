import type { PlanRow, PlanTerms } from '../../../records/index.ts';
import { BillingMode } from '../../../records/index.ts';
import { formatInstant, type Instant, truncateToSecond } from '../../../values/time/index.ts';
import { checkedPhases } from './check-phases.ts';
import type { PlanEntryInput } from './entry-input.ts';
import { type EntryProblems, titleOf } from './entry-problems.ts';

export type CheckedRow = Pick<
  PlanRow,
  'planName' | 'effectiveDate' | 'effectiveDateForExistingSubscriptions' | 'phases'
>;

export interface CheckedPlan {
  readonly terms: PlanTerms;
  /** Undefined if no phase is described. */
  readonly row: CheckedRow | undefined;
}

/** Checks a new plan: what is required must be there (§15.3 rules 1 to 3, §15.1 rule 4). What is wrong goes to `problems`. */
export function checkedPlan(
  plan: PlanEntryInput & { readonly name: string },
  problems: EntryProblems,
): CheckedPlan | undefined {
  const owner = titleOf('Plan', plan.name);
  const mode = problems.need(owner, 'recurringBillingMode', plan.recurringBillingMode);
  if (mode === BillingMode.IN_ARREAR) {
    problems.add(`${owner}: recurringBillingMode IN_ARREAR is not supported; only IN_ADVANCE is`);
  }
  const productName = problems.needName(owner, 'productName', plan.productName);
  const pricelistName = problems.needName(owner, 'pricelistName', plan.pricelistName);
  const date = problems.need(owner, 'effectiveDate', plan.effectiveDate);
  const phases = checkedPhases(plan.phases, owner, problems);
  const prettyName = problems.textOf(owner, 'prettyName', plan.prettyName);
  if (mode === undefined || productName === undefined || pricelistName === undefined || date === undefined) {
    return undefined;
  }
  const effectiveDate = truncateToSecond(date);
  const forExisting = dateForExisting(plan.effectiveDateForExistingSubscriptions, effectiveDate, {
    owner,
    problems,
  });
  const terms = { prettyName, recurringBillingMode: mode, productName, pricelistName, xmlProduct: null };
  if (phases.length === 0) return { terms, row: undefined };
  return {
    terms,
    row: {
      planName: plan.name,
      effectiveDate,
      effectiveDateForExistingSubscriptions: forExisting,
      phases,
    },
  };
}

/** Never before the date of its row (§15.1 rule 4, V6). */
export function dateForExisting(
  date: Instant | null | undefined,
  effectiveDate: Instant,
  { owner, problems }: { readonly owner: string; readonly problems: EntryProblems },
): Instant | null {
  if (date === null || date === undefined) return null;
  const forExisting = truncateToSecond(date);
  if (forExisting < effectiveDate) {
    problems.add(
      `${owner}: effectiveDateForExistingSubscriptions ${formatInstant(forExisting)} is before the effective date, ${formatInstant(effectiveDate)}`,
    );
  }
  return forExisting;
}
