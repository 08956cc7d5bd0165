import type { Uuid } from '../values/ids/index.ts';
import type { Decimal } from '../values/money/index.ts';
import type { BillingPeriod, Duration, Instant, LocalDate } from '../values/time/index.ts';
import type { BillingAlignment, BillingMode } from './catalog/catalog-enumerations.ts';
import type { UsageSection } from './usage/usage-section.ts';

export const BillingTransitionType = {
  CREATE: 'CREATE',
  TRANSFER: 'TRANSFER',
  CHANGE: 'CHANGE',
  PHASE: 'PHASE',
  CANCEL: 'CANCEL',
  EXPIRED: 'EXPIRED',
  BCD_CHANGE: 'BCD_CHANGE',
  QUANTITY_CHANGE: 'QUANTITY_CHANGE',
  START_BILLING_DISABLED: 'START_BILLING_DISABLED',
  END_BILLING_DISABLED: 'END_BILLING_DISABLED',
} as const;
export type BillingTransitionType = (typeof BillingTransitionType)[keyof typeof BillingTransitionType];

/** Row of the stream that subscriptions hand to invoicing (invoicing §4, subscriptions §19). */
export interface BillingEvent {
  readonly subscriptionId: Uuid;
  readonly bundleId: Uuid;
  readonly effectiveDate: Instant;
  /** The stored local date; every billing computation reads it and not `effectiveDate`. */
  readonly localDate: LocalDate;
  /**
   * Date from which the bill cycle counts: `localDate`, or that of an earlier event if this one only splits the running
   * period (invoicing §5.2 rule 5).
   */
  readonly cycleStart: LocalDate;
  /** Tie-breaker at one instant across subscriptions: rises in the order of storing, events not stored yet come last. */
  readonly totalOrdering: number;
  readonly transitionType: BillingTransitionType;
  readonly productName: string | null;
  readonly planName: string | null;
  readonly phaseName: string | null;
  readonly phasePrettyName: string | null;
  readonly phaseDuration: Duration | null;
  readonly isEvergreen: boolean;
  readonly catalogEffectiveDate: Instant | null;
  /** null = no price of that kind; 0 is a price. */
  readonly fixedPrice: Decimal | null;
  readonly recurringPrice: Decimal | null;
  readonly billingPeriod: BillingPeriod;
  readonly billingMode: BillingMode;
  /**
   * 1–31, already resolved from alignment or the last BCD_CHANGE; while the account has no day, as if aligned by
   * SUBSCRIPTION (invoicing §4 rule 4).
   */
  readonly billCycleDayLocal: number;
  readonly isAccountAligned: boolean;
  /** How the plan aligns its bill cycle, and which case of the catalog says so; null where no plan has been in force. */
  readonly billingAlignment: RuleDecision<BillingAlignment> | null;
  /** True if the day is that of a BCD_CHANGE, whatever the alignment. */
  readonly isRequestedDay: boolean;
  readonly quantity: number;
  /** Usage sections billed IN_ARREAR of the phase in force; empty on CANCEL, EXPIRED and START_BILLING_DISABLED (usage §6). */
  readonly usages: readonly UsageSection[];
}

/** What a case asks for, by the name of the property that it reads; empty = it always holds. */
export type RuleConditions = Readonly<Record<string, string>>;

/** What a rule decides, and the case that decided. */
export interface RuleDecision<Result extends string> {
  readonly result: Result;
  /** What the case asks for, all of which holds; null = no case holds, so that the default counts. */
  readonly conditions: RuleConditions | null;
}
