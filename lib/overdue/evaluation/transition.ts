import type { Account, BlockingState } from '../../records/index.ts';
import { atReferenceTime } from '../../subscriptions/index.ts';
import { type Decimal, ZERO } from '../../values/money/index.ts';
import {
  type DatedInstant,
  durationEnd,
  type Instant,
  type LocalDate,
  localDateOf,
  maxDate,
  minDate,
  truncateToSecond,
} from '../../values/time/index.ts';
import {
  CancellationPolicy,
  CLEAR_STATE_NAME,
  type OverdueConfig,
  type OverdueState,
} from '../config/overdue-config.ts';
import { agesFrom, type UnpaidInvoice } from './evaluate.ts';

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

export interface EffectiveInput {
  /** The instant that the check was scheduled for, however late it runs; null for a refresh. */
  readonly scheduled: Instant | null;
  /** What the evaluation came to; null = clear. */
  readonly next: OverdueState | null;
  /** Whether the account is worse off by it. */
  readonly isWorse: boolean;
  /** The first date on which the unpaid invoices were enough for it; null: it does not ask for such. */
  readonly reached: LocalDate | null;
  readonly account: Pick<Account, 'timeZone' | 'referenceTime'>;
  readonly now: Instant;
  /** From when on the state that it follows is in effect; null = clear from the beginning. */
  readonly prevEffective: DatedInstant | null;
}

/**
 * From when on the account is in the state that an evaluation came to (§5.3): now, except that a check finds a worse state
 * as of when it was due, or when the state was reached. Never in the future, and never before the state that
 * it follows.
 */
export function effectiveOf(input: EffectiveInput): DatedInstant {
  const { account, prevEffective } = input;
  const now = dated(input.now, account);
  const due = dueOf(input);
  const effective = due !== null && due.at < now.at ? due : now;
  if (prevEffective === null) return effective;
  if (effective.at < prevEffective.at) return prevEffective;
  return { at: effective.at, date: maxDate(effective.date, prevEffective.date) };
}

/** When a worse state was due; null: what was found was not to be expected earlier. */
function dueOf({ scheduled, next, isWorse, reached, account }: EffectiveInput): DatedInstant | null {
  if (scheduled === null || next === null || !isWorse) return null;
  const asked = dated(scheduled, account);
  return reached !== null && reached > asked.date ? atReferenceTime(reached, account) : asked;
}

function dated(instant: Instant, { timeZone }: Pick<Account, 'timeZone'>): DatedInstant {
  const at = truncateToSecond(instant);
  return { at, date: localDateOf(at, timeZone) };
}

/**
 * The first date on which what is unpaid today was old, many and much enough for a state (§5.3 rule 2); null: it asks
 * for none of these.
 * @param unpaid all that counts today.
 */
export function reachedDate({ condition }: OverdueState, unpaid: readonly UnpaidInvoice[]): LocalDate | null {
  if (condition === null) return null;
  const { unpaidFor, unpaidCount, unpaidTotal } = condition;
  const oldEnough =
    unpaidFor === null
      ? []
      : unpaid.flatMap((invoice) => {
          const end = durationEnd(agesFrom(invoice), unpaidFor);
          return end === undefined ? [] : maxDate(end, countsFrom(invoice));
        });
  const inOrder = unpaid.toSorted((one, other) => countsFrom(one) - countsFrom(other));
  return latest([
    earliest(oldEnough),
    unpaidCount === null ? null : dateOf(inOrder[unpaidCount - 1]),
    unpaidTotal === null || unpaidTotal.isZero() ? null : dateOf(firstUpTo(inOrder, unpaidTotal)),
  ]);
}

/** The one with which the balances before it make the total. */
function firstUpTo(inOrder: readonly UnpaidInvoice[], total: Decimal): UnpaidInvoice | undefined {
  let owed = ZERO;
  return inOrder.find(({ balance }) => {
    owed = owed.plus(balance);
    return owed.greaterThanOrEqualTo(total);
  });
}

function countsFrom(invoice: UnpaidInvoice): LocalDate {
  const { targetDate } = invoice;
  return targetDate === null ? agesFrom(invoice) : maxDate(agesFrom(invoice), targetDate);
}

function dateOf(invoice: UnpaidInvoice | undefined): LocalDate | null {
  return invoice === undefined ? null : countsFrom(invoice);
}

function earliest([first, ...others]: readonly LocalDate[]): LocalDate | null {
  return first === undefined ? null : minDate(first, ...others);
}

function latest(dates: readonly (LocalDate | null)[]): LocalDate | null {
  const [first, ...others] = dates.flatMap((date) => date ?? []);
  return first === undefined ? null : maxDate(first, ...others);
}

/**
 * Whether an account that comes from one state to another is worse off: the configuration lists the other before the one.
 * A state that it no longer knows is told by what it blocks. Null = clear, which nothing is milder than.
 */
export function isWorse(
  { states }: OverdueConfig,
  prev: OverdueBlock | null,
  next: OverdueState | null,
): boolean {
  if (next === null) return false;
  if (prev === null || prev.stateName === CLEAR_STATE_NAME) return true;
  const known = states.findIndex(({ name }) => name === prev.stateName);
  if (known >= 0) return states.findIndex(({ name }) => name === next.name) < known;
  const { isBlockChange, isBlockEntitlement, isBlockBilling } = blockOf(next);
  return (
    (isBlockChange && !prev.isBlockChange) ||
    (isBlockEntitlement && !prev.isBlockEntitlement) ||
    (isBlockBilling && !prev.isBlockBilling)
  );
}
