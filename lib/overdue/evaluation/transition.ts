import type { BlockingState } from '../../records/index.ts';
import type { DatedInstant } from '../../values/time/index.ts';
import { CancellationPolicy, CLEAR_STATE_NAME, type OverdueState } from '../config/overdue-config.ts';

/** Name and flags of a blocking state of an account that overdue sets (§2.2). */
export type OverdueBlock = Pick<
  BlockingState,
  'stateName' | 'isBlockChange' | 'isBlockEntitlement' | 'isBlockBilling'
>;

/** What is to be done with AUTO_INVOICING_OFF on the account (§5.1 step 7). */
export const InvoicingOffStep = { ADD: 'ADD', REMOVE: 'REMOVE', KEEP: 'KEEP' } as const;
export type InvoicingOffStep = (typeof InvoicingOffStep)[keyof typeof InvoicingOffStep];

/** All that entering a state does to an account (§5.1 steps 5 to 9), as data. */
export interface OverdueTransition {
  /** The blocking state to insert. */
  readonly state: OverdueBlock;
  readonly effective: DatedInstant;
  readonly cancellation: CancellationPolicy;
  readonly invoicingOff: InvoicingOffStep;
  /** Whether overdue owns AUTO_INVOICING_OFF afterwards. */
  readonly ownsInvoicingOff: boolean;
  /** What the OVERDUE_CHANGE event says (§9.3); null: the same state with other flags, so there is no such event. */
  readonly change: OverdueChange | null;
}

export interface OverdueChange {
  readonly previousState: string;
  readonly nextState: string;
  readonly isBlockedBilling: boolean;
  readonly isUnblockedBilling: boolean;
}

export interface TransitionInput {
  /** The latest blocking state of overdue that is in effect; null = the account has never left clear. */
  readonly prev: OverdueBlock | null;
  /** What the evaluation came to; null = clear. */
  readonly next: OverdueState | null;
  /** Whether overdue has added the AUTO_INVOICING_OFF that the account carries. */
  readonly ownsInvoicingOff: boolean;
  readonly hasInvoicingOff: boolean;
  readonly effective: DatedInstant;
}

/** What an evaluation makes of an account; null: nothing changes. */
export function planTransition(input: TransitionInput): OverdueTransition | null {
  const { next, effective } = input;
  const prev = input.prev ?? blockOf(null);
  const state = blockOf(next);
  const isSameState = prev.stateName === state.stateName;
  if (isSameState && hasSameFlags(prev, state)) return null;
  const isBlockedBilling = state.isBlockBilling && !prev.isBlockBilling;
  const isUnblockedBilling = prev.isBlockBilling && !state.isBlockBilling;
  return {
    state,
    effective,
    cancellation: isSameState || next === null ? CancellationPolicy.NONE : next.cancellationPolicy,
    ...invoicingOffStep(input, { isBlockedBilling, isUnblockedBilling }),
    change: isSameState
      ? null
      : { previousState: prev.stateName, nextState: state.stateName, isBlockedBilling, isUnblockedBilling },
  };
}

/** Name and flags of the blocking state for a state (§2.2); null = clear. */
export function blockOf(state: OverdueState | null): OverdueBlock {
  const isDisabling = state?.disableEntitlement ?? false;
  return {
    stateName: state?.name ?? CLEAR_STATE_NAME,
    isBlockChange: isDisabling || (state?.blockChanges ?? false),
    isBlockEntitlement: isDisabling,
    isBlockBilling: isDisabling,
  };
}

function hasSameFlags(one: OverdueBlock, other: OverdueBlock): boolean {
  return (
    one.isBlockChange === other.isBlockChange &&
    one.isBlockEntitlement === other.isBlockEntitlement &&
    one.isBlockBilling === other.isBlockBilling
  );
}

/** Overdue takes away only the tag that it has given (§5.1 step 7). */
function invoicingOffStep(
  { hasInvoicingOff, ownsInvoicingOff }: TransitionInput,
  billing: Pick<OverdueChange, 'isBlockedBilling' | 'isUnblockedBilling'>,
): Pick<OverdueTransition, 'invoicingOff' | 'ownsInvoicingOff'> {
  const owns = ownsInvoicingOff && hasInvoicingOff;
  if (billing.isBlockedBilling && !hasInvoicingOff)
    return { invoicingOff: InvoicingOffStep.ADD, ownsInvoicingOff: true };
  if (billing.isUnblockedBilling)
    return { invoicingOff: owns ? InvoicingOffStep.REMOVE : InvoicingOffStep.KEEP, ownsInvoicingOff: false };
  return { invoicingOff: InvoicingOffStep.KEEP, ownsInvoicingOff: owns };
}
