import { expect } from 'chai';
import { CLEAR_STATE_NAME } from '../../../lib/overdue/config/overdue-config.ts';
import type { OverdueBlock, TransitionInput } from '../../../lib/overdue/evaluation/transition.ts';
import { blockOf, planTransition } from '../../../lib/overdue/evaluation/transition.ts';
import type { OverdueState } from '../../../lib/overdue/index.ts';
import { instantAt, MIDNIGHT, parseLocalDate, UTC } from '../../../lib/values/time/index.ts';
import { state } from '../../support/overdue/states.ts';

const date = parseLocalDate('2012-07-10');
const effective = { date, at: instantAt(date, MIDNIGHT, UTC) };

const warned = state('WARNED', { blockChanges: true });
const told = state('TOLD');
const blocked = state('BLOCKED', { disableEntitlement: true });
const gone = state('GONE', { disableEntitlement: true, cancellationPolicy: 'IMMEDIATE' });

/** From one state to another; null = clear. */
function from(
  prev: OverdueState | OverdueBlock | null,
  next: OverdueState | null,
  tag: Partial<Pick<TransitionInput, 'hasInvoicingOff' | 'ownsInvoicingOff'>> = {},
) {
  return planTransition({
    prev: prev !== null && 'name' in prev ? blockOf(prev) : prev,
    next,
    hasInvoicingOff: false,
    ownsInvoicingOff: false,
    effective,
    ...tag,
  });
}

describe('Overdue transition', () => {
  for (const { of, flags } of [
    { of: null, flags: { isBlockChange: false, isBlockEntitlement: false, isBlockBilling: false } },
    { of: told, flags: { isBlockChange: false, isBlockEntitlement: false, isBlockBilling: false } },
    { of: warned, flags: { isBlockChange: true, isBlockEntitlement: false, isBlockBilling: false } },
    { of: blocked, flags: { isBlockChange: true, isBlockEntitlement: true, isBlockBilling: true } },
    {
      of: state('BOTH', { blockChanges: true, disableEntitlement: true }),
      flags: { isBlockChange: true, isBlockEntitlement: true, isBlockBilling: true },
    },
  ])
    it(`overdue §2.2: the blocking state of ${of?.name ?? 'clear'} has ${JSON.stringify(flags)}`, () =>
      expect(blockOf(of)).to.deep.equal({ stateName: of?.name ?? CLEAR_STATE_NAME, ...flags }));

  for (const [title, { prev, next, change }] of Object.entries({
    'to a state that blocks changes only': {
      prev: null,
      next: warned,
      change: { isBlockedBilling: false, isUnblockedBilling: false },
    },
    'from non-disabling to disabling': {
      prev: warned,
      next: blocked,
      change: { isBlockedBilling: true, isUnblockedBilling: false },
    },
    'from clear to disabling': {
      prev: null,
      next: blocked,
      change: { isBlockedBilling: true, isUnblockedBilling: false },
    },
    'between two disabling states': {
      prev: blocked,
      next: gone,
      change: { isBlockedBilling: false, isUnblockedBilling: false },
    },
    'from disabling to non-disabling': {
      prev: blocked,
      next: warned,
      change: { isBlockedBilling: false, isUnblockedBilling: true },
    },
    'from disabling to clear': {
      prev: blocked,
      next: null,
      change: { isBlockedBilling: false, isUnblockedBilling: true },
    },
    'from non-disabling to clear': {
      prev: warned,
      next: null,
      change: { isBlockedBilling: false, isUnblockedBilling: false },
    },
  }))
    it(`overdue §9.1, §9.3: ${title}`, () => {
      const transition = from(prev, next);
      expect(transition?.state).to.deep.equal(blockOf(next));
      expect(transition?.effective).to.deep.equal(effective);
      expect(transition?.change).to.deep.equal({
        previousState: prev?.name ?? CLEAR_STATE_NAME,
        nextState: next?.name ?? CLEAR_STATE_NAME,
        ...change,
      });
    });

  it('overdue §5.1 step 5: the same state again changes nothing', () => {
    expect(from(blocked, blocked)).to.equal(null);
    expect(from(warned, state('WARNED', { blockChanges: true, externalMessage: 'other' }))).to.equal(null);
  });

  it('overdue §5.1 step 5: an account that is clear stays so, whether it ever was overdue or not', () => {
    expect(from(null, null)).to.equal(null);
    expect(from(blockOf(null), null)).to.equal(null);
  });

  it('overdue §5.1 step 5: the same state with other flags is set anew, without a change of state or a cancellation', () => {
    const harder = state('WARNED', { disableEntitlement: true, cancellationPolicy: 'IMMEDIATE' });
    expect(from(warned, harder)).to.deep.equal({
      state: blockOf(harder),
      effective,
      cancellation: 'NONE',
      invoicingOff: 'ADD',
      ownsInvoicingOff: true,
      change: null,
    });
    const softer = from(harder, warned, { hasInvoicingOff: true, ownsInvoicingOff: true });
    expect(softer).to.include({ invoicingOff: 'REMOVE', ownsInvoicingOff: false, change: null });
    expect(from(blockOf(warned), state('WARNED'))?.state.isBlockChange).to.equal(false);
  });

  it('overdue §5.1 step 6: the policy of the entered state cancels, that of the one before does not', () => {
    expect(from(blocked, gone)?.cancellation).to.equal('IMMEDIATE');
    expect(from(null, state('END', { cancellationPolicy: 'END_OF_TERM' }))?.cancellation).to.equal(
      'END_OF_TERM',
    );
    expect(from(gone, blocked)?.cancellation).to.equal('NONE');
    expect(from(gone, null)?.cancellation).to.equal('NONE');
  });

  for (const [title, { prev, next, has, owns, step, ownsThen }] of Object.entries({
    'blocks: added and owned': {
      prev: warned,
      next: blocked,
      has: false,
      owns: false,
      step: 'ADD',
      ownsThen: true,
    },
    'blocks, set by hand: kept': {
      prev: warned,
      next: blocked,
      has: true,
      owns: false,
      step: 'KEEP',
      ownsThen: false,
    },
    'stays blocked: kept and owned': {
      prev: blocked,
      next: gone,
      has: true,
      owns: true,
      step: 'KEEP',
      ownsThen: true,
    },
    'stays blocked, removed by hand: not added again': {
      prev: blocked,
      next: gone,
      has: false,
      owns: false,
      step: 'KEEP',
      ownsThen: false,
    },
    'unblocks: removed': {
      prev: blocked,
      next: warned,
      has: true,
      owns: true,
      step: 'REMOVE',
      ownsThen: false,
    },
    'clears: removed': {
      prev: blocked,
      next: null,
      has: true,
      owns: true,
      step: 'REMOVE',
      ownsThen: false,
    },
    'unblocks, set by hand: kept': {
      prev: blocked,
      next: warned,
      has: true,
      owns: false,
      step: 'KEEP',
      ownsThen: false,
    },
    'unblocks, gone already: nothing to remove': {
      prev: blocked,
      next: null,
      has: false,
      owns: true,
      step: 'KEEP',
      ownsThen: false,
    },
    'never blocked: untouched': {
      prev: told,
      next: warned,
      has: true,
      owns: false,
      step: 'KEEP',
      ownsThen: false,
    },
  }))
    it(`overdue §5.1 step 7: AUTO_INVOICING_OFF when the account ${title}`, () =>
      expect(from(prev, next, { hasInvoicingOff: has, ownsInvoicingOff: owns })).to.include({
        invoicingOff: step,
        ownsInvoicingOff: ownsThen,
      }));

  it('overdue §2.1: a state that the configuration no longer knows is left by its stored flags', () => {
    const unknown = { stateName: 'OLD', isBlockChange: true, isBlockEntitlement: true, isBlockBilling: true };
    const transition = from(unknown, warned, { hasInvoicingOff: true, ownsInvoicingOff: true });
    expect(transition).to.include({ invoicingOff: 'REMOVE', ownsInvoicingOff: false });
    expect(transition?.change).to.deep.equal({
      previousState: 'OLD',
      nextState: 'WARNED',
      isBlockedBilling: false,
      isUnblockedBilling: true,
    });
  });
});
