import { billingAlignment, isFreeFinitePhase } from '../../catalog/index.ts';
import {
  type Account,
  BillingAlignment,
  ProductCategory,
  type RuleDecision,
  type Subscription,
} from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { dayOfMonth, type LocalDate, maxDate, type TimeZone } from '../../values/time/index.ts';
import { currentPhase, phaseTimeline } from './phase-timeline.ts';
import type { PlanInForce, Transition } from './transitions.ts';

export interface BillCycleDaySources {
  /** Bill cycle day of the account, from 1 to 31, or 0 if the account has none yet. */
  readonly accountBillCycleDay: number;
  readonly firstCharge: LocalDate;
  /**
   * Date of the first charge of the bundle's base. If the bundle has no base, this is the date of the subscription's
   * own first charge.
   */
  readonly baseFirstCharge: LocalDate;
}

export interface BillCycleDay {
  readonly day: number;
  /** True if the plan's alignment is ACCOUNT, whether or not the account has a bill cycle day. */
  readonly isAccountAligned: boolean;
  readonly alignment: RuleDecision<BillingAlignment>;
  readonly isRequested: boolean;
  /** True if the account has no bill cycle day yet. */
  readonly isProvisional: boolean;
}

/**
 * Returns the bill cycle day of a subscription. This is the day of the latest BCD_CHANGE or, without one, the day that
 * results from the billing alignment (§15.1). The rules come from the catalog version that supplies the plan (catalog
 * §6.3, §8). If the account has no bill cycle day, ACCOUNT is treated as SUBSCRIPTION (§15.2).
 */
export function billCycleDayOf(
  inForce: PlanInForce,
  requestedDay: Transition['billCycleDay'],
  sources: BillCycleDaySources,
): BillCycleDay {
  const { version, plan, phase, priceListName: priceList } = inForce;
  const context = version.subscriptionContextOf(plan, phase.type);
  const alignment = billingAlignment(version.rules, { ...context, priceList });
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
      throw new Error(`Unknown billing alignment ${String(alignment.result satisfies never)}`);
  }
}

/**
 * Returns the data that determines the subscriptions' bill cycle days (§15.1). Omits subscriptions without transitions.
 * The input must contain the base of each add-on.
 */
export function billCycleDaySources(
  timelines: readonly {
    readonly subscription: Pick<Subscription, 'id' | 'bundleId' | 'category'>;
    readonly transitions: readonly Transition[];
  }[],
  account: Pick<Account, 'billCycleDayLocal' | 'timeZone'>,
): ReadonlyMap<Uuid, BillCycleDaySources> {
  const started = timelines
    .filter(({ transitions }) => transitions.length > 0)
    .map(({ subscription, transitions }) => ({
      ...subscription,
      firstCharge: firstChargeDate(transitions, account.timeZone),
    }));
  const bases = started.filter(({ category }) => category === ProductCategory.BASE);
  const ofBase = new Map(bases.map(({ bundleId, firstCharge }) => [bundleId, firstCharge]));
  return new Map(
    started.map(({ id, bundleId, category, firstCharge }) => {
      const ofBundle = category === ProductCategory.ADD_ON ? ofBase.get(bundleId) : undefined;
      const baseFirstCharge = ofBundle ?? firstCharge;
      return [id, { accountBillCycleDay: account.billCycleDayLocal, firstCharge, baseFirstCharge }];
    }),
  );
}

/**
 * Returns the local date of the first charge (§15.1). It is the start of billing or, if later, the start of the first
 * phase that has no end or a price above zero. Without recurring charges, returns the start of billing.
 */
export function firstChargeDate(transitions: readonly Transition[], zone: TimeZone): LocalDate {
  const first = transitions[0];
  assertInvariant(
    first?.next && first.event.phaseAnchor,
    'The first event of a subscription has no phase anchor',
    {
      eventId: first?.event.id,
    },
  );
  const timeline = phaseTimeline({
    plan: first.next.plan,
    anchor: first.event.phaseAnchor,
    firstPhaseType: first.event.phaseAnchorType,
    zone,
  });
  const start = first.event.effective;
  const current = currentPhase(timeline, start.at);
  const remaining = current === undefined ? timeline : timeline.slice(timeline.indexOf(current));
  const charging = remaining.find((entry) => !isFreeFinitePhase(entry.phase));
  return charging === undefined ? start.date : maxDate(charging.start.date, start.date);
}
