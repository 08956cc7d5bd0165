import type {
  EntryBlock,
  EntryPhase,
  EntryPrice,
  EntryTier,
  EntryUsage,
  PlanRow,
  PlanTerms,
  ProductTerms,
} from '../../../records/index.ts';
import type { Decimal } from '../../../values/money/index.ts';
import type { TimeUnit } from '../../../values/time/index.ts';

// What callers of the entry API give, with the names of json-models §13: the stored fields, any of which may be missing.

/** Absent, null and "" are the same. */
export type EntryGiven<T> = { readonly [Name in keyof T]?: GivenValue<T[Name]> | null };
export type GivenValue<T> = T extends Decimal | number
  ? T
  : T extends readonly (infer Item)[]
    ? readonly GivenValue<Item>[]
    : T extends EntryPrice
      ? PriceInput
      : T extends object
        ? EntryGiven<T>
        : T;

export interface PriceInput {
  readonly currency?: string | null;
  readonly value?: Decimal | null;
}

/** `max` is by default −1, unbounded. */
export type BlockInput = EntryGiven<EntryBlock>;

/** `tierNumber` is by default its place in the list, from 1. */
export type TierInput = EntryGiven<EntryTier>;

/** `tierBlockPolicy` is by default ALL_TIERS. */
export type UsageInput = EntryGiven<EntryUsage>;

/** Without `fixedPrices` a TRIAL is free. */
export interface PhaseInput extends EntryGiven<Omit<EntryPhase, 'duration'>> {
  readonly durationUnit?: TimeUnit | null;
  /** −1 or absent with UNLIMITED. */
  readonly durationLength?: number | null;
}

/** A plan; the last phase is its final one. It recurs IN_ADVANCE only. */
export interface PlanEntryInput
  extends EntryGiven<Omit<PlanTerms, 'xmlProduct'>>,
    EntryGiven<Pick<PlanRow, 'effectiveDate' | 'effectiveDateForExistingSubscriptions'>> {
  readonly name?: string | null;
  readonly phases?: readonly PhaseInput[] | null;
}

export interface ProductEntryInput extends EntryGiven<ProductTerms> {
  readonly name?: string | null;
}

export interface CatalogEntriesInput {
  /** Stored from the first call that gives one; it names the catalog of a tenant without an XML catalog. */
  readonly catalogName?: string | null;
  readonly plans?: readonly PlanEntryInput[] | null;
  readonly products?: readonly ProductEntryInput[] | null;
}
