import {
  BillingActionPolicy,
  BillingAlignment,
  BillingMode,
  BlockType,
  FeatureCombination,
  FeatureKind,
  FixedType,
  PhaseType,
  PlanAlignmentChange,
  PlanAlignmentCreate,
  ProductCategory,
  QuotaOverage,
  QuotaPeriod,
  TierBlockPolicy,
  UsageType,
} from '../../../lib/records/catalog/catalog-enumerations.ts';
import { expect, TimeUnit } from '../../support/unit.ts';

// catalog §1; the billing periods of §9 and the currencies have separate tables.

const enumerations: readonly (readonly [name: string, values: object, wire: string])[] = [
  ['ProductCategory', ProductCategory, 'BASE ADD_ON STANDALONE'],
  ['PhaseType', PhaseType, 'TRIAL DISCOUNT FIXEDTERM EVERGREEN'],
  ['TimeUnit', TimeUnit, 'DAYS WEEKS MONTHS YEARS UNLIMITED'],
  ['BillingMode', BillingMode, 'IN_ADVANCE IN_ARREAR'],
  ['FixedType', FixedType, 'ONE_TIME'],
  ['UsageType', UsageType, 'CONSUMABLE CAPACITY'],
  ['TierBlockPolicy', TierBlockPolicy, 'ALL_TIERS TOP_TIER'],
  ['BlockType', BlockType, 'VANILLA TOP_UP TIERED'],
  ['BillingActionPolicy', BillingActionPolicy, 'IMMEDIATE END_OF_TERM START_OF_TERM ILLEGAL'],
  ['PlanAlignmentCreate', PlanAlignmentCreate, 'START_OF_BUNDLE START_OF_SUBSCRIPTION'],
  [
    'PlanAlignmentChange',
    PlanAlignmentChange,
    'START_OF_BUNDLE START_OF_SUBSCRIPTION CHANGE_OF_PLAN CHANGE_OF_PRICELIST',
  ],
  ['FeatureKind', FeatureKind, 'SWITCH NUMBER TEXT QUOTA'],
  ['FeatureCombination', FeatureCombination, 'SUM MAX'],
  ['QuotaPeriod', QuotaPeriod, 'BILLING_PERIOD DAY MONTH YEAR EVER'],
  ['QuotaOverage', QuotaOverage, 'BLOCK ALLOW BILL'],
  ['BillingAlignment', BillingAlignment, 'ACCOUNT BUNDLE SUBSCRIPTION'],
];

describe('catalog enumerations', () => {
  for (const [name, values, wire] of enumerations)
    it(`define ${name} as ${wire} (catalog §1)`, () => {
      expect(Object.values(values).join(' ')).to.equal(wire);
      expect(Object.keys(values)).to.eql(Object.values(values));
    });
});
