import type { Moment, OraclePeriod } from './calendar.ts';

// Inputs of the usage oracle. Amounts are integer billionths.

export type UsageKind = 'ALL_TIERS' | 'TOP_TIER' | 'CAPACITY';

/** A unit in a tier: blocks of CONSUMABLE, a limit of CAPACITY. */
export interface TierPart {
  readonly unit: string;
  /** Units per block. */
  readonly size: bigint;
  /** Whole blocks, or the limit of a peak; null = unlimited. */
  readonly max: bigint | null;
  /** Per block. */
  readonly price: bigint;
}

export interface OracleTier {
  /** Of CAPACITY, whose parts have no price. */
  readonly price: bigint;
  readonly parts: readonly TierPart[];
}

export interface OracleSection {
  readonly name: string;
  /** Identifies the prices and the catalog version. */
  readonly prices: string;
  readonly kind: UsageKind;
  readonly period: OraclePeriod;
  readonly tiers: readonly OracleTier[];
}

/** The terms of a subscription from an instant on. */
export interface OracleEvent extends Moment {
  /** ENDED = canceled or expired. */
  readonly billing: 'ON' | 'PAUSED' | 'ENDED';
  readonly billCycleDay: number;
  readonly sections: readonly OracleSection[];
}

export interface OraclePoint extends Moment {
  readonly unit: string;
  readonly amount: bigint;
  /** Recorded for a day, not an instant. */
  readonly isOfDay: boolean;
  readonly trackingId: string;
  isVoid: boolean;
}

export interface OracleSettings {
  /** Negative = unlimited. */
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
