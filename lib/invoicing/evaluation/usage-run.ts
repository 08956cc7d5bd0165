import type { BillingEvent, SuppliedDigest, UsageReading } from '../../records/index.ts';
import type {
  ConsumingInterval,
  FreedPoints,
  SuppliedUsage,
  UsageConfig,
  UsagePiece,
  UsageTerms,
} from '../../usage/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Currency, Decimal } from '../../values/money/index.ts';
import type { Instant, LocalDate, TimeZone } from '../../values/time/index.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';

/** What is read of the usage of one subscription. */
export interface SubscriptionUsage {
  readonly zone: TimeZone;
  /** On invoices that are not VOID, in the order in which they were billed; from `usageWindow` on is enough. */
  readonly billed: readonly ConsumingInterval[];
  /** On VOID invoices, from there on, where late usage is not billed; default none. */
  readonly freed?: readonly FreedPoints[];
  /** Where the reading began; null = all that is billed is known. Default null. */
  readonly from?: LocalDate | null;
  /** Those of `piecesNeeded`. */
  readonly pieces: readonly UsagePiece[];
  /** What the days are marked with that were read; null = the next run looks at the usage whatever happens. Default null. */
  readonly marks?: DayMarks | null;
  /** What a usage source has told, which counts in place of the pieces; null = none has. Default null. */
  readonly supplied?: SuppliedUsage | null;
  /** What is agreed beyond the prices (usage §12). Default nothing. */
  readonly terms?: UsageTerms;
}

/** By day, a number that grows when points of it are recorded or voided. */
export type DayMarks = ReadonlyMap<LocalDate, number>;

export interface UsageRunInput {
  readonly subscriptionId: Uuid;
  /** All of the subscription, in order. */
  readonly events: readonly BillingEvent[];
  readonly usage: SubscriptionUsage;
  readonly targetDate: LocalDate;
  readonly currency: Currency;
  readonly config: UsageConfig;
}

/** What a run has rated, as it is stored. */
export interface RatedInterval extends ConsumingInterval {
  readonly supplied: SuppliedDigest | null;
  readonly instants: NonNullable<ConsumingInterval['instants']>;
  readonly versionDate: Instant;
  readonly priceIdentity: string;
  /**
   * True where some of it is billed already: it is stored with an invoice only, so that points that change no amount stay
   * late until there is one (usage §7.7 rule 1).
   */
  readonly isBilledAgain: boolean;
}

/** What a run has to write for the usage of one subscription. */
export interface UsageEvaluation {
  /** USAGE items and the REPAIR_ADJ of what was billed too much, in output order. */
  readonly items: readonly NewInvoiceItem[];
  readonly intervals: readonly RatedInterval[];
  /** New `repairable` of USAGE items that earlier runs have made. */
  readonly repairable: readonly { readonly id: Uuid; readonly repairable: Decimal }[];
  /** Latest end of its USAGE items, zero items that are dropped included; null = there are none. */
  readonly chargedThrough: LocalDate | null;
  /** The next date, after the target date, on which there is usage to bill. */
  readonly nextDate: LocalDate | null;
  /** The same, but null where only periods without usage are to come, whose items of 0 the tenant drops. */
  readonly foreseenDate: LocalDate | null;
  /** What the next run reads; null = nothing, since the subscription charges no usage any more. */
  readonly reading: UsageReading | null;
}

/** The intervals that are stored. */
export function storedIntervals(
  intervals: readonly RatedInterval[],
  hasInvoice: boolean,
): readonly RatedInterval[] {
  return hasInvoice ? intervals : intervals.filter(({ isBilledAgain }) => !isBilledAgain);
}
