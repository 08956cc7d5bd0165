import { changedFeatures, valuesOf } from '../../../lib/features/evaluation/changed-features.ts';
import { featuresAt } from '../../../lib/features/evaluation/features-at.ts';
import {
  findOverridesToEnd,
  untilNext,
  writtenValue,
} from '../../../lib/features/evaluation/override-value.ts';
import type { FeatureKind } from '../../../lib/records/index.ts';
import { factsOf, held, overrideOf } from '../../support/features/feature-facts.ts';
import { at } from '../../support/subscriptions/example.ts';
import { codeOf, decimal, expect } from '../../support/unit.ts';

describe('feature changes and overrides (features §5)', () => {
  const facts = factsOf([held('pro-evergreen', '2026-03-10')]);
  const now = featuresAt(facts, at('2026-03-20'));

  it('are determined at the first check relative to an account without contributions', () => {
    expect(changedFeatures({}, now)).to.have.deep.members([
      { feature: 'sso', from: 'false', to: 'true' },
      { feature: 'seats', from: '0', to: '5' },
      { feature: 'support', from: null, to: 'email' },
      { feature: 'calls', from: '0', to: '1000' },
    ]);
    expect(changedFeatures(valuesOf(now), now)).to.eql([]);
  });

  it('include features that are no longer declared, but not features that never had a value', () => {
    expect(changedFeatures({ ...valuesOf(now), gone: '3' }, now)).to.eql([
      { feature: 'gone', from: '3', to: null },
    ]);
    expect(valuesOf(now)).to.not.have.property('daily');
  });
});

describe('override values (features §2)', () => {
  const written = (kind: FeatureKind, value: unknown, unit: string | null = 'call') =>
    writtenValue({ name: 'f', kind }, value, unit);
  const unset = { per: null, overage: null, perQuantity: null };

  it('have a format that depends on the kind of feature', () => {
    expect(written('SWITCH', true)).to.eql({ ...unset, value: 'true' });
    expect(written('NUMBER', decimal('5.50'))).to.eql({ ...unset, value: '5.5' });
    expect(written('NUMBER', { amount: '5', perQuantity: true })).to.eql({
      ...unset,
      value: '5',
      perQuantity: true,
    });
    expect(written('TEXT', 'true')).to.eql({ ...unset, value: 'true' });
    const quota = { amount: '5', per: 'DAY', overage: 'BILL' };
    expect(written('QUOTA', quota)).to.eql({ value: '5', per: 'DAY', overage: 'BILL', perQuantity: null });
  });

  const invalid: readonly (readonly [FeatureKind, unknown, unit?: null])[] = [
    ['SWITCH', 'yes'],
    ['NUMBER', true],
    ['NUMBER', '-1'],
    ['TEXT', true],
    ['QUOTA', '5'],
    ['QUOTA', { amount: '5' }],
    ['QUOTA', { amount: '5', per: 'WEEK' }],
    ['QUOTA', { amount: '5', per: 'DAY', overage: 'BILL' }, null],
  ];
  for (const [kind, value, unit = 'call'] of invalid)
    it(`are rejected for a ${kind} as ${JSON.stringify(value)}${unit === null ? ' without a unit' : ''}`, async () => {
      expect(await codeOf(Promise.resolve().then(() => written(kind, value, unit)))).to.equal(63003);
    });
});

describe('override spans (features §2 rule 4)', () => {
  const span = (from: string, until: string | null = null) =>
    overrideOf('f', {
      kind: 'SWITCH',
      value: { value: 'true', per: null, overage: null, perQuantity: null },
      from: at(from),
      until: until === null ? null : at(until),
    });

  it('end at the start of the next override of the same target', () => {
    const others = [span('2026-05-01'), span('2026-04-01'), span('2026-02-01')];
    expect(untilNext(span('2026-03-01'), others)).to.equal(at('2026-04-01'));
    expect(untilNext(span('2026-03-01', '2026-03-15'), others)).to.equal(at('2026-03-15'));
    expect(untilNext(span('2026-03-01'), [])).to.equal(null);
    // An override that ended at its own start never applied.
    expect(untilNext(span('2026-03-01'), [span('2026-04-01', '2026-04-01')])).to.equal(null);
  });

  it('end the overrides of the same target that apply at their start', () => {
    const open = span('2026-02-01');
    const same = span('2026-03-01');
    const over = span('2026-01-01', '2026-03-01');
    expect(findOverridesToEnd(span('2026-03-01'), [open, same, over, span('2026-04-01')])).to.eql([
      open,
      same,
    ]);
  });
});
