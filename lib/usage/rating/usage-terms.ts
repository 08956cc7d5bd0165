import { ThresholdMeasure } from '../../records/index.ts';
import { billingError, ErrorCode } from '../../values/errors/index.ts';
import {
  type Currency,
  Decimal,
  type ExactValue,
  isCurrency,
  parseExactJson,
  parseWireDecimal,
  roundToCurrency,
} from '../../values/money/index.ts';
import { shortenText } from '../../values/text/index.ts';
import { type LocalDate, parseWireDate } from '../../values/time/index.ts';
import { type Quantities, quantityOf } from './quantities.ts';
import { isObject } from './rated-usage.ts';

/**
 * Terms that apply to a usage section in addition to its prices (§12). They come from an entry of the tenant's
 * `USAGE_TERMS`.
 */
export interface SectionTerms {
  /** The free quantity per period, by unit. */
  readonly freeQuantity: ReadonlyMap<string, Decimal>;
  /** If true, each used tier also charges its `fixedPrice`. */
  readonly tierFlatFee: boolean;
  /** Discount in percent, above 0 and at most 100. Null means no discount. */
  readonly percentOff: Decimal | null;
  readonly minimumAmount: ReadonlyMap<Currency, Decimal>;
  readonly maximumAmount: ReadonlyMap<Currency, Decimal>;
  readonly thresholds: Thresholds;
}

/** Thresholds that are reported when a running period reaches them. They do not affect the price. */
interface Thresholds {
  /** Thresholds of used quantities by unit, in ascending order. */
  readonly quantity: ReadonlyMap<string, readonly Decimal[]>;
  /** Thresholds of the cost of the period so far, by currency, in ascending order. */
  readonly amount: ReadonlyMap<Currency, readonly Decimal[]>;
}

interface DatedTerms extends SectionTerms {
  /** First day of the periods to which the terms apply. Null means all periods. */
  readonly effectiveDate: LocalDate | null;
}

export interface UsageTerms {
  /** Terms by usage name, the latest first. */
  readonly sections: ReadonlyMap<string, readonly DatedTerms[]>;
  /** Short text that identifies the document. The text is empty if there is no document. */
  readonly identity: string;
}

export const NO_TERMS: UsageTerms = { sections: new Map(), identity: '' };

/** Returns the terms of a section in a period that starts on the given day. Null means that only prices apply. */
export function termsOf({ sections }: UsageTerms, usageName: string, start: LocalDate): SectionTerms | null {
  const own = sections.get(usageName) ?? [];
  return own.find(({ effectiveDate }) => effectiveDate === null || effectiveDate <= start) ?? null;
}

/** Returns true if a section has a minimum in any period. */
export function mayHaveMinimum({ sections }: UsageTerms, usageName: string): boolean {
  return (sections.get(usageName) ?? []).some(({ minimumAmount }) => minimumAmount.size > 0);
}

/** Returns true if recorded usage may reach a threshold. */
export function mayPassThresholds({ sections }: UsageTerms): boolean {
  return [...sections.values()]
    .flat()
    .some(({ thresholds: { quantity, amount } }) => quantity.size + amount.size > 0);
}

/**
 * Returns true if the terms can make a section cheaper than the sum of its lines. Such a section is billed as one item
 * in either mode, because no line may be negative.
 */
export function isBilledAsOne(terms: SectionTerms | null): boolean {
  return terms !== null && (terms.percentOff !== null || terms.maximumAmount.size > 0);
}

export interface ThresholdPassed {
  readonly measure: ThresholdMeasure;
  /** The unit or the currency. */
  readonly measured: string;
  readonly bound: Decimal;
  /** The used quantity, or its cost. */
  readonly reached: Decimal;
}

/**
 * Returns the thresholds that a period has reached (§12.1). Quantity thresholds come first, and each list is in
 * ascending order.
 */
export function passedThresholds(
  { quantity, amount }: Thresholds,
  {
    quantities,
    amount: due,
    currency,
  }: { readonly quantities: Quantities; readonly amount: Decimal; readonly currency: Currency },
): readonly ThresholdPassed[] {
  const { QUANTITY, AMOUNT } = ThresholdMeasure;
  const ofUnits = [...quantity].flatMap(([unit, bounds]) =>
    selectPassedBounds(bounds, { measure: QUANTITY, measured: unit, reached: quantityOf(quantities, unit) }),
  );
  const bounds = amount.get(currency) ?? [];
  return [...ofUnits, ...selectPassedBounds(bounds, { measure: AMOUNT, measured: currency, reached: due })];
}

function selectPassedBounds(
  bounds: readonly Decimal[],
  of: Omit<ThresholdPassed, 'bound'>,
): readonly ThresholdPassed[] {
  return bounds.filter((bound) => of.reached.greaterThanOrEqualTo(bound)).map((bound) => ({ ...of, bound }));
}

/** Maximum number of thresholds per unit or currency of a usage. This is enough for a threshold at every percent. */
const MAX_THRESHOLDS = 100;

/** Maximum number of faults that are listed for one document. */
const MAX_LISTED_TERMS_FAULTS = 100;
const MAX_TERMS_FAULTS = 1_000;

/** Maximum number of dated entries of one usage. This is enough for daily entries over almost three years. */
const MAX_TERMS_ENTRIES = 1_000;

type JsonObject = { readonly [key: string]: ExactValue };

/**
 * Parses the tenant's document `USAGE_TERMS` (§12). Each usage name has one entry or a list of dated entries.
 * @param identity Distinguishes these terms from those of other documents.
 * @throws BillingError INVALID_PARAMETER (60002) that lists the faults with their paths.
 */
export function readUsageTerms(text: string, identity = text): UsageTerms {
  const reading = new Reading();
  const json = parseDocument(text, reading);
  const sections = new Map(
    Object.entries(json).map(([name, entry]) => [name, reading.entries(entry, `"${shortenText(name)}"`)]),
  );
  reading.end();
  return { sections, identity };
}

function parseDocument(text: string, reading: Reading): JsonObject {
  try {
    const json = parseExactJson(text);
    if (isObject(json)) return json;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  reading.fault('The document', 'is not a JSON object of usage names');
  return {};
}

/** Parses a document. Continues after a fault, so that the error can list several faults, up to a limit. */
class Reading {
  readonly #faults: string[] = [];

  fault(at: string, what: string): void {
    this.#faults.push(`${at} ${what}`);
    if (this.#faults.length >= MAX_TERMS_FAULTS) this.end();
  }

  end(): void {
    const faults = this.#faults;
    if (faults.length === 0) return;
    const listed = faults.slice(0, MAX_LISTED_TERMS_FAULTS);
    throw billingError(ErrorCode.INVALID_PARAMETER, `Invalid USAGE_TERMS: ${listed.join('; ')}`, {
      key: 'USAGE_TERMS',
      errors: listed,
      count: faults.length,
    });
  }

  entries(given: ExactValue, at: string): readonly DatedTerms[] {
    const all = Array.isArray(given) ? given : [given];
    if (all.length > MAX_TERMS_ENTRIES)
      this.fault(at, `has ${all.length} entries; at most ${MAX_TERMS_ENTRIES} are allowed`);
    const list = all.slice(0, MAX_TERMS_ENTRIES);
    const entries = list.map((entry, index) => this.#entry(entry, list.length > 1 ? `${at}[${index}]` : at));
    const dates = entries.map(({ effectiveDate }) => effectiveDate);
    if (new Set(dates).size < dates.length) this.fault(at, 'has two entries with the same effective date');
    return entries.sort((a, b) => (b.effectiveDate ?? 0) - (a.effectiveDate ?? 0));
  }

  #entry(given: ExactValue, at: string): DatedTerms {
    const entry = this.#object(given, at);
    for (const name of Object.keys(entry))
      if (!known.has(name)) this.fault(`${at}.${shortenText(name)}`, 'is not a known term');
    const terms = {
      effectiveDate: this.#date(entry.effectiveDate, `${at}.effectiveDate`),
      freeQuantity: this.#quantities(entry.freeQuantity, `${at}.freeQuantity`),
      tierFlatFee: this.#flag(entry.tierFlatFee, `${at}.tierFlatFee`),
      percentOff: this.#percent(entry.percentOff, `${at}.percentOff`),
      minimumAmount: this.#amounts(entry.minimumAmount, `${at}.minimumAmount`),
      maximumAmount: this.#amounts(entry.maximumAmount, `${at}.maximumAmount`),
      thresholds: this.#thresholds(entry.thresholds, `${at}.thresholds`),
    };
    for (const [currency, minimum] of terms.minimumAmount) {
      if (terms.maximumAmount.get(currency)?.lessThan(minimum) === true)
        this.fault(`${at}.minimumAmount.${currency}`, 'is above the maximum');
    }
    return terms;
  }

  #date(given: ExactValue | undefined, at: string): LocalDate | null {
    if (given === undefined || given === null) return null;
    const date = typeof given === 'string' ? parseWireDate(given) : undefined;
    if (date === undefined) this.fault(at, 'is not a date (yyyy-MM-dd)');
    return date ?? null;
  }

  #flag(given: ExactValue | undefined, at: string): boolean {
    if (given !== undefined && typeof given !== 'boolean') this.fault(at, 'is neither true nor false');
    return given === true;
  }

  #percent(given: ExactValue | undefined, at: string): Decimal | null {
    if (given === undefined) return null;
    const percent = this.#decimal(given, at);
    if (percent !== null && (percent.isZero() || percent.greaterThan(100)))
      this.fault(at, 'is not above 0 and at most 100');
    return percent;
  }

  #quantities(given: ExactValue | undefined, at: string): ReadonlyMap<string, Decimal> {
    return this.#map(given, at, (unit, quantity, place) => {
      const read = this.#decimal(quantity, place);
      return read && [unit, read];
    });
  }

  #amounts(given: ExactValue | undefined, at: string): ReadonlyMap<Currency, Decimal> {
    return this.#map(given, at, (currency, amount, place) => {
      const read = this.#decimal(amount, place);
      if (!this.#isCurrency(currency, place)) return null;
      if (read !== null && !roundToCurrency(read, currency).equals(read))
        this.fault(place, `has more decimals than ${currency}`);
      return read && [currency, read];
    });
  }

  #thresholds(given: ExactValue | undefined, at: string): Thresholds {
    const thresholds = this.#object(given ?? {}, at);
    for (const name of Object.keys(thresholds))
      if (!measures.has(name)) this.fault(`${at}.${shortenText(name)}`, 'is neither quantity nor amount');
    return {
      quantity: this.#map(thresholds.quantity, `${at}.quantity`, (unit, bounds, place) => [
        unit,
        this.#bounds(bounds, place),
      ]),
      amount: this.#map(thresholds.amount, `${at}.amount`, (currency, bounds, place) => {
        const read = this.#bounds(bounds, place);
        return this.#isCurrency(currency, place) ? [currency, read] : null;
      }),
    };
  }

  /**
   * Returns the members of an object after `read` has converted them. If `read` returns null, the member is omitted.
   */
  #map<K extends string, V>(
    given: ExactValue | undefined,
    at: string,
    read: (name: string, value: ExactValue, place: string) => readonly [K, V] | null,
  ): ReadonlyMap<K, V> {
    const pairs = Object.entries(this.#object(given ?? {}, at)).map(([name, value]) =>
      read(name, value, `${at}.${shortenText(name)}`),
    );
    return new Map(pairs.filter((pair) => pair !== null));
  }

  #isCurrency(name: string, place: string): name is Currency {
    if (isCurrency(name)) return true;
    this.fault(place, 'is not a currency');
    return false;
  }

  #bounds(given: ExactValue, at: string): readonly Decimal[] {
    const list = Array.isArray(given) ? given : [given];
    if (list.length === 0 || list.length > MAX_THRESHOLDS)
      this.fault(at, `has ${list.length} thresholds; 1 to ${MAX_THRESHOLDS} are allowed`);
    const bounds = list.slice(0, MAX_THRESHOLDS).flatMap((each, index) => {
      const place = list.length > 1 ? `${at}[${index}]` : at;
      const bound = this.#decimal(each, place);
      if (bound?.isZero()) this.fault(place, 'is not above 0');
      return bound ?? [];
    });
    bounds.sort((a, b) => a.comparedTo(b));
    if (bounds.some((bound, index) => bounds[index - 1]?.equals(bound)))
      this.fault(at, 'has a threshold twice');
    return bounds;
  }

  #decimal(given: ExactValue, at: string): Decimal | null {
    const read = typeof given === 'string' || given instanceof Decimal ? parseWireDecimal(given) : undefined;
    if (read !== undefined && !read.isNegative()) return read;
    this.fault(at, 'is not a decimal of at least 0');
    return null;
  }

  #object(given: ExactValue, at: string): JsonObject {
    if (isObject(given)) return given;
    this.fault(at, 'is not an object');
    return {};
  }
}

const known = new Set([
  'effectiveDate',
  'freeQuantity',
  'tierFlatFee',
  'percentOff',
  'minimumAmount',
  'maximumAmount',
  'thresholds',
]);
const measures = new Set(['quantity', 'amount']);
