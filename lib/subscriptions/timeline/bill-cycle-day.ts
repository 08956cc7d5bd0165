import { billingAlignment } from '../../catalog/index.ts';
import { BillingAlignment, type RuleDecision } from '../../records/index.ts';
import { dayOfMonth, type LocalDate } from '../../values/time/index.ts';
import type { PlanInForce, Transition } from './transitions.ts';

/** What bill cycle days are derived from, for one subscription (§15.1). */
export interface BillCycleDaySources {
  /** 1 to 31; 0 while the account has none. */
  readonly accountBillCycleDay: number;
  readonly firstCharge: LocalDate;
  /** First charge of the bundle's base subscription; for a BASE or STANDALONE subscription its own. */
  readonly baseFirstCharge: LocalDate;
}

export interface BillCycleDay {
  readonly day: number;
  /** True if the alignment of the plan is ACCOUNT, whether the account has a day yet or not. */
  readonly isAccountAligned: boolean;
  /** How the plan aligns its bill cycle, whether or not a day was requested. */
  readonly alignment: RuleDecision<BillingAlignment>;
  readonly isRequested: boolean;
  /** True if the day is the subscription's own only because the account has none yet. */
  readonly isProvisional: boolean;
}

/** How the plan in force aligns its bill cycle (catalog §8), by the rules of the version that supplies it (catalog §6.3). */
export function billingAlignmentOf(inForce: PlanInForce): RuleDecision<BillingAlignment> {
  const context = inForce.version.subscriptionContextOf(inForce.plan, inForce.phase.type);
  return billingAlignment(inForce.version.rules, { ...context, priceList: inForce.priceListName });
}

/**
 * The bill cycle day while `inForce` is in force (§15.1): the day that the latest BCD_CHANGE requests, else by billing
 * alignment. While the account has no day, ACCOUNT counts as SUBSCRIPTION (§15.2).
 */
export function billCycleDayOf(
  inForce: PlanInForce,
  requestedDay: Transition['billCycleDay'],
  sources: BillCycleDaySources,
): BillCycleDay {
  const alignment = billingAlignmentOf(inForce);
  const isAccountAligned = alignment.result === BillingAlignment.ACCOUNT;
  const isRequested = requestedDay !== null;
  const known = { isAccountAligned, alignment, isRequested, isProvisional: false };
  if (isRequested) return { ...known, day: requestedDay };
  switch (alignment.result) {
    case BillingAlignment.ACCOUNT:
      return sources.accountBillCycleDay > 0
        ? { ...known, day: sources.accountBillCycleDay }
        : { ...known, day: dayOfMonth(sources.firstCharge), isProvisional: true };
    case BillingAlignment.BUNDLE:
      return { ...known, day: dayOfMonth(sources.baseFirstCharge) };
    case BillingAlignment.SUBSCRIPTION:
      return { ...known, day: dayOfMonth(sources.firstCharge) };
    default:
      return neverAlignment(alignment.result);
  }
}

function neverAlignment(alignment: never): never {
  throw new Error(`Unknown billing alignment ${String(alignment)}`);
}
