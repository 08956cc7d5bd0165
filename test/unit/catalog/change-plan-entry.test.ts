import { retirementRows, updatedRow } from '../../../lib/catalog/formats/entries/change-plan.ts';
import type { CatalogEntry, Instant, PhaseInput, PlanRow } from '../../../lib/index.ts';
import { decimal, formatInstant, instant } from '../../../lib/index.ts';
import { errorOf, expect } from '../../support/unit.ts';

const day = (text: string): Instant => instant(Date.parse(`${text}T00:00:00Z`));
const id = '00000000-0000-4000-8000-000000000001' as CatalogEntry['id'];
const prices = [{ currency: 'USD', value: decimal('10') }] as const;

const entry: CatalogEntry = {
  recordId: 1,
  id,
  kind: 'PLAN',
  name: 'p1',
  accountId: null,
  accountRecordId: null,
  parentId: id,
  product: null,
  plan: {
    prettyName: '',
    recurringBillingMode: 'IN_ADVANCE',
    productName: 'Pot',
    pricelistName: 'DEFAULT',
    xmlProduct: null,
  },
  createdDate: day('2024-01-01'),
};

function row(effectiveDate: string, changes: Partial<PlanRow> = {}): PlanRow {
  return {
    recordId: 1,
    id,
    planName: 'p1',
    accountRecordId: null,
    effectiveDate: day(effectiveDate),
    createdOrder: 1,
    effectiveDateForExistingSubscriptions: null,
    retired: false,
    sinceRevision: 1,
    phases: [
      {
        prettyName: '',
        type: 'EVERGREEN',
        duration: { unit: 'UNLIMITED', number: -1 },
        fixedPrices: [],
        recurringPrices: { billingPeriod: 'MONTHLY', prices },
        usages: [],
      },
    ],
    createdDate: day('2024-01-01'),
    ...changes,
  };
}

const evergreen: PhaseInput = {
  type: 'EVERGREEN',
  durationUnit: 'UNLIMITED',
  recurringPrices: { billingPeriod: 'MONTHLY', prices: [{ currency: 'EUR', value: decimal('12') }] },
};

const now = day('2024-03-01');

const litres = { billingMeterCode: 'litre', size: 1, max: 100, prices };
const water = {
  usageName: 'water',
  usageType: 'CONSUMABLE',
  billingPeriod: 'MONTHLY',
  tierBlockPolicy: 'ALL_TIERS',
  tiers: [{ tierNumber: 1, blocks: [litres] }],
} as const;

function metered(): readonly PlanRow[] {
  const before = row('2024-01-01');
  const usages = [{ ...water, prettyName: '' }];
  return [{ ...before, phases: before.phases.map((phase) => ({ ...phase, usages })) }];
}

function withUsage(...usages: readonly NonNullable<PhaseInput['usages']>[number][]) {
  return { phases: [{ ...evergreen, usages }] };
}

function withBlock(changes: Partial<typeof litres>) {
  return withUsage({ ...water, tiers: [{ tierNumber: 1, blocks: [{ ...litres, ...changes }] }] });
}

/** The XML catalog declares no features. */
const declared = { units: [] };

describe('plan entry change', () => {
  it('adds an immediately effective row with the given prices', () => {
    const added = updatedRow({ entry, declared, rows: [row('2024-01-01')] }, { phases: [evergreen] }, now);
    expect(added).to.include({ effectiveDate: now, createdOrder: 2, retired: false });
    expect(added.phases[0]?.recurringPrices?.prices).to.eql([{ currency: 'EUR', value: decimal('12') }]);
  });

  it('changes usage prices', () => {
    const value = decimal('0.5');
    const changed = withBlock({ prices: [{ currency: 'USD', value }] } as object);
    const added = updatedRow({ entry, declared, rows: metered() }, changed, now);
    expect(added.phases[0]?.usages[0]?.tiers[0]?.blocks[0]?.prices).to.eql([{ currency: 'USD', value }]);
  });

  const refused: Readonly<
    Record<string, readonly [readonly PlanRow[], Parameters<typeof updatedRow>[1], string]>
  > = {
    'a retired plan': [
      [row('2024-01-01'), row('2024-02-01', { retired: true })],
      { phases: [evergreen] },
      'is retired',
    ],
    'a date that is not after that of the latest row': [
      [row('2024-03-01')],
      { phases: [evergreen] },
      'must be after that of the latest row',
    ],
    'a date for existing subscriptions without an effective date': [
      [row('2024-01-01')],
      { phases: [evergreen], effectiveDateForExistingSubscriptions: day('2024-04-01') },
      'needs effDate',
    ],
    'a date for existing subscriptions before the effective date': [
      [row('2024-01-01')],
      {
        phases: [evergreen],
        effectiveDate: day('2024-04-01'),
        effectiveDateForExistingSubscriptions: day('2024-03-31'),
      },
      'is before the effective date',
    ],
    'a different phase type': [
      [row('2024-01-01')],
      { phases: [{ ...evergreen, type: 'FIXEDTERM', durationUnit: 'MONTHS', durationLength: 3 }] },
      'only prices may change',
    ],
    'a different billing period': [
      [row('2024-01-01')],
      { phases: [{ ...evergreen, recurringPrices: { billingPeriod: 'ANNUAL', prices } }] },
      'only prices may change',
    ],
    'an additional phase': [
      [row('2024-01-01')],
      { phases: [{ type: 'TRIAL', durationUnit: 'DAYS', durationLength: 3 }, evergreen] },
      'only prices may change',
    ],
    'a missing usage': [metered(), { phases: [evergreen] }, 'only prices may change'],
    'a different usage': [metered(), withUsage({ ...water, usageName: 'gas' }), 'only prices may change'],
    'an additional usage': [
      metered(),
      withUsage(water, { ...water, usageName: 'gas' }),
      'only prices may change',
    ],
    'a different usage billing period': [
      metered(),
      withUsage({ ...water, billingPeriod: 'ANNUAL' }),
      'only prices may change',
    ],
    'a different usage tier policy': [
      metered(),
      withUsage({ ...water, tierBlockPolicy: 'TOP_TIER' }),
      'only prices may change',
    ],
    'an additional tier': [
      metered(),
      withUsage({ ...water, tiers: [...water.tiers, { tierNumber: 2, blocks: [{ ...litres, max: 200 }] }] }),
      'only prices may change',
    ],
    'a different unit': [metered(), withBlock({ billingMeterCode: 'gallon' }), 'only prices may change'],
    'a different block size': [metered(), withBlock({ size: 2 }), 'only prices may change'],
    'a different tier maximum': [metered(), withBlock({ max: 50 }), 'only prices may change'],
    'a negative price': [
      [row('2024-01-01')],
      {
        phases: [
          {
            ...evergreen,
            recurringPrices: {
              billingPeriod: 'MONTHLY',
              prices: [{ currency: 'USD', value: decimal('-1') }],
            },
          },
        ],
      },
      'is negative',
    ],
  };
  for (const [title, [rows, update, message]] of Object.entries(refused))
    it(`rejects ${title}`, () => {
      const error = errorOf(() => updatedRow({ entry, declared, rows }, update, now));
      expect(error.code).to.equal(61004);
      expect(error.message).to.include(message);
    });

  const datesOf = (rows: readonly PlanRow[]): readonly string[] =>
    retirementRows(rows, now).map(
      ({ effectiveDate, createdOrder, retired }) =>
        `${formatInstant(effectiveDate).slice(0, 10)} ${createdOrder} ${retired}`,
    );

  it('retires a plan immediately, and ignores a plan that is already retired', () => {
    expect(datesOf([row('2024-01-01')])).to.eql(['2024-03-01 2 true']);
    expect(datesOf([row('2024-01-01'), row('2024-02-01', { retired: true })])).to.eql([]);
  });

  it('records the plan as of the retirement date', () => {
    const dear = row('2024-05-01', { createdOrder: 2 });
    const fixedPrices = [{ currency: 'USD' as const, value: decimal('7') }];
    const rows = [
      row('2024-01-01'),
      { ...dear, phases: dear.phases.map((phase) => ({ ...phase, fixedPrices })) },
    ];
    expect(retirementRows(rows, now).map(({ phases }) => phases[0]?.fixedPrices)).to.eql([[], fixedPrices]);
  });

  it('retires scheduled prices so that the plan does not return', () => {
    expect(datesOf([row('2024-01-01'), row('2024-05-01', { createdOrder: 2 })])).to.eql([
      '2024-03-01 3 true',
      '2024-05-01 4 true',
    ]);
    expect(datesOf([row('2024-05-01')])).to.eql(['2024-05-01 2 true']);
  });
});
