import { CLEAR_STATE_NAME } from '../../../lib/overdue/config/overdue-config.ts';
import type { OverdueBlock, TransitionInput } from '../../../lib/overdue/evaluation/transition.ts';
import { blockOf, planTransition } from '../../../lib/overdue/evaluation/transition.ts';
import type { OverdueState } from '../../../lib/overdue/index.ts';
import { state } from '../../support/overdue/states.ts';
import { expect, instantAt, MIDNIGHT, parseLocalDate, UTC } from '../../support/unit.ts';

const date = parseLocalDate('2012-07-10');
const effective = { date, at: instantAt(date, MIDNIGHT, UTC) };

const warned = state('WARNED', { blockChanges: true });
const told = state('TOLD');
const blocked = state('BLOCKED', { disableEntitlement: true });
const gone = state('GONE', { disableEntitlement: true, cancellationPolicy: 'IMMEDIATE' });

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

describe('overdue transition', () => {
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
    it(`stores ${JSON.stringify(flags)} in the blocking state of ${of?.name ?? 'clear'} (overdue §2.2)`, () =>
      expect(blockOf(of)).to.eql({ stateName: of?.name ?? CLEAR_STATE_NAME, ...flags }));

  for (const [title, [prev, next, billing]] of Object.entries<
    readonly [OverdueState | null, OverdueState | null, 'BLOCKED' | 'UNBLOCKED' | null]
  >({
    'to a state that blocks changes only': [null, warned, null],
    'from non-disabling to disabling': [warned, blocked, 'BLOCKED'],
    'from clear to disabling': [null, blocked, 'BLOCKED'],
    'between two disabling states': [blocked, gone, null],
    'from disabling to non-disabling': [blocked, warned, 'UNBLOCKED'],
    'from disabling to clear': [blocked, null, 'UNBLOCKED'],
    'from non-disabling to clear': [warned, null, null],
  }))
    it(`reports the change ${title} (overdue §9.1, §9.3)`, () => {
      const transition = from(prev, next);
      expect(transition?.state).to.eql(blockOf(next));
      expect(transition?.effective).to.eql(effective);
      expect(transition?.change).to.eql({
        previousState: prev?.name ?? CLEAR_STATE_NAME,
        nextState: next?.name ?? CLEAR_STATE_NAME,
        isBlockedBilling: billing === 'BLOCKED',
        isUnblockedBilling: billing === 'UNBLOCKED',
      });
    });

  it('changes nothing if the state stays the same (overdue §5.1 step 5)', () => {
    expect(from(blocked, blocked)).to.equal(null);
    expect(from(warned, state('WARNED', { blockChanges: true, externalMessage: 'other' }))).to.equal(null);
  });

  it('leaves a clear account clear, even if the account was overdue before (overdue §5.1 step 5)', () => {
    expect(from(null, null)).to.equal(null);
    expect(from(blockOf(null), null)).to.equal(null);
  });

  it('stores new flags of the same state without a state change or a cancellation (overdue §5.1 step 5)', () => {
    const harder = state('WARNED', { disableEntitlement: true, cancellationPolicy: 'IMMEDIATE' });
    expect(from(warned, harder)).to.eql({
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

  it('cancels subscriptions according to the policy of the entered state, not of the previous state (overdue §5.1 step 6)', () => {
    expect(from(blocked, gone)?.cancellation).to.equal('IMMEDIATE');
    expect(from(null, state('END', { cancellationPolicy: 'END_OF_TERM' }))?.cancellation).to.equal(
      'END_OF_TERM',
    );
    expect(from(gone, blocked)?.cancellation).to.equal('NONE');
    expect(from(gone, null)?.cancellation).to.equal('NONE');
  });

  for (const [title, [prev, next, before, after]] of Object.entries<
    readonly [
      OverdueState,
      OverdueState | null,
      { has: boolean; owns: boolean },
      { step: string; owns: boolean },
    ]
  >({
    'adds and owns AUTO_INVOICING_OFF when the account becomes blocked': [
      warned,
      blocked,
      { has: false, owns: false },
      { step: 'ADD', owns: true },
    ],
    'keeps a manual AUTO_INVOICING_OFF when the account becomes blocked': [
      warned,
      blocked,
      { has: true, owns: false },
      { step: 'KEEP', owns: false },
    ],
    'keeps and owns AUTO_INVOICING_OFF while the account stays blocked': [
      blocked,
      gone,
      { has: true, owns: true },
      { step: 'KEEP', owns: true },
    ],
    'does not add AUTO_INVOICING_OFF again after manual removal while the account stays blocked': [
      blocked,
      gone,
      { has: false, owns: false },
      { step: 'KEEP', owns: false },
    ],
    'removes AUTO_INVOICING_OFF when the account is unblocked': [
      blocked,
      warned,
      { has: true, owns: true },
      { step: 'REMOVE', owns: false },
    ],
    'removes AUTO_INVOICING_OFF when the account is cleared': [
      blocked,
      null,
      { has: true, owns: true },
      { step: 'REMOVE', owns: false },
    ],
    'keeps a manual AUTO_INVOICING_OFF when the account is unblocked': [
      blocked,
      warned,
      { has: true, owns: false },
      { step: 'KEEP', owns: false },
    ],
    'removes nothing when the account is unblocked after manual removal of AUTO_INVOICING_OFF': [
      blocked,
      null,
      { has: false, owns: true },
      { step: 'KEEP', owns: false },
    ],
    'leaves AUTO_INVOICING_OFF unchanged if the account was never blocked': [
      told,
      warned,
      { has: true, owns: false },
      { step: 'KEEP', owns: false },
    ],
  }))
    it(`${title} (overdue §5.1 step 7)`, () =>
      expect(from(prev, next, { hasInvoicingOff: before.has, ownsInvoicingOff: before.owns })).to.include({
        invoicingOff: after.step,
        ownsInvoicingOff: after.owns,
      }));

  it('uses the stored flags to leave a state that is no longer configured (overdue §2.1)', () => {
    const unknown = { stateName: 'OLD', isBlockChange: true, isBlockEntitlement: true, isBlockBilling: true };
    const transition = from(unknown, warned, { hasInvoicingOff: true, ownsInvoicingOff: true });
    expect(transition).to.include({ invoicingOff: 'REMOVE', ownsInvoicingOff: false });
    expect(transition?.change).to.eql({
      previousState: 'OLD',
      nextState: 'WARNED',
      isBlockedBilling: false,
      isUnblockedBilling: true,
    });
  });
});
