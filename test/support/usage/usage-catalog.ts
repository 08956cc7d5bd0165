import { catalogXml, lists, phase, plan, price, product } from '../catalogs/catalog-document.ts';

/** unit, size, max (−1 = unlimited), price */
type Block = readonly [unit: string, size: string, max: string, price: string];

function consumable(name: string, tiers: readonly (readonly Block[])[], policy = 'ALL_TIERS'): string {
  const written = tiers.map(
    (blocks) =>
      `<tier><blocks>${blocks
        .map(
          ([unit, size, max, amount]) =>
            `<tieredBlock><unit>${unit}</unit><size>${size}</size><prices>${price('USD', amount)}</prices><max>${max}</max></tieredBlock>`,
        )
        .join('')}</blocks></tier>`,
  );
  return `<usage name="${name}" billingMode="IN_ARREAR" usageType="CONSUMABLE" tierBlockPolicy="${policy}"><billingPeriod>MONTHLY</billingPeriod><tiers>${written.join('')}</tiers></usage>`;
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
      'TOP_TIER',
    ),
  ),
  'api-std': evergreen(consumable('std-usage', [[['calls', '1', '-1', '1']]])),
  'api-plus': evergreen(consumable('plus-usage', [[['calls', '1', '-1', '2']]])),
  club: phase('EVERGREEN', {
    price: '30',
    usages: consumable('club-usage', [[['videos', '1', '5', '2']], [['videos', '1', '10000', '1']]]),
  }),
  ticks: evergreen(consumable('ticks-usage', [[['tick', '1', '100', '0.067']]])),
};

/** The plans of usage §13, all of one product. */
export const usageCatalog = catalogXml({
  effectiveDate: '2020-01-01T00:00:00Z',
  catalogName: 'Usage',
  units: ['sms', 'mbps', 'members', 'packs', 'calls', 'videos', 'tick'],
  products: product('P'),
  plans: Object.entries(plans)
    .map(([name, finalPhase]) => plan(name, 'P', { finalPhase }))
    .join(''),
  priceLists: lists({ DEFAULT: Object.keys(plans) }),
});
