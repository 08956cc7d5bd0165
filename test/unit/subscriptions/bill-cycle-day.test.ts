import { createCatalog } from '../../../lib/catalog/index.ts';
import { firstChargeDate } from '../../../lib/subscriptions/timeline/bill-cycle-day.ts';
import { transitionsOf } from '../../../lib/subscriptions/timeline/transitions.ts';
import { DEFAULT_RULES, phase, plan, product, version } from '../../support/catalogs/catalog-document.ts';
import type { CreateParts, Life } from '../../support/subscriptions/example.ts';
import { account, at, bundleViewFrom, created, nextId, viewOf } from '../../support/subscriptions/example.ts';
import { choice, dated, event } from '../../support/subscriptions/lifecycle.ts';
import { expect, formatLocalDate, localDateOf, UTC } from '../../support/unit.ts';

function firstCharge(life: Life): string {
  return formatLocalDate(firstChargeDate(transitionsOf(life.events, life.catalog), life.account.timeZone));
}

function create(request: CreateParts['request'], billCycleDayLocal = 0): Life {
  return created({ account: account({ billCycleDayLocal }), request, now: at('2024-01-05') });
}

function withPhases(initialPhases: string, finalPhase: string): Life {
  const catalog = createCatalog([version({ plans: plan('p-m', 'P', { initialPhases, finalPhase }) })]);
  return created({ account: account(), catalog, request: { planName: 'p-m' }, now: at('2024-01-05') });
}

const FREE = phase('TRIAL', { fixed: '' });
const EVERGREEN = phase('EVERGREEN', { price: '10' });

describe('calculation of first charges and bill cycle days', () => {
  it('dates the first charge to the billing start for a plan that charges immediately', () =>
    expect(firstCharge(create({ planName: 'solo-now' }))).to.equal('2024-01-05'));

  it('dates the first charge to the end of a free trial', () =>
    expect(firstCharge(create({ planName: 'pro-monthly' }))).to.equal('2024-02-04'));

  it('dates the first charge to the start of a requested phase', () =>
    expect(firstCharge(create({ planName: 'pro-monthly', phaseType: 'EVERGREEN' }))).to.equal('2024-01-05'));

  it('skips every free phase, including a phase with a recurring price of zero', () => {
    const discount = phase('DISCOUNT', { unit: 'MONTHS', number: 1, price: '0' });
    expect(firstCharge(withPhases(FREE + discount, EVERGREEN))).to.equal('2024-03-04');
  });

  it('dates the first charge to the start of an endless last phase, even a free phase', () =>
    expect(firstCharge(withPhases(FREE, phase('EVERGREEN', { price: '0' })))).to.equal('2024-02-04'));

  it('skips charges of phases before the billing start', () => {
    const paidTrial = phase('TRIAL', { price: '5' });
    const life = withPhases(paidTrial + phase('DISCOUNT', { fixed: '' }), EVERGREEN);
    const earlier = at('2023-12-01');
    const events = life.events.map((event) => ({
      ...event,
      phaseAnchor: { at: earlier, date: localDateOf(earlier, UTC) },
    }));
    expect(firstCharge({ ...life, events })).to.equal('2024-01-30');
  });

  it('dates the first charge to the billing start for a plan that ends without a recurring charge', () => {
    const term = phase('FIXEDTERM', { unit: 'MONTHS', number: 3, fixed: '99' });
    expect(firstCharge(withPhases(FREE, term))).to.equal('2024-01-05');
  });
});

describe('bill cycle day calculation', () => {
  it('sets the bill cycle day to the account’s day for a plan aligned to the account', () =>
    expect(viewOf(create({ planName: 'pro-monthly' }, 17)).billCycleDayLocal).to.equal(17));

  it('leaves the bill cycle day unknown while the account has no bill cycle day', () =>
    expect(viewOf(create({ planName: 'pro-monthly' })).billCycleDayLocal).to.equal(null));

  it('sets the bill cycle day to the day of the first charge for a plan aligned to the subscription', () =>
    expect(viewOf(create({ planName: 'pro-annual' }, 17)).billCycleDayLocal).to.equal(4));

  it('sets the bill cycle day to the requested day, if any', () =>
    expect(viewOf(create({ planName: 'pro-annual', billCycleDayLocal: 28 }, 17)).billCycleDayLocal).to.equal(
      28,
    ));

  it('keeps the aligned bill cycle day until a requested day takes effect', () => {
    const life = created({
      account: account({ billCycleDayLocal: 17 }),
      request: { planName: 'solo-now', billCycleDayLocal: 28 },
      options: { billingDate: { at: at('2024-03-01') } },
      now: at('2024-01-05'),
    });
    expect(viewOf(life).billCycleDayLocal).to.equal(17);
    expect(viewOf(life, at('2024-03-01')).billCycleDayLocal).to.equal(28);
  });
});

describe('bill cycle day calculation for bundles', () => {
  /** Returns the bill cycle days of a base with these additional events and of an add-on that begins later. */
  function bundled(base: Life, ...added: readonly ReturnType<typeof event>[]): readonly (number | null)[] {
    const id = nextId();
    const alignStart = dated('2024-01-20');
    const addOn = { ...base.subscription, id, recordId: 2, category: 'ADD_ON', alignStart } as const;
    const { account: customer, bundle, blockingStates, catalog: plans } = base;
    const { subscriptions } = bundleViewFrom({
      account: customer,
      bundle,
      subscriptions: [base.subscription, addOn],
      events: [
        ...base.events,
        ...added,
        choice('CREATE', '2024-01-20', { phaseName: 'support-monthly-evergreen', subscriptionId: id }),
      ],
      blockingStates,
      plans,
      now: at('2024-03-01'),
    });
    return subscriptions.map(({ billCycleDayLocal }) => billCycleDayLocal);
  }

  it('uses the day of the base’s first charge for BUNDLE alignment, regardless of the account', () =>
    expect(bundled(create({ planName: 'pro-monthly' }, 17))).to.eql([17, 4]));

  it('ignores a bill cycle day requested for the base', () => {
    const base = create({ planName: 'pro-monthly' }, 17);
    const { id: subscriptionId } = base.subscription;
    const added = event('BCD_CHANGE', '2024-02-20', { subscriptionId, billCycleDay: 28 });
    expect(bundled(base, added)).to.eql([28, 4]);
  });

  it('uses the day of its own first charge for a STANDALONE subscription', () => {
    const bundleAligned = version({
      products: product('P', { category: 'STANDALONE' }),
      rules: `${DEFAULT_RULES}<billingAlignment><billingAlignmentCase>
        <alignment>BUNDLE</alignment></billingAlignmentCase></billingAlignment>`,
    });
    const life = created({
      account: account({ billCycleDayLocal: 17 }),
      request: { planName: 'p-m' },
      now: at('2024-01-05'),
      catalog: createCatalog([bundleAligned]),
    });
    expect(viewOf(life).billCycleDayLocal).to.equal(5);
  });
});
