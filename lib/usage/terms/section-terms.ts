import type { Currency, Decimal } from '../../values/money/index.ts';
import type { LocalDate } from '../../values/time/index.ts';

/** What is agreed on a usage section beyond its prices (§12): an entry of the tenant's `USAGE_TERMS`. */
export interface SectionTerms {
  /** By unit: how much of it is free in each period. */
  readonly freeQuantity: ReadonlyMap<string, Decimal>;
  /** Whether a tier that is used costs its `fixedPrice`, too. */
  readonly tierFlatFee: boolean;
  /** Above 0, at most 100; null = none. */
  readonly percentOff: Decimal | null;
  readonly minimumAmount: ReadonlyMap<Currency, Decimal>;
  readonly maximumAmount: ReadonlyMap<Currency, Decimal>;
  readonly thresholds: Thresholds;
}

/** Bounds of which it is told that a running period has reached them; they change no price. */
export interface Thresholds {
  /** By unit, ascending. */
  readonly quantity: ReadonlyMap<string, readonly Decimal[]>;
  /** Of what the period costs so far; ascending. */
  readonly amount: ReadonlyMap<Currency, readonly Decimal[]>;
}

export interface DatedTerms extends SectionTerms {
  /** Holds for periods that begin on that day or later; null = from ever. */
  readonly effectiveDate: LocalDate | null;
}

/** The tenant's document. */
export interface UsageTerms {
  /** By usage name, the latest first. */
  readonly sections: ReadonlyMap<string, readonly DatedTerms[]>;
  /** Short text that differs for documents that differ; empty = there is none. */
  readonly identity: string;
}

export const NO_TERMS: UsageTerms = { sections: new Map(), identity: '' };

/** The terms of a section in a period that begins on a day; null = its prices alone. */
export function termsOf({ sections }: UsageTerms, usageName: string, start: LocalDate): SectionTerms | null {
  const own = sections.get(usageName) ?? [];
  return own.find(({ effectiveDate }) => effectiveDate === null || effectiveDate <= start) ?? null;
}

/** Whether a section may have a minimum in some period to come. */
export function mayHaveMinimum({ sections }: UsageTerms, usageName: string): boolean {
  return (sections.get(usageName) ?? []).some(({ minimumAmount }) => minimumAmount.size > 0);
}

/** Whether recorded usage may reach a threshold. */
export function mayPassThresholds({ sections }: UsageTerms): boolean {
  return [...sections.values()]
    .flat()
    .some(({ thresholds: { quantity, amount } }) => quantity.size + amount.size > 0);
}

/**
 * Whether a section can charge less than its lines come to: then all of them are billed as one item, in either mode, since
 * no line may be below 0 by itself.
 */
export function isBilledAsOne(terms: SectionTerms | null): boolean {
  return terms !== null && (terms.percentOff !== null || terms.maximumAmount.size > 0);
}
