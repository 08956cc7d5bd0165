import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { Instant, LocalDate } from '../../values/time/index.ts';

/** What one invoice that is not VOID has of an interval of a usage section. */
export interface BilledInterval {
  /** null for items that were made without them: these are matched by their dates. */
  readonly instants: { readonly start: Instant; readonly end: Instant } | null;
  readonly startDate: LocalDate;
  readonly endDate: LocalDate;
  /** null = after its end. Default null. */
  readonly billedAt?: Instant | null;
  /** Oldest first; none where zero items are dropped (§7.5 rule 4). */
  readonly entries: readonly BilledEntry[];
}

/** A billed interval of any section of a subscription. */
export interface BilledOfSection extends BilledInterval {
  readonly usageName: string;
  /** With the price identity, what its section was; absent = not known. */
  readonly versionDate?: Instant;
  readonly priceIdentity?: string;
}

/** A USAGE item, or the REPAIR_ADJ that gives back some of one (§7.7 rule 2). */
export interface BilledEntry {
  readonly itemId: Uuid;
  /** The USAGE item of a credit; null for a USAGE item. */
  readonly linkedItemId: Uuid | null;
  /** As it was rated, whatever a plugin or an adjustment made of it; of a credit negative. */
  readonly amount: Decimal;
  /** How much of it can still be given back; 0 of a credit. */
  readonly remaining: Decimal;
  readonly details: string | null;
  /** The quantities that it was rated for, of the units of its lines; absent = not known. */
  readonly used?: readonly { readonly unit: string; readonly quantity: Decimal }[];
}
