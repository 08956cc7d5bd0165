import type {
  CapacitySection,
  ConsumableSection,
  TierBlockPolicy,
  UsageSection,
} from '../../../lib/records/index.ts';
import { decimal } from '../../../lib/values/money/index.ts';
import { type BillingPeriod, type Instant, instant } from '../../../lib/values/time/index.ts';

/** unit, size, max (−1 = unlimited), price */
export type BlockText = readonly [unit: string, size: string, max: string, price: string];
/** unit, max (−1 = unlimited) */
export type LimitText = readonly [unit: string, max: string];

export interface SectionFields {
  readonly policy?: TierBlockPolicy;
  readonly period?: BillingPeriod;
  readonly versionDate?: string;
  readonly prices?: string;
}

const firstVersion = '2026-01-01T00:00:00Z';

/** A CONSUMABLE section, by default ALL_TIERS and monthly, with one list of blocks per tier. */
export function consumable(
  name: string,
  tiers: readonly (readonly BlockText[])[],
  fields: SectionFields = {},
): ConsumableSection {
  return {
    ...factsOf(name, fields, JSON.stringify(tiers.flat().map(([, , , price]) => price))),
    usageType: 'CONSUMABLE',
    tierBlockPolicy: fields.policy ?? 'ALL_TIERS',
    tiers: tiers.map((blocks) => ({
      blocks: blocks.map(([unit, size, max, price]) => ({
        unit,
        size: decimal(size),
        max: bound(max),
        price: decimal(price),
      })),
    })),
  };
}

/** A CAPACITY section, by default monthly, with a price and limits per tier. */
export function capacity(
  name: string,
  tiers: readonly (readonly [price: string, ...limits: LimitText[]])[],
  fields: SectionFields = {},
): CapacitySection {
  return {
    ...factsOf(name, fields, JSON.stringify(tiers.map(([price]) => price))),
    usageType: 'CAPACITY',
    tiers: tiers.map(([price, ...limits]) => ({
      price: decimal(price),
      limits: limits.map(([unit, max]) => ({ unit, max: bound(max) })),
    })),
  };
}

function factsOf(name: string, fields: SectionFields, prices: string) {
  return {
    name,
    prettyName: name,
    billingPeriod: fields.period ?? ('MONTHLY' as const),
    versionDate: at(fields.versionDate ?? firstVersion),
    priceIdentity: fields.prices ?? prices,
  };
}

export function at(text: string): Instant {
  return instant(Date.parse(text));
}

function bound(max: string) {
  return max === '-1' ? null : decimal(max);
}

/** The sections of the plans of usage §13. */
export const smsUsage = consumable('sms-usage', [
  [['sms', '100', '10', '2.95']],
  [['sms', '1000', '100', '5.95']],
]);
export const teamUsage = capacity('team-usage', [
  ['1', ['mbps', '100'], ['members', '10']],
  ['5', ['mbps', '500'], ['members', '50']],
  ['10', ['mbps', '-1'], ['members', '-1']],
]);
const duoTiers: readonly (readonly BlockText[])[] = [
  [
    ['FOO', '1', '10', '1'],
    ['BAR', '1', '100', '2'],
  ],
  [
    ['FOO', '1', '50', '10'],
    ['BAR', '1', '500', '20'],
  ],
  [
    ['FOO', '1', '75', '100'],
    ['BAR', '1', '750', '200'],
  ],
];
export const duoUsage = consumable('duo-usage', duoTiers);
export const duoTopUsage = consumable('duo-usage', duoTiers, { policy: 'TOP_TIER' });
export const packsUsage = consumable(
  'packs-usage',
  [[['packs', '10', '100', '100']], [['packs', '10', '200', '10']], [['packs', '10', '1000', '1']]],
  { policy: 'TOP_TIER' },
);
export const powerUsage = consumable('power-usage', [
  [['kwh', '1', '1000', '1.50']],
  [['kwh', '1', '-1', '2.00']],
]);
export const powerUsageV2 = consumable(
  'power-usage',
  [[['kwh', '1', '1000', '2.50']], [['kwh', '1', '-1', '3.00']]],
  { versionDate: '2026-05-08T00:00:00Z' },
);
export const stdUsage = consumable('std-usage', [[['calls', '1', '-1', '1']]]);
export const plusUsage = consumable('plus-usage', [[['calls', '1', '-1', '2']]]);
export const trialUsage = consumable('trial-usage', [[['calls', '1', '-1', '0']]]);
export const liveUsage = consumable('live-usage', [[['calls', '1', '-1', '1']]]);
export const clubUsage = consumable('club-usage', [
  [['videos', '1', '5', '2']],
  [['videos', '1', '10000', '1']],
]);
export const ticksUsage = consumable('ticks-usage', [[['tick', '1', '100', '0.067']]]);

export type { UsageSection };
