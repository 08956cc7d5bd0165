import type { BillingEvent, BillingTransitionType, UsageSection } from '../../../lib/records/index.ts';
import { localDateOf, startOfDay, type TimeZone, timeZone } from '../../../lib/values/time/index.ts';
import {
  catalogXml,
  DEFAULT_RULES,
  type DocumentParts,
  envelopeXml,
  lists,
  phase,
  plan,
  price,
  product,
} from '../catalogs/catalog-document.ts';
import { day, type EventFields, event } from '../invoicing/billing-events.ts';
import { at } from './sections.ts';

/** unit, size, max (−1 = unlimited), price */
type Block = readonly [unit: string, size: string, max: string, price: string];

function consumable(
  name: string,
  tiers: readonly (readonly Block[])[],
  { policy = 'ALL_TIERS', period = 'MONTHLY' } = {},
): string {
  const written = tiers.map(
    (blocks) =>
      `<tier><blocks>${blocks
        .map(
          ([unit, size, max, amount]) =>
            `<tieredBlock><unit>${unit}</unit><size>${size}</size><prices>${price('USD', amount)}</prices><max>${max}</max></tieredBlock>`,
        )
        .join('')}</blocks></tier>`,
  );
  return `<usage name="${name}" billingMode="IN_ARREAR" usageType="CONSUMABLE" tierBlockPolicy="${policy}"><billingPeriod>${period}</billingPeriod><tiers>${written.join('')}</tiers></usage>`;
}

type Limit = readonly [unit: string, max: string];

function capacity(name: string, tiers: readonly (readonly [amount: string, ...limits: Limit[]])[]): string {
  const written = tiers.map(
    ([amount, ...limits]) =>
      `<tier><limits>${limits.map(([unit, max]) => `<limit><unit>${unit}</unit><max>${max}</max></limit>`).join('')}</limits><recurringPrice>${price('USD', amount)}</recurringPrice></tier>`,
  );
  return `<usage name="${name}" billingMode="IN_ARREAR" usageType="CAPACITY"><billingPeriod>MONTHLY</billingPeriod><tiers>${written.join('')}</tiers></usage>`;
}

const evergreen = (usages: string) => phase('EVERGREEN', { usages });
const calls = (name: string, amount: string, period = 'MONTHLY') =>
  consumable(name, [[['calls', '1', '-1', amount]]], { period });
const duoTiers: readonly (readonly Block[])[] = [
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
const power = (first: string, second: string) =>
  evergreen(consumable('power-usage', [[['kwh', '1', '1000', first]], [['kwh', '1', '-1', second]]]));
const plans: Readonly<Record<string, string>> = {
  'sms-payg': evergreen(
    consumable('sms-usage', [[['sms', '100', '10', '2.95']], [['sms', '1000', '100', '5.95']]]),
  ),
  'team-cap': evergreen(
    capacity('team-usage', [
      ['1', ['mbps', '100'], ['members', '10']],
      ['5', ['mbps', '500'], ['members', '50']],
      ['10', ['mbps', '-1'], ['members', '-1']],
    ]),
  ),
  'packs-top': evergreen(
    consumable(
      'packs-usage',
      [[['packs', '10', '100', '100']], [['packs', '10', '200', '10']], [['packs', '10', '1000', '1']]],
      { policy: 'TOP_TIER' },
    ),
  ),
  'api-std': evergreen(calls('std-usage', '1')),
  'api-plus': evergreen(calls('plus-usage', '2')),
  'api-free': evergreen(calls('free-usage', '0')),
  'api-quarterly': evergreen(calls('quarter-usage', '1', 'QUARTERLY')),
  'two-lengths': evergreen(
    calls('two-calls-usage', '1') +
      consumable('members-usage', [[['members', '1', '-1', '2']]], { period: 'QUARTERLY' }),
  ),
  'yearly-and-calls': phase('EVERGREEN', {
    period: 'ANNUAL',
    price: '100',
    usages: calls('yearly-usage', '1'),
  }),
  duo: evergreen(consumable('duo-usage', duoTiers)),
  'duo-top': evergreen(consumable('duo-top-usage', duoTiers, { policy: 'TOP_TIER' })),
  power: power('1.50', '2.00'),
  club: phase('EVERGREEN', {
    price: '30',
    usages: consumable('club-usage', [[['videos', '1', '5', '2']], [['videos', '1', '10000', '1']]]),
  }),
  ticks: evergreen(consumable('ticks-usage', [[['tick', '1', '100', '0.067']]])),
};

const trialPlan = plan('trial-api', 'P', {
  initialPhases: phase('TRIAL', { number: 14, usages: calls('trial-usage', '0') }),
  finalPhase: evergreen(calls('live-usage', '1')),
});

const usageVersion = (alignment: string): DocumentParts => ({
  effectiveDate: '2020-01-01T00:00:00Z',
  catalogName: 'Usage',
  units: ['sms', 'mbps', 'members', 'packs', 'calls', 'videos', 'tick', 'FOO', 'BAR', 'kwh'],
  products: product('P'),
  rules: `${DEFAULT_RULES}<billingAlignment><billingAlignmentCase><alignment>${alignment}</alignment></billingAlignmentCase></billingAlignment>`,
  plans: [
    ...Object.entries(plans).map(([name, finalPhase]) => plan(name, 'P', { finalPhase })),
    trialPlan,
  ].join(''),
  priceLists: lists({ DEFAULT: [...Object.keys(plans), 'trial-api'] }),
});

/** The plans of usage §13, all of one product. */
export const usageCatalog = catalogXml(usageVersion('ACCOUNT'));

/** With a bill cycle day per subscription. */
export const usageCatalogBySubscription = catalogXml(usageVersion('SUBSCRIPTION'));

/** Other prices of the plan power, also for existing subscriptions. */
const powerVersion: DocumentParts = {
  effectiveDate: '2026-05-08T00:00:00Z',
  catalogName: 'Usage',
  units: ['kwh'],
  products: product('P'),
  plans: plan('power', 'P', {
    finalPhase: power('2.50', '3.00'),
    more: '<effectiveDateForExistingSubscriptions>2026-05-08T00:00:00Z</effectiveDateForExistingSubscriptions>',
  }),
  priceLists: lists({ DEFAULT: ['power'] }),
};

/** Both versions of the plan power. */
export const powerCatalogs = envelopeXml(usageVersion('ACCOUNT'), powerVersion);

export const laterPowerCatalog = catalogXml(powerVersion);

export const UTC_ZONE: TimeZone = timeZone('UTC');

export interface UsageEventFields extends EventFields {
  readonly usages?: readonly UsageSection[];
  readonly zone?: TimeZone;
}

/** A billing event at an instant or at the start of a date. */
export function usageEvent(
  type: BillingTransitionType,
  when: string,
  { usages = [], zone = UTC_ZONE, ...fields }: UsageEventFields = {},
): BillingEvent {
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(when);
  const effectiveDate = isDate ? startOfDay(day(when), zone) : at(when);
  const localDate = isDate ? day(when) : localDateOf(effectiveDate, zone);
  return { ...event(type, localDate, fields), effectiveDate, localDate, usages };
}
