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
  truncateToSecond,
} from '../../values/time/index.ts';
import {
  CancellationPolicy,
  CLEAR_STATE_NAME,
  type OverdueConfig,
  type OverdueState,
} from '../config/overdue-config.ts';
import { agesFrom, earliest, type UnpaidInvoice } from './evaluate.ts';

/** The name and the flags of the blocking state that overdue processing sets (§2.2). */
export type OverdueBlock = Pick<
  BlockingState,
  'stateName' | 'isBlockChange' | 'isBlockEntitlement' | 'isBlockBilling'
>;

/** The change of the tag AUTO_INVOICING_OFF (§5.1 step 7). */
export const InvoicingOffStep = { ADD: 'ADD', REMOVE: 'REMOVE', KEEP: 'KEEP' } as const;
export type InvoicingOffStep = (typeof InvoicingOffStep)[keyof typeof InvoicingOffStep];

/** The effects of entering a state, as plain data (§5.1 steps 5 to 9). */
export interface OverdueTransition {
  readonly state: OverdueBlock;
  readonly effective: DatedInstant;
  readonly cancellation: CancellationPolicy;
  readonly invoicingOff: InvoicingOffStep;
  readonly ownsInvoicingOff: boolean;
  /**
   * Content of the OVERDUE_CHANGE event (§9.3), or null if only flags change, because such a change causes no event.
   */
  readonly change: OverdueChange | null;
}

export interface OverdueChange {
  readonly previousState: string;
  readonly nextState: string;
  readonly isBlockedBilling: boolean;
  readonly isUnblockedBilling: boolean;
}

export interface TransitionInput {
  /** The latest effective blocking state that overdue processing has set, or null if the account was always clear. */
  readonly prev: OverdueBlock | null;
  /** The state after this check. Null means clear. */
  readonly next: OverdueState | null;
  /** True if overdue processing itself has set AUTO_INVOICING_OFF. */
  readonly ownsInvoicingOff: boolean;
  readonly hasInvoicingOff: boolean;
  readonly effective: DatedInstant;
}

/** Returns the transition, or null if nothing changes. */
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
    ...decideInvoicingOff(input, { isBlockedBilling, isUnblockedBilling }),
    change: isSameState
      ? null
      : { previousState: prev.stateName, nextState: state.stateName, isBlockedBilling, isUnblockedBilling },
  };
}

/** Returns the blocking state for an overdue state (§2.2). A null overdue state means clear. */
export function blockOf(state: OverdueState | null): OverdueBlock {
  const isDisabling = state?.disableEntitlement ?? false;
  return {
    stateName: state?.name ?? CLEAR_STATE_NAME,
    isBlockChange: isDisabling || (state?.blockChanges ?? false),
    isBlockEntitlement: isDisabling,
    isBlockBilling: isDisabling,
  };
}

function hasSameFlags(one: OverdueBlock, other: OverdueBlock) {
  return (
    one.isBlockChange === other.isBlockChange &&
    one.isBlockEntitlement === other.isBlockEntitlement &&
    one.isBlockBilling === other.isBlockBilling
  );
}

/**
 * Returns the change of AUTO_INVOICING_OFF. Overdue processing removes the tag only if it has set the tag itself (§5.1
 * step 7).
 */
function decideInvoicingOff(
  { hasInvoicingOff, ownsInvoicingOff }: TransitionInput,
  billing: Pick<OverdueChange, 'isBlockedBilling' | 'isUnblockedBilling'>,
) {
  const owns = ownsInvoicingOff && hasInvoicingOff;
  if (billing.isBlockedBilling && !hasInvoicingOff)
    return { invoicingOff: InvoicingOffStep.ADD, ownsInvoicingOff: true };
  if (billing.isUnblockedBilling)
    return { invoicingOff: owns ? InvoicingOffStep.REMOVE : InvoicingOffStep.KEEP, ownsInvoicingOff: false };
  return { invoicingOff: InvoicingOffStep.KEEP, ownsInvoicingOff: owns };
}

export interface EffectiveInput {
  /** The instant for which the check was scheduled, even if it runs later. The value is null for a refresh. */
  readonly scheduled: Instant | null;
  /** The state after this check. Null means clear. */
  readonly next: OverdueState | null;
  readonly isWorse: boolean;
  /**
   * The first date on which the unpaid invoices met the condition, or null if the condition has no criteria for unpaid
   * invoices.
   */
  readonly reached: LocalDate | null;
  readonly account: Pick<Account, 'timeZone' | 'referenceTime'>;
  readonly now: Instant;
  /** The start of the previous state, or null if the account was always clear. */
  readonly prevEffective: DatedInstant | null;
}

/**
 * Returns the start of a new state (§5.3). This is the current time or, for a worse state that a check found, the time
 * at which the state was due or reached.
 */
export function effectiveOf(input: EffectiveInput): DatedInstant {
  const { account, prevEffective } = input;
  const now = toDatedInstant(input.now, account);
  const due = dueOf(input);
  const effective = due !== null && due.at < now.at ? due : now;
  if (prevEffective === null) return effective;
  if (effective.at < prevEffective.at) return prevEffective;
  return { at: effective.at, date: maxDate(effective.date, prevEffective.date) };
}

/** Returns the time at which a worse state was due. Returns null if the state was not expected before now. */
function dueOf({ scheduled, next, isWorse, reached, account }: EffectiveInput) {
  if (scheduled === null || next === null || !isWorse) return null;
  const asked = toDatedInstant(scheduled, account);
  return reached !== null && reached > asked.date ? atReferenceTime(reached, account) : asked;
}

function toDatedInstant(instant: Instant, { timeZone }: Pick<Account, 'timeZone'>) {
  const at = truncateToSecond(instant);
  return { at, date: localDateOf(at, timeZone) };
}

/**
 * Returns the first date on which the unpaid invoices met the criteria of a state (§5.3 rule 2). Returns null if the
 * state has no criteria for unpaid invoices.
 */
export function reachedDate({ condition }: OverdueState, unpaid: readonly UnpaidInvoice[]): LocalDate | null {
  if (condition === null) return null;
  const { unpaidFor, unpaidCount, unpaidTotal } = condition;
  const oldEnough = unpaid.flatMap((invoice) => {
    const end = unpaidFor === null ? undefined : durationEnd(agesFrom(invoice), unpaidFor);
    return end === undefined ? [] : maxDate(end, countsFrom(invoice));
  });
  const orderChecks = unpaid.toSorted((one, other) => countsFrom(one) - countsFrom(other));
  return latest([
    earliest(oldEnough),
    unpaidCount === null ? null : dateOf(orderChecks[unpaidCount - 1]),
    unpaidTotal === null || unpaidTotal.isZero() ? null : dateOf(firstUpTo(orderChecks, unpaidTotal)),
  ]);
}

/** Returns the first invoice at which the running sum reaches the required total. */
function firstUpTo(orderChecks: readonly UnpaidInvoice[], total: Decimal) {
  let owed = ZERO;
  return orderChecks.find(({ balance }) => {
    owed = owed.plus(balance);
    return owed.greaterThanOrEqualTo(total);
  });
}

function countsFrom(invoice: UnpaidInvoice) {
  const { targetDate } = invoice;
  return targetDate === null ? agesFrom(invoice) : maxDate(agesFrom(invoice), targetDate);
}

function dateOf(invoice: UnpaidInvoice | undefined) {
  return invoice === undefined ? null : countsFrom(invoice);
}

function latest(dates: readonly (LocalDate | null)[]) {
  const [first, ...others] = dates.flatMap((date) => date ?? []);
  return first === undefined ? null : maxDate(first, ...others);
}

/**
 * Returns true if the configuration lists the new state before the old one. If it does not list the old state, compares
 * the blocking flags of both states.
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
