import type { Moment, OraclePeriod } from './calendar.ts';

// What the oracle of usage is told. Amounts are whole billionths.

export type UsageKind = 'ALL_TIERS' | 'TOP_TIER' | 'CAPACITY';

/** What a tier says of a unit: blocks of CONSUMABLE, a limit of CAPACITY. */
export interface TierPart {
  readonly unit: string;
  /** Units in a block. */
  readonly size: bigint;
  /** Whole blocks, or the limit of a peak; null = any number. */
  readonly max: bigint | null;
  /** Of a block. */
  readonly price: bigint;
}

export interface OracleTier {
  /** Of CAPACITY, whose parts have none. */
  readonly price: bigint;
  readonly parts: readonly TierPart[];
}

export interface OracleSection {
  readonly name: string;
  /** Tells the section with other prices, and that of another catalog version, apart. */
  readonly prices: string;
  readonly kind: UsageKind;
  readonly period: OraclePeriod;
  readonly tiers: readonly OracleTier[];
}

/** What is in force of a subscription from a moment on. */
export interface OracleEvent extends Moment {
  /** ENDED: cancelled or expired. */
  readonly billing: 'ON' | 'PAUSED' | 'ENDED';
  readonly billCycleDay: number;
  readonly sections: readonly OracleSection[];
}

export interface OraclePoint extends Moment {
  readonly unit: string;
  readonly amount: bigint;
  /** Recorded for a day, and not for an instant. */
  readonly isOfDay: boolean;
  readonly trackingId: string;
  isVoid: boolean;
}

export interface OracleSettings {
  /** Below 0: all. */
  readonly lookBackPeriods: number;
  readonly itemMode: 'AGGREGATE' | 'DETAIL';
  readonly overflow: 'CAP' | 'LAST_TIER';
  readonly lateMode: 'DELTA' | 'NEXT_PERIOD' | 'IGNORE';
  readonly beyondLookBack: 'REPORT' | 'NEXT_PERIOD';
  readonly negativeDelta: 'CREDIT' | 'IGNORE';
  readonly dropsZeroItems: boolean;
}

export const DEFAULT_SETTINGS: OracleSettings = {
  lookBackPeriods: 2,
  itemMode: 'AGGREGATE',
  overflow: 'CAP',
  lateMode: 'DELTA',
  beyondLookBack: 'REPORT',
  negativeDelta: 'CREDIT',
  dropsZeroItems: false,
};
