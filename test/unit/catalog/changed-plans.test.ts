import { expect } from 'chai';
import { type CatalogVersion, CatalogVersion as Version } from '../../../lib/catalog/index.ts';
import { changedPlans } from '../../../lib/catalog/lookup/catalog-version.ts';
import { PartList } from '../../../lib/catalog/model/part.ts';
import { at, DEFAULT_RULES, lists, plan, version } from '../../support/catalogs/catalog-document.ts';

const NAMES = ['p-m', 'q-m', 'r-m'];

/** Returns a version with these plans. Plans with the same name and price are the same value in all versions. */
const known = new Map<string, CatalogVersion['planParts']['parts'][number]>();
function dated(date: string, prices: Readonly<Record<string, string>>, rules = ''): CatalogVersion {
  const made = version({
    effectiveDate: date,
    rules: DEFAULT_RULES + rules,
    plans: Object.entries(prices)
      .map(([name, price]) => plan(name, 'P', { price }))
      .join(''),
    priceLists: lists({ DEFAULT: Object.keys(prices) }),
  });
  const parts = made.planParts.parts.map((part) => {
    const key = `${part.name} ${prices[part.name]}`;
    const shared = known.get(key) ?? part;
    known.set(key, shared);
    return shared;
  });
  const { effectiveDate, frame, productParts: products } = made;
  return new Version({ effectiveDate, frame, products, plans: new PartList(parts) });
}

const alike = { 'p-m': '1', 'q-m': '1', 'r-m': '1' };
const ALIGNED = `<billingAlignment><billingAlignmentCase><alignment>SUBSCRIPTION</alignment>
  </billingAlignmentCase></billingAlignment>`;

function changedBy(before: readonly CatalogVersion[], ...added: readonly CatalogVersion[]) {
  const after = [...before, ...added].toSorted((one, other) => one.effectiveDate - other.effectiveDate);
  const changed = changedPlans(before, after);
  return changed && [...changed].toSorted();
}

describe('changed plans of added versions', () => {
  const first = dated('2024-01-01', alike);
  const third = dated('2024-03-01', { ...alike, 'r-m': '3' });

  it('form an empty list if no version was added or a version repeats its predecessor', () => {
    expect(changedBy([first, third])).to.eql([]);
    expect(changedBy([first, third], dated('2024-02-01', alike))).to.eql([]);
    expect(changedBy([first], dated('2024-02-01', alike), dated('2024-02-02', alike))).to.eql([]);
  });

  it('include changed, new and removed plans', () => {
    expect(changedBy([first], dated('2024-02-01', { ...alike, 'q-m': '2' }))).to.eql(['q-m']);
    expect(changedBy([first], dated('2024-02-01', { ...alike, 's-m': '1' }))).to.eql(['s-m']);
    expect(changedBy([first], dated('2024-02-01', { 'p-m': '1', 'q-m': '1' }))).to.eql(['r-m']);
    const [second, later] = [
      dated('2024-02-01', { ...alike, 'q-m': '2' }),
      dated('2024-02-02', { ...alike, 'q-m': '2', 'p-m': '2' }),
    ];
    expect(changedBy([first], second, later)).to.eql(['p-m', 'q-m']);
  });

  it('are found by comparing an inserted version with its predecessor, not its successor', () =>
    expect(changedBy([first, third], dated('2024-02-01', { ...alike, 'r-m': '3' }))).to.eql(['r-m']));

  it('are found by comparing a new first version with the former first version', () => {
    expect(changedBy([first, third], dated('2023-01-01', alike))).to.eql([]);
    expect(changedBy([first, third], dated('2023-01-01', { ...alike, 'p-m': '0.5' }))).to.eql(['p-m']);
  });

  it('include all plans when no version existed before or the bill cycle rule differs', () => {
    expect(changedBy([], first)).to.equal(null);
    expect(changedBy([first], dated('2024-02-01', alike, ALIGNED))).to.equal(null);
    expect(changedBy([dated('2023-01-01', alike, ALIGNED)], dated('2024-02-01', alike, ALIGNED))).to.eql([]);
  });

  it('are computed without reading any plan', () => {
    const unread = (): CatalogVersion => {
      const parts = NAMES.map((name) => ({
        name,
        forExisting: null,
        get value(): never {
          throw new Error('read');
        },
      }));
      const { frame, productParts: products } = first;
      return new Version({ effectiveDate: at('2024-02-01'), frame, products, plans: new PartList(parts) });
    };
    expect(changedBy([first], unread())).to.eql(NAMES);
  });
});
