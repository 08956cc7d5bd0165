import type { LocalDate } from '../../values/time/index.ts';
import { type EnterableState, enterableStates, type OverdueConfig } from '../config/overdue-config.ts';
import type { BillingSnapshot } from './billing-snapshot.ts';
import { criteriaOf, criterionHolds } from './criteria.ts';

/**
 * The most severe state whose condition holds for what the account owes today, null for clear (§4). States in between are
 * not entered, and those that are called clear never are (§2.1).
 */
export function evaluateOverdue(
  config: OverdueConfig,
  snapshot: BillingSnapshot,
  today: LocalDate,
): EnterableState | null {
  return enterableStates(config).find((state) => holds(state, snapshot, today)) ?? null;
}

/** All criteria of its condition hold, and there is one (§1.1 rule 1). */
export function holds(
  { condition }: Pick<EnterableState, 'condition'>,
  snapshot: BillingSnapshot,
  today: LocalDate,
): boolean {
  const criteria = criteriaOf(condition);
  return criteria.length > 0 && criteria.every((criterion) => criterionHolds(criterion, snapshot, today));
}
