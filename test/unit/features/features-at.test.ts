import { valuesOf } from '../../../lib/features/evaluation/changed-features.ts';
import { contributedText } from '../../../lib/features/evaluation/feature-views.ts';
import { type FeatureFacts, featuresAt } from '../../../lib/features/evaluation/features-at.ts';
import { factsOf, held, overrideOf } from '../../support/features/feature-facts.ts';
import { at } from '../../support/subscriptions/example.ts';
import { event, state } from '../../support/subscriptions/lifecycle.ts';
import { expect, formatInstant, type Instant } from '../../support/unit.ts';

const unset = { per: null, overage: null, perQuantity: null };
const text = (instant: Instant | null) => (instant === null ? null : formatInstant(instant).slice(0, 10));

const values = (facts: FeatureFacts, when: string) => valuesOf(featuresAt(facts, at(when)));
const pro = () => held('pro-evergreen', '2026-03-10');

describe('features of an account at an instant (features §2)', () => {
  it('depend on the phase, the plan and the quantity in force', () => {
    const trial = held('pro-trial', '2026-03-10', {
      events: [
        event('PHASE', '2026-03-24', {
          planName: 'pro',
          phaseName: 'pro-evergreen',
          priceListName: 'DEFAULT',
        }),
        event('QUANTITY_CHANGE', '2026-04-01', { quantity: 4 }),
      ],
    });
    const facts = factsOf([trial]);
    const others = { sso: 'true', support: 'email' };
    expect(values(facts, '2026-03-09')).to.eql({});
    expect(values(facts, '2026-03-23')).to.eql({ ...others, seats: '5', calls: '100' });
    expect(values(facts, '2026-03-24')).to.eql({ ...others, seats: '5', calls: '1000' });
    expect(values(facts, '2026-04-01')).to.eql({ ...others, seats: '20', calls: '1000' });
  });

  it('combine base subscriptions before add-ons, and older subscriptions before newer subscriptions', () => {
    const extra = held('extra-evergreen', '2026-03-01', { category: 'ADD_ON' });
    const older = held('max-evergreen', '2026-03-05');
    const facts = factsOf([extra, pro(), older]);
    expect(values(facts, '2026-03-20')).to.eql({ sso: 'true', seats: '28', support: 'phone', calls: '6500' });
    const { features } = featuresAt(facts, at('2026-03-20'));
    expect(features.get('seats')?.sources.map(contributedText)).to.eql(['20', '5', '3']);
    const counted = features.get('calls')?.counted ?? [];
    expect(counted.map(({ planName }) => planName)).to.eql(['extra', 'max', 'pro']);
  });

  it('end with the service, and are absent while it is blocked', () => {
    const paused = state('ENT_BLOCKED', '2026-04-01', { isBlockEntitlement: true });
    const resumed = state('ENT_CLEAR', '2026-04-05');
    const ended = state('ENT_CANCELLED', '2026-05-01', { isBlockEntitlement: true });
    const facts = factsOf([held('max-evergreen', '2026-03-10', { states: [paused, resumed, ended] })]);
    const sso = (when: string) => values(facts, when).sso;
    expect(['2026-03-31', '2026-04-01', '2026-04-05', '2026-05-01'].map(sso)).to.eql([
      'true',
      undefined,
      'true',
      undefined,
    ]);
    const untils = ['2026-03-20', '2026-04-02', '2026-04-20'].map((when) =>
      text(featuresAt(facts, at(when)).valuesUntil),
    );
    expect(untils).to.eql(['2026-04-01', '2026-04-05', '2026-05-01']);
  });

  it('use the value of a subscription override while both the override and the subscription are active', () => {
    const base = pro();
    const seats = overrideOf('seats', {
      kind: 'NUMBER',
      value: { ...unset, value: '7', perQuantity: true },
      subscriptionId: base.subscription.id,
      from: at('2026-03-01'),
      until: at('2026-04-01'),
    });
    const facts = factsOf([base, held('max-evergreen', '2026-03-10')], [seats]);
    expect(['2026-03-05', '2026-03-20', '2026-04-01'].map((when) => values(facts, when).seats)).to.eql([
      undefined,
      '27',
      '25',
    ]);
  });

  it('use the value of an account override instead of all contributions', () => {
    const seats = overrideOf('seats', { kind: 'NUMBER', value: { ...unset, value: 'UNLIMITED' } });
    const calls = overrideOf('calls', { kind: 'QUOTA', value: { ...unset, value: '3', per: 'EVER' } });
    const other = overrideOf('sso', { kind: 'TEXT', value: { ...unset, value: 'no' } });
    const facts = factsOf([pro()], [seats, calls, other]);
    const { features } = featuresAt(facts, at('2026-03-20'));
    expect(values(facts, '2026-03-20')).to.include({ seats: 'UNLIMITED', calls: '3', sso: 'true' });
    const [source, ...more] = features.get('calls')?.counted ?? [];
    expect(more).to.eql([]);
    expect(source?.quota).to.include({ ownerId: facts.account.id, resetsAt: null, unit: null });
    expect(values(factsOf([], [seats]), '2026-03-20')).to.eql({ seats: 'UNLIMITED' });
  });

  it('are billed beyond a quota only if the plan has a price for the unit', () => {
    const billed = (phase: string) => {
      const one = held(phase, '2026-03-10');
      const value = { ...unset, value: '1', per: 'MONTH', overage: 'BILL' } as const;
      const subscriptionId = one.subscription.id;
      const facts = factsOf([one], [overrideOf('calls', { kind: 'QUOTA', value, subscriptionId })]);
      return featuresAt(facts, at('2026-03-20')).features.get('calls')?.counted[0]?.quota.unit;
    };
    expect([billed('max-evergreen'), billed('pro-evergreen')]).to.eql(['call', null]);
  });

  it('are valid until the next period, phase or override', () => {
    const facts = factsOf([pro()]);
    const later = overrideOf('sso', {
      kind: 'SWITCH',
      value: { ...unset, value: 'false' },
      from: at('2026-03-25'),
    });
    const { until, valuesUntil } = featuresAt(facts, at('2026-03-20'));
    expect([text(until), text(valuesUntil)]).to.eql(['2026-04-01', null]);
    expect(text(featuresAt({ ...facts, overrides: [later] }, at('2026-03-20')).until)).to.equal('2026-03-25');
  });
});
