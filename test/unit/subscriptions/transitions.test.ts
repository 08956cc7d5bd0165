import { expect } from 'chai';
import type { LifecycleEvent } from '../../../lib/records/lifecycle-event.ts';
import {
  billedTransitions,
  billingStateAt,
  planShownAt,
  type Transition,
  transitionsOf,
} from '../../../lib/subscriptions/timeline/transitions.ts';
import { at, exampleCatalog } from '../../support/subscriptions/example.ts';
import { choice, event } from '../../support/subscriptions/lifecycle.ts';

function transitions(...events: readonly LifecycleEvent[]): readonly Transition[] {
  return transitionsOf(events, exampleCatalog);
}

function typesOf(list: readonly Transition[]): readonly string[] {
  return list.map((transition) => transition.event.type);
}

const START = '2024-01-01';
const create = choice('CREATE', START, 'pro-monthly-trial');

describe('subscription transitions', () => {
  it('are sorted by instant, regardless of the input order', () => {
    const phase = event('PHASE', '2024-01-31', { phaseName: 'pro-monthly-evergreen' });
    const change = choice('CHANGE', '2024-03-01', 'solo-monthly-evergreen');
    expect(typesOf(transitions(change, phase, create))).to.eql(['CREATE', 'PHASE', 'CHANGE']);
  });

  it('start with CREATE at its instant, then follow the sequence', () => {
    const earlierInSequence = event('QUANTITY_CHANGE', START, { quantity: 2, sequence: 1 });
    const day = event('BCD_CHANGE', START, { billCycleDay: 5, sequence: 3 });
    const list = transitions(day, earlierInSequence, { ...create, sequence: 9 });
    expect(typesOf(list)).to.eql(['CREATE', 'QUANTITY_CHANGE', 'BCD_CHANGE']);
  });

  it('omit markers, and all events at or after the first end', () => {
    const list = transitions(
      create,
      event('UNCANCEL', '2024-01-10'),
      event('PHASE', '2024-01-31', { phaseName: 'pro-monthly-evergreen' }),
      event('CANCEL', '2024-02-10'),
      event('BCD_CHANGE', '2024-02-10', { billCycleDay: 7 }),
      event('EXPIRED', '2024-03-01'),
      event('UNDO_CHANGE', '2024-01-11'),
    );
    expect(typesOf(list)).to.eql(['CREATE', 'PHASE', 'CANCEL']);
  });

  it('include a PHASE at the instant of the end, but no other event at that instant', () => {
    const end = event('CANCEL', '2024-01-31');
    const before = [
      event('BCD_CHANGE', '2024-01-31', { billCycleDay: 7 }),
      event('PHASE', '2024-01-31', { phaseName: 'pro-monthly-evergreen' }),
    ].map((each, index) => ({ ...each, sequence: end.sequence - 2 + index }));
    const after = { ...event('PHASE', '2024-01-31'), sequence: end.sequence + 1 };
    const list = transitions(after, end, ...before, create);
    expect(typesOf(list)).to.eql(['CREATE', 'PHASE', 'CANCEL']);
    expect(list.at(-1)?.previous?.phase.name).to.equal('pro-monthly-evergreen');
    expect(typesOf(billedTransitions(list)), 'it does not affect billing').to.eql(['CREATE', 'CANCEL']);
  });

  it('include the CREATE of a subscription canceled at its start', () =>
    expect(typesOf(transitions(event('CANCEL', START), create))).to.eql(['CREATE', 'CANCEL']));

  it('pass the plan, phase and price list to the next transition', () => {
    const list = transitions(
      create,
      event('PHASE', '2024-01-31', { phaseName: 'pro-monthly-evergreen' }),
      event('BCD_CHANGE', '2024-02-05', { billCycleDay: 12 }),
      event('QUANTITY_CHANGE', '2024-02-06', { quantity: 3 }),
      choice('CHANGE', '2024-03-01', { phaseName: 'solo-now-evergreen', priceListName: 'notrial' }),
      event('CANCEL', '2024-04-01'),
    );
    const seen = list.map(({ event: { type }, previous, next, billCycleDay, quantity }) => ({
      type,
      from: previous && `${previous.phase.name} ${previous.priceListName}`,
      to: next && `${next.phase.name} ${next.priceListName}`,
      billCycleDay,
      quantity,
    }));
    const trial = 'pro-monthly-trial DEFAULT';
    const evergreen = 'pro-monthly-evergreen DEFAULT';
    const solo = 'solo-now-evergreen notrial';
    expect(seen).to.eql([
      { type: 'CREATE', from: null, to: trial, billCycleDay: null, quantity: null },
      { type: 'PHASE', from: trial, to: evergreen, billCycleDay: null, quantity: null },
      { type: 'BCD_CHANGE', from: evergreen, to: evergreen, billCycleDay: 12, quantity: null },
      { type: 'QUANTITY_CHANGE', from: evergreen, to: evergreen, billCycleDay: 12, quantity: 3 },
      { type: 'CHANGE', from: evergreen, to: solo, billCycleDay: 12, quantity: 3 },
      { type: 'CANCEL', from: solo, to: null, billCycleDay: 12, quantity: 3 },
    ]);
  });

  it('contain the latest bill cycle day and quantity, including changes at the same instant', () => {
    const list = transitions(
      create,
      event('BCD_CHANGE', START, { billCycleDay: 5 }),
      event('QUANTITY_CHANGE', START, { quantity: 2 }),
      event('BCD_CHANGE', START, { billCycleDay: 6 }),
      event('PHASE', '2024-01-31', { phaseName: 'pro-monthly-evergreen' }),
      event('QUANTITY_CHANGE', '2024-02-06', { quantity: 3 }),
    );
    expect(list.map(({ billCycleDay, quantity }) => [billCycleDay, quantity])).to.eql([
      [6, 2],
      [6, 2],
      [6, 2],
      [6, 2],
      [6, 2],
      [6, 3],
    ]);
  });

  it('are empty for a list that does not start with CREATE or TRANSFER', () => {
    expect(transitions(event('PHASE', START, { phaseName: 'pro-monthly-evergreen' }))).to.eql([]);
    expect(transitions()).to.eql([]);
  });
});

describe('transitions at a date', () => {
  const list = transitions(create, event('EXPIRED', '2024-02-01'));

  for (const [date, state] of [
    ['2023-12-31T23:59:59Z', 'PENDING'],
    ['2024-01-01', 'ACTIVE'],
    ['2024-01-31T23:59:59Z', 'ACTIVE'],
    ['2024-02-01', 'EXPIRED'],
  ] as const)
    it(`yield the billing state ${state} at ${date} for a subscription created in January`, () =>
      expect(billingStateAt(list, at(date))).to.equal(state));

  it('have the billing state CANCELLED after a CANCEL', () =>
    expect(billingStateAt(transitions(create, event('CANCEL', '2024-02-01')), at('2024-03-01'))).to.equal(
      'CANCELLED',
    ));

  it('provide the first plan before the start and the last plan after the end', () => {
    expect(planShownAt(list, at('2023-01-01'))?.phase.name).to.equal('pro-monthly-trial');
    expect(planShownAt(list, at('2025-01-01'))?.phase.name).to.equal('pro-monthly-trial');
  });
});
