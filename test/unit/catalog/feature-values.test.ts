import { featureValuesOf, type Plan, type Product, parseFeatureValue } from '../../../lib/catalog/index.ts';
import {
  type FeatureDeclaration,
  FeatureKind,
  type FeatureSetting,
  type WrittenFeatureValue,
} from '../../../lib/records/index.ts';
import { version } from '../../support/catalogs/catalog-document.ts';
import { decimal, expect } from '../../support/unit.ts';

const unset = { per: null, overage: null, perQuantity: null };

function written(value: string, options: Partial<WrittenFeatureValue> = {}): WrittenFeatureValue {
  return { value, ...unset, ...options };
}

function setting(name: string, value: string): FeatureSetting {
  return { name, ...written(value) };
}

describe('feature values', () => {
  it('are parsed according to their kind', () => {
    expect(parseFeatureValue('SWITCH', written('false'))).to.eql({ kind: 'SWITCH', isOn: false });
    expect(parseFeatureValue('TEXT', written(' e-mail '))).to.eql({ kind: 'TEXT', text: ' e-mail ' });
    expect(parseFeatureValue('NUMBER', written('5.50', { perQuantity: true }))).to.eql({
      kind: 'NUMBER',
      amount: decimal('5.5'),
      perQuantity: true,
    });
    expect(parseFeatureValue('QUOTA', written('1000', { per: 'MONTH' }))).to.eql({
      kind: 'QUOTA',
      amount: decimal(1000),
      per: 'MONTH',
      overage: 'BLOCK',
      perQuantity: false,
    });
  });

  it('can be unlimited only for the kind NUMBER', () => {
    expect(parseFeatureValue('NUMBER', written('UNLIMITED'))).to.eql({
      kind: 'NUMBER',
      amount: null,
      perQuantity: false,
    });
    expect(parseFeatureValue('QUOTA', written('UNLIMITED', { per: 'DAY' }))).to.equal(undefined);
  });

  const wrong: readonly (readonly [FeatureKind, WrittenFeatureValue])[] = [
    ['SWITCH', written('yes')],
    ['SWITCH', written('true', { perQuantity: false })],
    ['NUMBER', written('-1')],
    ['NUMBER', written('many')],
    ['NUMBER', written('1', { per: 'DAY' })],
    ['TEXT', written('x'.repeat(256))],
    ['TEXT', written('x', { overage: 'BLOCK' })],
    ['QUOTA', written('1')],
    ['QUOTA', written('-1', { per: 'DAY' })],
    ['QUOTA', written('1.0000000001', { per: 'DAY' })],
  ];
  for (const [kind, value] of wrong) {
    it(`of kind ${kind} cannot be ${JSON.stringify(value).slice(0, 80)}`, () => {
      expect(parseFeatureValue(kind, value)).to.equal(undefined);
    });
  }
});

describe('feature values of a phase', () => {
  const features: readonly FeatureDeclaration[] = ['a', 'b', 'c', 'constructor'].map((name) => ({
    name,
    kind: FeatureKind.TEXT,
    combine: null,
    unit: null,
  }));
  const { plans, products } = version();
  const [plan] = plans as readonly [Plan];
  const [product] = products as readonly [Product];
  const catalog = {
    features,
    productNamed: () => ({
      ...product,
      features: [setting('a', 'product'), setting('b', 'product'), setting('c', 'product')],
    }),
  };

  it('come from the phase, then from the plan, then from the product', () => {
    const ofPlan = { ...plan, features: [setting('b', 'plan'), setting('c', 'plan')] };
    const phase = { ...plan.finalPhase, features: [setting('c', 'phase')] };
    expect([...featureValuesOf(catalog, ofPlan, phase)]).to.eql([
      ['a', { kind: 'TEXT', text: 'product' }],
      ['b', { kind: 'TEXT', text: 'plan' }],
      ['c', { kind: 'TEXT', text: 'phase' }],
    ]);
  });

  it('are empty if no features are declared', () => {
    expect(featureValuesOf({ ...catalog, features: [] }, plan, plan.finalPhase).size).to.equal(0);
  });
});
