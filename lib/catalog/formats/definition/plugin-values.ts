import type { PluginDecimal, PluginPrice } from '../../../ports/index.ts';
import type { Problem } from '../../../values/errors/index.ts';
import { MAX_LISTED_PROBLEMS } from '../../../values/limits.ts';
import { type Currency, formatDecimal, isCurrency, ZERO } from '../../../values/money/index.ts';
import { shortened } from '../../../values/text/index.ts';
import { type Instant, instant, isInstantMs } from '../../../values/time/index.ts';
import { type InternationalPrice, UNBOUNDED, type WrittenDecimal } from '../../model/catalog-model.ts';
import { decimal as xmlDecimal } from '../xml/scalar.ts';

const NO_BOUND: WrittenDecimal = { value: ZERO.plus(UNBOUNDED), text: String(UNBOUNDED) };
const EPOCH = instant(0);
const NOTHING: WrittenDecimal = { value: ZERO, text: '0' };
const ANY_CURRENCY: Currency = 'USD';

/**
 * Reads the values that a plugin gives, and notes those that are none: what comes from outside need not be of the types
 * that the port declares. A value that is noted is replaced, since the catalog is refused anyway.
 */
export class PluginValues {
  readonly problems: Problem[] = [];

  decimal(value: PluginDecimal, owner: string): WrittenDecimal {
    const text = typeof value === 'string' ? value.trim() : formatIfDecimal(value);
    const read = text === undefined ? undefined : xmlDecimal.parse(text);
    return read ?? this.#note(`${owner}: ${shown(value)} is not ${xmlDecimal.description}`, NOTHING);
  }

  /** −1 where there is none. */
  bound(value: PluginDecimal | undefined, owner: string): WrittenDecimal {
    return value === undefined ? NO_BOUND : this.decimal(value, owner);
  }

  currency(code: string, owner: string): Currency {
    if (typeof code === 'string' && isCurrency(code)) return code;
    return this.#note(`${owner}: ${shown(code)} is not a currency`, ANY_CURRENCY);
  }

  date(value: Date, owner: string): Instant {
    const ms = value instanceof Date ? value.getTime() : Number.NaN;
    if (isInstantMs(ms)) return instant(ms);
    return this.#note(`${owner}: ${shown(value)} is not a Date of the years 1 to 9999`, EPOCH);
  }

  oneOf<T extends string>(values: Readonly<Record<string, T>>, value: T, owner: string): T {
    const known = Object.values(values);
    if (known.includes(value)) return value;
    return this.#note(`${owner}: ${shown(value)} is not one of ${known.join(', ')}`, value);
  }

  integer(value: number, owner: string): number {
    return Number.isSafeInteger(value) ? value : this.#note(`${owner}: ${shown(value)} is not an integer`, 1);
  }

  price(prices: readonly PluginPrice[], owner: string): InternationalPrice {
    return {
      prices: prices.map(({ currency, value }) => ({
        currency: this.currency(currency, owner),
        amount: value === null ? null : this.decimal(value, owner),
      })),
    };
  }

  priceOrNull(prices: readonly PluginPrice[] | undefined, owner: string): InternationalPrice | null {
    return prices === undefined ? null : this.price(prices, owner);
  }

  /** Something that has no meaning, and would be ignored in silence. */
  meaningless(message: string): void {
    this.#note(message, undefined);
  }

  #note<T>(message: string, replacement: T): T {
    if (this.problems.length < MAX_LISTED_PROBLEMS) this.problems.push({ message });
    return replacement;
  }
}

function formatIfDecimal(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null && ZERO.constructor === value.constructor
    ? formatDecimal(value as typeof ZERO)
    : undefined;
}

function shown(value: unknown): string {
  return typeof value === 'string' ? `"${shortened(value)}"` : shortened(String(value));
}
