import { ThresholdMeasure } from '../../records/index.ts';
import type { Currency, Decimal } from '../../values/money/index.ts';
import type { LocalDate } from '../../values/time/index.ts';
import { type Quantities, quantityOf } from './quantities.ts';

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

/** A bound that a period has reached. */
export interface ThresholdPassed {
  readonly measure: ThresholdMeasure;
  /** The unit or the currency. */
  readonly measured: string;
  readonly bound: Decimal;
  /** How much was used, or what it costs. */
  readonly reached: Decimal;
}

export interface PeriodSoFar {
  readonly quantities: Quantities;
  readonly amount: Decimal;
  readonly currency: Currency;
}

/** The thresholds that a period has reached or gone beyond, quantities first, each in ascending order (§12.1). */
export function passedThresholds(
  { quantity, amount }: Thresholds,
  { quantities, amount: due, currency }: PeriodSoFar,
): readonly ThresholdPassed[] {
  const { QUANTITY, AMOUNT } = ThresholdMeasure;
  const ofUnits = [...quantity].flatMap(([unit, bounds]) =>
    passed(bounds, { measure: QUANTITY, measured: unit, reached: quantityOf(quantities, unit) }),
  );
  const bounds = amount.get(currency) ?? [];
  return [...ofUnits, ...passed(bounds, { measure: AMOUNT, measured: currency, reached: due })];
}

function passed(bounds: readonly Decimal[], of: Omit<ThresholdPassed, 'bound'>): readonly ThresholdPassed[] {
  return bounds.filter((bound) => of.reached.greaterThanOrEqualTo(bound)).map((bound) => ({ ...of, bound }));
}
