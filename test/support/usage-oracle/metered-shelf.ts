import type { UsageSection } from '../../../lib/records/index.ts';
import { catalogXml, lists, phase, plan, price, product } from '../catalogs/catalog-document.ts';
import { capacity, consumable } from '../usage/sections.ts';
import { billionths } from './oracle-price.ts';
import type { OracleSection, TierPart, UsageKind } from './usage-facts.ts';

/** A usage section in one notation for the engine and the oracle. */
export interface SectionText {
  readonly name: string;
  readonly kind: UsageKind;
  readonly period: 'MONTHLY' | 'QUARTERLY' | 'WEEKLY' | 'THIRTY_DAYS';
  /** Blocks as unit, size, max, price; limits as unit, max; −1 = unlimited. */
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

/** @param prices identifies the prices and the catalog version. */
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
  return { unit, size: billionths(size), max: max === '-1' ? null : BigInt(max), price: billionths(price) };
}

function limit([unit = '', max = '']: readonly string[]): TierPart {
  return { unit, size: 0n, max: max === '-1' ? null : billionths(max), price: 0n };
}

/** The same section for the rules of `lib`. */
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

export const calls: SectionText = {
  name: 'calls-usage',
  kind: 'ALL_TIERS',
  period: 'MONTHLY',
  tiers: [
    {
      parts: [
        ['calls', '2', '3', '1'],
        ['mails', '0.5', '2', '0.335'],
      ],
    },
    {
      parts: [
        ['calls', '1', '5', '0'],
        ['mails', '1', '4', '0.5'],
      ],
    },
    {
      parts: [
        ['calls', '3', '4', '7.125'],
        ['mails', '1', '3', '9'],
      ],
    },
  ],
};

export const top: SectionText = {
  name: 'top-usage',
  kind: 'TOP_TIER',
  period: 'THIRTY_DAYS',
  tiers: [
    { parts: [['mails', '1', '4', '10']] },
    { parts: [['mails', '2', '4', '1.005']] },
    { parts: [['mails', '5', '2', '0.333']] },
  ],
};

export const peaks: SectionText = {
  name: 'peak-usage',
  kind: 'CAPACITY',
  period: 'MONTHLY',
  tiers: [
    {
      price: '1',
      parts: [
        ['mails', '3'],
        ['calls', '7.5'],
      ],
    },
    {
      price: '5.555',
      parts: [
        ['mails', '6'],
        ['calls', '8'],
      ],
    },
  ],
};

/** The section with other tier ends, for each tier in the order of its parts. */
export function endingAt(section: SectionText, ends: readonly (readonly string[])[]): SectionText {
  const place = section.kind === 'CAPACITY' ? 1 : 2;
  return {
    ...section,
    tiers: section.tiers.map((tier, index) => ({
      ...tier,
      parts: tier.parts.map((part, each) => part.with(place, ends[index]?.[each] ?? '')),
    })),
  };
}

// Plans with all forms of usage, in two catalog versions. The second changes the prices of all subscriptions.

const trial: SectionText = {
  name: 'trial-usage',
  kind: 'ALL_TIERS',
  period: 'MONTHLY',
  tiers: [{ parts: [['calls', '1', '-1', '0.01']] }],
};
const weekly: SectionText = { ...calls, name: 'weekly-usage', period: 'WEEKLY' };
const quarterly: SectionText = { ...peaks, name: 'quarterly-usage', period: 'QUARTERLY' };

interface ShelfPlan {
  readonly recurring?: string;
  readonly trial?: readonly SectionText[];
  readonly evergreen: readonly SectionText[];
}

/** Section names are unique per plan. */
function named(section: SectionText, name: string): SectionText {
  return { ...section, name };
}

const plans: Readonly<Record<string, ShelfPlan>> = {
  'calls-plan': { evergreen: [calls] },
  'mixed-plan': { recurring: '30', evergreen: [named(calls, 'mixed-usage'), peaks] },
  'top-plan': { evergreen: [quarterly, top] },
  'trial-plan': { trial: [trial], evergreen: [named(calls, 'live-usage')] },
  'weekly-plan': { recurring: '12', evergreen: [named(top, 'thirty-usage'), weekly] },
  'plain-plan': { recurring: '9.95', evergreen: [] },
};

export const TRIAL_DAYS = 14;
export const planNames = Object.keys(plans);
export const REPRICED = '2024-05-10T00:00:00Z';

/** The sections of a plan phase at an instant. */
export function sectionsOf(planName: string, phaseName: string, at: number): readonly OracleSection[] {
  const isLater = at >= Date.parse(REPRICED);
  const { trial: first = [], evergreen } = plans[planName] ?? { evergreen: [] };
  const sections = phaseName.endsWith('-trial') ? first : evergreen;
  return sections.map((section) =>
    oracleSection(isLater ? repriced(section) : section, isLater ? 'second' : 'first'),
  );
}

function repriced(section: SectionText): SectionText {
  const isPeak = section.kind === 'CAPACITY';
  return {
    ...section,
    tiers: section.tiers.map((tier) => ({
      ...tier,
      ...(tier.price === undefined ? {} : { price: tripled(tier.price) }),
      parts: isPeak
        ? tier.parts
        : tier.parts.map(([unit = '', size = '', max = '', amount = '']) => [
            unit,
            size,
            max,
            tripled(amount),
          ]),
    })),
  };
}

function tripled(amount: string): string {
  return String(Math.round(Number(amount) * 3_000) / 1_000);
}

/** Both versions, for upload one by one. */
export const shelfDocuments: readonly string[] = [
  documentOf('2020-01-01T00:00:00Z', (section) => section),
  documentOf(REPRICED, repriced),
];

function documentOf(effectiveDate: string, priced: (section: SectionText) => SectionText): string {
  const isLater = effectiveDate === REPRICED;
  const xml = (sections: readonly SectionText[]) => sections.map((one) => sectionXml(priced(one))).join('');
  const more = isLater
    ? `<effectiveDateForExistingSubscriptions>${effectiveDate}</effectiveDateForExistingSubscriptions>`
    : '';
  return catalogXml({
    effectiveDate,
    catalogName: 'Metered',
    units: ['calls', 'mails'],
    products: product('P'),
    plans: Object.entries(plans)
      .map(([name, { recurring, trial: first, evergreen }]) =>
        plan(name, 'P', {
          initialPhases:
            first === undefined ? '' : phase('TRIAL', { number: TRIAL_DAYS, fixed: '', usages: xml(first) }),
          finalPhase: phase('EVERGREEN', {
            usages: xml(evergreen),
            ...(recurring === undefined ? {} : { price: isLater ? tripled(recurring) : recurring }),
          }),
          more,
        }),
      )
      .join(''),
    priceLists: lists({ DEFAULT: planNames }),
  });
}

function sectionXml({ name, kind, period, tiers }: SectionText): string {
  const isPeak = kind === 'CAPACITY';
  const written = tiers.map(({ price: of = '0', parts }) =>
    isPeak
      ? `<tier><limits>${parts.map(([unit, max]) => `<limit><unit>${unit}</unit><max>${max}</max></limit>`).join('')}</limits><recurringPrice>${price('USD', of)}</recurringPrice></tier>`
      : `<tier><blocks>${parts.map(blockXml).join('')}</blocks></tier>`,
  );
  const policy = isPeak ? '' : ` tierBlockPolicy="${kind}"`;
  const type = isPeak ? 'CAPACITY' : 'CONSUMABLE';
  return `<usage name="${name}" billingMode="IN_ARREAR" usageType="${type}"${policy}><billingPeriod>${period}</billingPeriod><tiers>${written.join('')}</tiers></usage>`;
}

function blockXml([unit, size, max, amount = '0']: readonly string[]): string {
  return `<tieredBlock><unit>${unit}</unit><size>${size}</size><prices>${price('USD', amount)}</prices><max>${max}</max></tieredBlock>`;
}

// One section of each kind, with low tier ends.
