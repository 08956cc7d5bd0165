import { expect } from 'chai';
import type { BlockingState } from '../../../lib/records/blocking-state.ts';
import type { LifecycleEvent } from '../../../lib/records/lifecycle-event.ts';
import { subscriptionStateAt } from '../../../lib/subscriptions/blocking/states-in-force.ts';
import { transitionsOf } from '../../../lib/subscriptions/timeline/transitions.ts';
import { at, exampleCatalog, nextId } from '../../support/subscriptions/example.ts';
import { choice, event, state, subscriptionId } from '../../support/subscriptions/lifecycle.ts';

const bundleId = nextId();
const create = choice('CREATE', '2024-01-10', 'pro-monthly-trial');
const started = state('ENT_STARTED', '2024-01-10');

interface Parts {
  readonly events?: readonly LifecycleEvent[];
  readonly states?: readonly BlockingState[];
}

function stateAt(date: string, { events = [create], states = [started] }: Parts = {}): string {
  const transitions = transitionsOf(events, exampleCatalog);
  return subscriptionStateAt({ subscriptionId, transitions, blockingStates: states }, at(date));
}

const paused = (date: string) =>
  state('ENT_BLOCKED', date, { blockedId: bundleId, isBlockEntitlement: true, isBlockBilling: true });
const resumed = (date: string) => state('ENT_CLEAR', date, { blockedId: bundleId });

describe('subscription state', () => {
  it('is PENDING before its entitlement date, then ACTIVE', () => {
    expect(stateAt('2024-01-09T23:59:59Z')).to.equal('PENDING');
    expect(stateAt('2024-01-10')).to.equal('ACTIVE');
  });

  it('follows the entitlement date, not the billing date', () => {
    const states = [state('ENT_STARTED', '2024-01-05')];
    expect(stateAt('2024-01-06', { states })).to.equal('ACTIVE');
    expect(stateAt('2024-01-11', { states: [state('ENT_STARTED', '2024-02-05')] })).to.equal('PENDING');
  });

  it('is CANCELLED starting with its ENT_CANCELLED state', () => {
    const states = [started, state('ENT_CANCELLED', '2024-02-01', { isBlockEntitlement: true })];
    expect(stateAt('2024-01-31T23:59:59Z', { states })).to.equal('ACTIVE');
    expect(stateAt('2024-02-01', { states })).to.equal('CANCELLED');
  });

  it('is EXPIRED starting with the expiry, unless it was canceled before', () => {
    const events = [create, event('EXPIRED', '2024-02-01')];
    expect(stateAt('2024-02-01', { events })).to.equal('EXPIRED');
    const states = [started, state('ENT_CANCELLED', '2024-01-20')];
    expect(stateAt('2024-02-01', { events, states })).to.equal('CANCELLED');
  });

  it('is EXPIRED, not PENDING, when its term ends before its service starts', () => {
    const events = [create, event('EXPIRED', '2024-02-01')];
    expect(stateAt('2024-02-02', { events, states: [state('ENT_STARTED', '2024-03-01')] })).to.equal(
      'EXPIRED',
    );
  });

  it('is BLOCKED while an entitlement block is in force at any level', () => {
    const states = [started, paused('2024-02-01'), resumed('2024-02-10')];
    expect(stateAt('2024-01-31', { states })).to.equal('ACTIVE');
    expect(stateAt('2024-02-01', { states })).to.equal('BLOCKED');
    expect(stateAt('2024-02-10', { states })).to.equal('ACTIVE');
  });

  it('is PENDING, not BLOCKED, before its start', () =>
    expect(stateAt('2024-01-05', { states: [started, paused('2024-01-01')] })).to.equal('PENDING'));

  it('stays BLOCKED while another service or another object still blocks', () => {
    const other = state('HOLD', '2024-02-02', {
      blockedId: bundleId,
      service: 'fraud',
      isBlockEntitlement: true,
    });
    const onAccount = state('ENT_BLOCKED', '2024-02-03', { blockedId: nextId(), isBlockEntitlement: true });
    expect(
      stateAt('2024-02-11', { states: [started, paused('2024-02-01'), other, resumed('2024-02-10')] }),
    ).to.equal('BLOCKED');
    expect(
      stateAt('2024-02-11', { states: [started, paused('2024-02-01'), onAccount, resumed('2024-02-10')] }),
    ).to.equal('BLOCKED');
  });
});
