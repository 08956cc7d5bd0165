import { BillingAlignment } from '../catalog/index.ts';
import { dayOfMonth, type LocalDate } from '../time/index.ts';
import type { PlanInForce, Transition } from './transitions.ts';

/** What bill cycle days are taken from, for one subscription (subscriptions.md §15.1). */
export interface BillCycleDaySources {
  /** 1 to 31; 0 while the account has none. */
  readonly accountBillCycleDay: number;
  readonly firstCharge: LocalDate;
  /** First charge of the bundle's base subscription; of a BASE or STANDALONE its own. */
  readonly baseFirstCharge: LocalDate;
}

export interface BillCycleDay {
  readonly day: number;
  /** True if the alignment of the plan is ACCOUNT, whether the account has a day yet or not. */
  readonly isAccountAligned: boolean;
  /** True if the day is the subscription's own only because the account has none yet. */
  readonly isProvisional: boolean;
}

/** How the plan in force aligns its bill cycle (catalog.md §8), by the rules of the version that supplies it (§6.3). */
export function billingAlignmentOf(inForce: PlanInForce): BillingAlignment {
  const context = inForce.version.subscriptionContextOf(inForce.plan, inForce.phase.type);
  return inForce.version.billingAlignment({ ...context, priceList: inForce.priceListName });
}

/**
 * The bill cycle day while `inForce` is in force (subscriptions.md §15.1): the requested day of the latest BCD_CHANGE, else
 * by billing alignment. While the account has no day, ACCOUNT counts as SUBSCRIPTION (§15.2).
 */
export function billCycleDayOf(
  inForce: PlanInForce,
  requestedDay: Transition['billCycleDay'],
  sources: BillCycleDaySources,
): BillCycleDay {
  const alignment = billingAlignmentOf(inForce);
  const isAccountAligned = alignment === BillingAlignment.ACCOUNT;
  if (requestedDay !== null) return { day: requestedDay, isAccountAligned, isProvisional: false };
  switch (alignment) {
    case BillingAlignment.ACCOUNT:
      return sources.accountBillCycleDay > 0
        ? { day: sources.accountBillCycleDay, isAccountAligned, isProvisional: false }
        : { day: dayOfMonth(sources.firstCharge), isAccountAligned, isProvisional: true };
    case BillingAlignment.BUNDLE:
      return { day: dayOfMonth(sources.baseFirstCharge), isAccountAligned, isProvisional: false };
    case BillingAlignment.SUBSCRIPTION:
      return { day: dayOfMonth(sources.firstCharge), isAccountAligned, isProvisional: false };
    default:
      return neverAlignment(alignment);
  }
}

function neverAlignment(alignment: never): never {
  throw new Error(`Unknown billing alignment ${String(alignment)}`);
}
