import { OverflowPolicy } from '../rating/rated-usage.ts';
import { NO_TERMS, type UsageTerms } from '../rating/usage-terms.ts';

/**
 * Specifies whether an interval gets one item, or one item per line (§7.4). Set by `invoice.item.result.behavior.mode`.
 */
export const ItemMode = { AGGREGATE: 'AGGREGATE', DETAIL: 'DETAIL' } as const;
export type ItemMode = (typeof ItemMode)[keyof typeof ItemMode];

/** Specifies how to treat late points of billed intervals (§7.7). Set by `invoice.usage.lateMode`. */
export const LateMode = { DELTA: 'DELTA', NEXT_PERIOD: 'NEXT_PERIOD', IGNORE: 'IGNORE' } as const;
export type LateMode = (typeof LateMode)[keyof typeof LateMode];

/**
 * Specifies how to treat late points of intervals that begin before the look-back period. Set by
 * `invoice.usage.beyondLookback`.
 */
export const BeyondLookBack = { REPORT: 'REPORT', NEXT_PERIOD: 'NEXT_PERIOD' } as const;
export type BeyondLookBack = (typeof BeyondLookBack)[keyof typeof BeyondLookBack];

/** Specifies what happens if usage now costs less than was billed. Set by `invoice.usage.negativeDelta`. */
export const NegativeDelta = { CREDIT: 'CREDIT', IGNORE: 'IGNORE', FAIL: 'FAIL' } as const;
export type NegativeDelta = (typeof NegativeDelta)[keyof typeof NegativeDelta];

export interface UsageConfig {
  /** Value of `invoice.readMaxRawUsagePreviousPeriod`. A negative value means an unlimited number of periods. */
  readonly lookBackPeriods: number;
  readonly itemMode: ItemMode;
  readonly overflow: OverflowPolicy;
  readonly lateMode: LateMode;
  readonly beyondLookBack: BeyondLookBack;
  readonly negativeDelta: NegativeDelta;
  /** Specifies what happens if usage from a usage source now costs less than was billed. */
  readonly negativeDeltaOfSources: NegativeDelta;
  /** True if USAGE items of amount 0 are omitted (`invoice.disable.usage.zero.amount`). */
  readonly dropsZeroItems: boolean;
  /** True if a unit that no section charges stops the run (`invoice.parkAccountsWithUnknownUsage`, §7.8). */
  readonly refusesUnknownUnits: boolean;
}

export const DEFAULT_USAGE_CONFIG: UsageConfig = Object.freeze({
  lookBackPeriods: 2,
  itemMode: ItemMode.AGGREGATE,
  overflow: OverflowPolicy.CAP,
  lateMode: LateMode.DELTA,
  beyondLookBack: BeyondLookBack.REPORT,
  negativeDelta: NegativeDelta.CREDIT,
  negativeDeltaOfSources: NegativeDelta.FAIL,
  dropsZeroItems: false,
  refusesUnknownUnits: false,
});

const comparedSettings = [
  'lookBackPeriods',
  'itemMode',
  'overflow',
  'lateMode',
  'beyondLookBack',
  'negativeDelta',
  'dropsZeroItems',
  'refusesUnknownUnits',
] as const satisfies readonly (keyof UsageConfig)[];

/** Returns the settings as one text. If the text changes, a setting has changed. */
export function usageSettings(config: UsageConfig, { identity }: UsageTerms = NO_TERMS): string {
  const settings = comparedSettings.map((name) => config[name]);
  const texts = settings.map((setting) => String(typeof setting === 'boolean' ? Number(setting) : setting));
  return [...texts, ...(identity === '' ? [] : [identity])].join(' ');
}

export interface NegativeDeltaInput {
  readonly setting: NegativeDelta | null;
  /** True if usage that costs less than was billed causes no credit (`invoice.usage.missing.lenient`). */
  readonly isLenient: boolean;
  /** True if a usage source supplied the usage. */
  readonly isFromSource: boolean;
  readonly isDryRun: boolean;
}

/** Returns how this run treats usage that costs less than was billed (§7.7 rules 2, 3). */
export function negativeDeltaOf({
  setting,
  isLenient,
  isFromSource,
  isDryRun,
}: NegativeDeltaInput): NegativeDelta {
  if (isLenient) return NegativeDelta.IGNORE;
  const asked = setting ?? (isFromSource ? NegativeDelta.FAIL : NegativeDelta.CREDIT);
  return isDryRun && asked === NegativeDelta.FAIL ? NegativeDelta.IGNORE : asked;
}

/** Returns the settings for a dry run. A dry run does not fail if usage costs less than was billed (§7.7 rule 3). */
export function inDryRun(config: UsageConfig): UsageConfig {
  return {
    ...config,
    negativeDelta: ignoreInsteadOfFail(config.negativeDelta),
    negativeDeltaOfSources: ignoreInsteadOfFail(config.negativeDeltaOfSources),
  };
}

function ignoreInsteadOfFail(setting: NegativeDelta): NegativeDelta {
  return setting === NegativeDelta.FAIL ? NegativeDelta.IGNORE : setting;
}
