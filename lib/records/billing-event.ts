import { enumeration } from '../values/fields/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import type { Decimal } from '../values/money/index.ts';
import type { BillingPeriod, Duration, Instant, LocalDate } from '../values/time/index.ts';
import type { BillingAlignment, BillingMode } from './catalog/catalog-enumerations.ts';
import type { Discount } from './discount.ts';
import type { UsageSection } from './usage/usage-section.ts';

export const BillingTransitionType = enumeration(
  'CREATE',
  'TRANSFER',
  'CHANGE',
  'PHASE',
  'CANCEL',
  'EXPIRED',
  'BCD_CHANGE',
  'QUANTITY_CHANGE',
  'START_BILLING_DISABLED',
  'END_BILLING_DISABLED',
);
export type BillingTransitionType = keyof typeof BillingTransitionType;

/** An event in the stream that invoicing receives from subscriptions (invoicing §4, subscriptions §19). */
export interface BillingEvent {
  readonly subscriptionId: Uuid;
  readonly bundleId: Uuid;
  readonly effectiveDate: Instant;
  /** The stored local date. Billing uses it instead of `effectiveDate`. */
  readonly localDate: LocalDate;
  /**
   * Start of the bill cycle. This is `localDate` or, if this event splits the period of an earlier event, the local
   * date of that event (invoicing §5.2 rule 5).
   */
  readonly cycleStart: LocalDate;
  /**
   * Order of events that have the same instant, across subscriptions. It is the order of storage, with new events last.
   */
  readonly totalOrdering: number;
  readonly transitionType: BillingTransitionType;
  readonly productName: string | null;
  readonly planName: string | null;
  /** Name of the plan whose prices are overridden. The field is absent if there are no overrides (catalog §10). */
  readonly parentPlanName?: string;
  readonly phaseName: string | null;
  readonly phasePrettyName: string | null;
  readonly phaseDuration: Duration | null;
  readonly isEvergreen: boolean;
  readonly catalogEffectiveDate: Instant | null;
  /** Fixed price, or null if the event has no fixed price. A price of 0 is different from null. */
  readonly fixedPrice: Decimal | null;
  readonly recurringPrice: Decimal | null;
  readonly billingPeriod: BillingPeriod;
  readonly billingMode: BillingMode;
  /**
   * Bill cycle day from 1 to 31. The alignment or the last BCD_CHANGE determines it. If the account has no bill cycle
   * day, the subscription determines it (invoicing §4 rule 4).
   */
  readonly billCycleDayLocal: number;
  readonly isAccountAligned: boolean;
  /**
   * The alignment of the bill cycle, with the catalog case that matched. The value is null if no plan has ever been
   * in force.
   */
  readonly billingAlignment: RuleDecision<BillingAlignment> | null;
  /** True if the day comes from a BCD_CHANGE. */
  readonly isRequestedDay: boolean;
  readonly quantity: number;
  /**
   * Usage sections of the phase in force that are billed IN_ARREAR. The list is empty for CANCEL, EXPIRED and
   * START_BILLING_DISABLED (usage §6).
   */
  readonly usages: readonly UsageSection[];
  /**
   * Coupons that reduce the prices of this event, in the order of redemption. The field is absent if there are no
   * coupons.
   */
  readonly discounts?: readonly Discount[];
}

/** The conditions of a catalog case by property. A case without conditions always applies. */
export type RuleConditions = Readonly<Record<string, string>>;

/** The result of a catalog rule, with the case that determined it. */
export interface RuleDecision<Result extends string> {
  readonly result: Result;
  /** The conditions of the case that determined the result. Null means that no case matched and the default applies. */
  readonly conditions: RuleConditions | null;
}
