import type { UsageSection } from '../../../lib/records/index.ts';
import { capacity, consumable } from '../usage/sections.ts';
import { billionths } from './numbers.ts';
import type { OracleSection, TierPart, UsageKind } from './usage-facts.ts';

/** A usage section as a test writes it down once, for the engine and for the oracle. */
export interface SectionText {
  readonly name: string;
  readonly kind: UsageKind;
  readonly period: 'MONTHLY' | 'QUARTERLY' | 'WEEKLY' | 'THIRTY_DAYS';
  /** Blocks as unit, size, max, price; limits as unit, max; −1 = any number. */
  readonly tiers: readonly {
    /** Of CAPACITY. */
    readonly price?: string;
    readonly parts: readonly (readonly string[])[];
  }[];
}

const PERIODS = {
  MONTHLY: { months: 1 },
  QUARTERLY: { months: 3 },
  WEEKLY: { days: 7 },
  THIRTY_DAYS: { days: 30 },
} as const;

/** @param prices tells other prices of the same section, or another version of it, apart. */
export function oracleSection({ name, kind, period, tiers }: SectionText, prices = 'first'): OracleSection {
  return {
    name,
    prices,
    kind,
    period: PERIODS[period],
    tiers: tiers.map(({ price = '0', parts }) => ({
      price: billionths(price),
      parts: parts.map((part) => (kind === 'CAPACITY' ? limit(part) : block(part))),
    })),
  };
}

function block([unit = '', size = '', max = '', price = '']: readonly string[]): TierPart {
  return {
    unit,
    size: billionths(size),
    max: max === '-1' ? null : BigInt(max),
    price: billionths(price),
  };
}

function limit([unit = '', max = '']: readonly string[]): TierPart {
  return { unit, size: 0n, max: max === '-1' ? null : billionths(max), price: 0n };
}

/** The same as the rules of `lib` take it. */
export function ruleSection(text: SectionText, prices = 'first'): UsageSection {
  const { name, kind, period, tiers } = text;
  if (kind === 'CAPACITY') {
    const written = tiers.map(
      ({ price = '0', parts }) =>
        [price, ...parts.map(([unit = '', max = '']) => [unit, max] as const)] as const,
    );
    return capacity(name, written, { period, prices });
  }
  const written = tiers.map(({ parts }) =>
    parts.map(([unit = '', size = '', max = '', price = '']) => [unit, size, max, price] as const),
  );
  return consumable(name, written, { period, prices, policy: kind });
}
