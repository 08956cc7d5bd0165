import { expect } from 'chai';
import type { LifecycleEvent } from '../../../lib/records/lifecycle-event.ts';
import type { CreateParts, Life } from '../../support/subscriptions/example.ts';
import { account, at, created, passed, workOf } from '../../support/subscriptions/example.ts';
import { choice, event } from '../../support/subscriptions/lifecycle.ts';

const CLOCK = at('2024-12-01');

function create(request: CreateParts['request'], billing = '2024-01-01'): Life {
  return created({
    account: account(),
    request,
    options: { billingDate: { at: at(billing) } },
    now: at('2024-01-01'),
  });
}

function eventOf(life: Life, type: LifecycleEvent['type']): LifecycleEvent {
  const found = life.events.find((candidate) => candidate.type === type);
  if (found === undefined) throw new Error(`no ${type} is stored`);
  return found;
}

describe('due subscription work', () => {
  it('stores the next phase after a PHASE, dated from the start of that PHASE, with the next sequence number', () => {
    const life = create({ planName: 'club-monthly' });
    const { addedEvents, busEvents } = workOf(life, eventOf(life, 'PHASE'), CLOCK);
    expect(addedEvents).to.have.length(1);
    expect(addedEvents[0]).to.deep.include({
      type: 'PHASE',
      phaseName: 'club-monthly-evergreen',
      sequence: 3,
      subscriptionId: life.subscription.id,
      isActive: true,
      createdDate: CLOCK,
    });
    expect(addedEvents[0]?.effective.at).to.equal(at('2024-07-31'));
    expect(busEvents.map(({ type }) => type)).to.eql(['SUBSCRIPTION_PHASE']);
  });

  it('stores nothing when the entry runs again', () => {
    const once = passed(create({ planName: 'club-monthly' }), at('2024-01-31'));
    expect(once.events).to.have.length(3);
    expect(workOf(once, eventOf(once, 'PHASE'), CLOCK).addedEvents).to.eql([]);
  });

  it('stores nothing after a last phase without an end', () => {
    const life = create({ planName: 'pro-monthly' });
    expect(workOf(life, eventOf(life, 'PHASE'), CLOCK).addedEvents).to.eql([]);
  });

  it('stores no phase after a pending change or end', () => {
    const life = create({ planName: 'club-monthly' });
    const { id: subscriptionId } = life.subscription;
    const later = [
      choice('CHANGE', '2024-06-01', { phaseName: 'pro-monthly-evergreen', subscriptionId }),
      event('CANCEL', '2024-07-31', { subscriptionId }),
    ];
    for (const pending of later) {
      const work = workOf({ ...life, events: [...life.events, pending] }, eventOf(life, 'PHASE'), CLOCK);
      expect(work.addedEvents, pending.type).to.eql([]);
    }
  });

  it('stores the phase before a pending change or end', () => {
    const life = create({ planName: 'club-monthly' });
    const { id: subscriptionId } = life.subscription;
    const later = [
      choice('CHANGE', '2024-08-01', { phaseName: 'pro-monthly-evergreen', subscriptionId }),
      event('CANCEL', '2024-08-01', { subscriptionId }),
    ];
    for (const pending of later) {
      const work = workOf({ ...life, events: [...life.events, pending] }, eventOf(life, 'PHASE'), CLOCK);
      expect(work.addedEvents, pending.type).to.have.length(1);
    }
  });

  it('does nothing for an event that is missing or voided by an end', () => {
    const life = create({ planName: 'club-monthly' });
    const phase = eventOf(life, 'PHASE');
    const nothing = { addedEvents: [], busEvents: [], addOnEnds: [], trialEnds: [], announcedTrial: null };
    const without = { ...life, events: life.events.filter((each) => each !== phase) };
    expect(workOf(without, phase, CLOCK)).to.eql(nothing);
    const cancel = event('CANCEL', '2024-01-20', { subscriptionId: life.subscription.id });
    expect(workOf({ ...life, events: [...life.events, cancel] }, phase, CLOCK)).to.eql(nothing);
  });

  it('emits all events at the instant of a future creation, and requests an invoice run with the last event', () => {
    const life = create({ planName: 'solo-now', billCycleDayLocal: 3, quantity: 2 }, '2024-02-01');
    const reported = life.events.flatMap((each) => workOf(life, each, CLOCK).busEvents);
    expect(
      reported.map(({ type, payload }) => [
        type,
        payload.actionType,
        payload.targetDate,
        payload.isLastOfOperation,
      ]),
    ).to.eql([
      ['SUBSCRIPTION_CREATION', 'EFFECTIVE', '2024-02-01', false],
      ['SUBSCRIPTION_BCD_CHANGE', 'EFFECTIVE', '2024-02-01', false],
      ['SUBSCRIPTION_QUANTITY', 'EFFECTIVE', '2024-02-01', true],
    ]);
  });

  it('emits an event for an expiry', () => {
    const life = create({ planName: 'term-3m' });
    const [reported] = workOf(life, eventOf(life, 'EXPIRED'), CLOCK).busEvents;
    expect(reported).to.deep.include({ type: 'SUBSCRIPTION_EXPIRED', accountRecordId: 1 });
    expect(reported?.payload).to.eql({
      accountId: life.account.id,
      bundleId: life.bundle.id,
      subscriptionId: life.subscription.id,
      bundleExternalKey: life.bundle.externalKey,
      actionType: 'EFFECTIVE',
      subscriptionChangeUndo: false,
      effectiveDate: '2024-04-01T00:00:00.000Z',
      targetDate: '2024-04-01',
      isLastOfOperation: true,
    });
  });
});
