import { CatalogVersion, defineCatalog, featureDifferences } from '../../../lib/catalog/index.ts';
import { atOnce } from '../../../lib/runtime/index.ts';
import { expect } from '../../support/unit.ts';

const finalPhase = {
  type: 'EVERGREEN',
  recurring: { billingPeriod: 'MONTHLY', price: { USD: '1' } },
} as const;

interface Parts {
  readonly seats?: '1' | '2';
  readonly ofProduct?: '1' | '2';
  readonly price?: '1' | '2';
  readonly combine?: 'SUM' | 'MAX';
}

/** Returns a version with `seats` on the plan `a` and, through its product, on the plan `b`. `c` has no features. */
function version(
  effectiveDate: string,
  { seats = '1', ofProduct = '1', price = '1', combine = 'SUM' }: Parts,
) {
  const { catalog } = defineCatalog({
    name: 'Test',
    effectiveDate,
    recurringBillingMode: 'IN_ADVANCE',
    currencies: ['USD'],
    features: { seats: { kind: 'NUMBER', combine } },
    products: { A: { category: 'BASE' }, B: { category: 'BASE', features: { seats: ofProduct } } },
    plans: {
      a: { product: 'A', features: { seats }, finalPhase },
      b: { product: 'B', finalPhase },
      c: {
        product: 'A',
        finalPhase: { ...finalPhase, recurring: { ...finalPhase.recurring, price: { USD: price } } },
      },
    },
  });
  const [first] = catalog.versions;
  if (first === undefined) throw new Error('the catalog has no version');
  return first;
}

describe('feature differences between catalog versions', () => {
  const january = version('2026-01-01', {});
  const changed = (...added: readonly ReturnType<typeof version>[]) => {
    const after = [january, ...added].toSorted((a, b) => a.effectiveDate - b.effectiveDate);
    const { plans, features } = atOnce(featureDifferences([january], after));
    return [[...plans], [...features]];
  };

  it('include plans if their own values or the values of their products differ', () => {
    expect(changed()).to.eql([[], []]);
    expect(changed(version('2026-02-01', { price: '2' }))).to.eql([[], []]);
    expect(changed(version('2026-02-01', { seats: '2' }))).to.eql([['a'], []]);
    const other = version('2026-02-01', { ofProduct: '2' });
    expect(changed(other)).to.eql([['b'], []]);
    const { effectiveDate, frame, productParts: products } = other;
    const sharing = new CatalogVersion({ effectiveDate, frame, products, plans: january.planParts });
    expect(changed(sharing), 'with the same plans').to.eql([['b'], []]);
  });

  it('are computed between versions that are added together, and for a version before all others', () => {
    const versions = [
      version('2026-02-01', { seats: '2' }),
      version('2026-03-01', { seats: '2', ofProduct: '2' }),
    ];
    expect(changed(...versions)).to.eql([['a', 'b'], []]);
    expect(changed(version('2025-01-01', { seats: '2' }))).to.eql([['a'], []]);
  });

  it('include declarations, even if no values differ', () => {
    expect(changed(version('2026-02-01', { combine: 'MAX' }))).to.eql([[], ['seats']]);
  });

  it('include all values of a first version', () => {
    const { plans, features } = atOnce(featureDifferences([], [january]));
    expect([[...plans], [...features]]).to.eql([['a', 'b'], ['seats']]);
  });
});
