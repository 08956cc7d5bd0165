import type { Invoice, PaymentResponse } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Decimal, sum } from '../../values/money/index.ts';
import { addDays, type Duration, durationEnd, type LocalDate, minDate } from '../../values/time/index.ts';
import {
  type EnterableState,
  enterableStates,
  type OverdueCondition,
  type OverdueConfig,
  type OverdueState,
} from '../config/overdue-config.ts';

/**
 * Returns the most severe state whose condition is met today, or null for clear (§4). Never returns a state that is
 * marked as clear (§2.1).
 */
export function evaluateOverdue(
  config: OverdueConfig,
  snapshot: BillingSnapshot,
  today: LocalDate,
): EnterableState | null {
  return enterableStates(config).find((state) => holds(state, snapshot, today)) ?? null;
}

/** Returns true if the condition has at least one criterion and all of them are met (§1.1 rule 1). */
export function holds(
  { condition }: Pick<EnterableState, 'condition'>,
  snapshot: BillingSnapshot,
  today: LocalDate,
): boolean {
  const criteria = criteriaOf(condition);
  return criteria.length > 0 && criteria.every((criterion) => criterionHolds(criterion, snapshot, today));
}

export type Criterion =
  | { readonly kind: 'TIME'; readonly duration: Duration }
  | { readonly kind: 'COUNT'; readonly count: number }
  | { readonly kind: 'TOTAL'; readonly total: Decimal }
  | { readonly kind: 'RESPONSE'; readonly responses: readonly PaymentResponse[] }
  | { readonly kind: 'TAG_CARRIED'; readonly tag: string }
  | { readonly kind: 'TAG_MISSING'; readonly tag: string };

/** Returns the criteria of a condition in the order of §1.1. */
export function criteriaOf(condition: OverdueCondition): readonly Criterion[] {
  const { unpaidFor, unpaidCount, unpaidTotal, responses, tagCarried, tagMissing } = condition;
  const criteria: Criterion[] = [];
  if (unpaidFor !== null) criteria.push({ kind: 'TIME', duration: unpaidFor });
  if (unpaidCount !== null) criteria.push({ kind: 'COUNT', count: unpaidCount });
  if (unpaidTotal !== null) criteria.push({ kind: 'TOTAL', total: unpaidTotal });
  if (responses !== null) criteria.push({ kind: 'RESPONSE', responses });
  if (tagCarried !== null) criteria.push({ kind: 'TAG_CARRIED', tag: tagCarried });
  if (tagMissing !== null) criteria.push({ kind: 'TAG_MISSING', tag: tagMissing });
  return criteria;
}

export function criterionHolds(criterion: Criterion, snapshot: BillingSnapshot, today: LocalDate): boolean {
  switch (criterion.kind) {
    case 'TIME': {
      const reached = thresholdDate(snapshot.anchor, criterion.duration);
      return reached !== null && reached <= today;
    }
    case 'COUNT':
      return snapshot.unpaidCount >= criterion.count;
    case 'TOTAL':
      return snapshot.unpaidTotal.greaterThanOrEqualTo(criterion.total);
    case 'RESPONSE':
      return (
        snapshot.lastPaymentResponse !== null && criterion.responses.includes(snapshot.lastPaymentResponse)
      );
    case 'TAG_CARRIED':
      return snapshot.tags.has(criterion.tag);
    case 'TAG_MISSING':
      return !snapshot.tags.has(criterion.tag);
  }
}

/**
 * Returns the first date on which a time criterion is met. Returns null if nothing is unpaid or the time is unlimited.
 */
export function thresholdDate(anchor: LocalDate | null, duration: Duration): LocalDate | null {
  return anchor === null ? null : (durationEnd(anchor, duration) ?? null);
}

export interface CheckedAccount {
  readonly config: OverdueConfig;
  readonly snapshot: BillingSnapshot;
  /** The state after this check. Null means clear. */
  readonly next: OverdueState | null;
  readonly today: LocalDate;
}

/** Returns the date of the next check (§6), which is after today, or null if there is no next check. */
export function nextCheckDate({ config, snapshot, next, today }: CheckedAccount): LocalDate | null {
  // Accounts with debts are checked even without configured states, because states may be added later (§6 rule 6).
  if (enterableStates(config).length === 0) return owes(snapshot) ? addDays(today, 1) : null;
  const turn = nextTurn(config, snapshot, today);
  const initial = snapshot.anchor === null ? null : config.initialReevaluationInterval;
  const interval = next === null ? initial : next.reevaluationInterval;
  const again = interval === null ? undefined : durationEnd(today, interval);
  if (again === undefined) return turn;
  return turn === null ? again : minDate(turn, again);
}

/**
 * Returns the first later date on which the state can change without any other event, or null if there is no such date.
 */
export function nextTurn(
  config: OverdueConfig,
  { anchor, nextUnpaidDate }: BillingSnapshot,
  today: LocalDate,
): LocalDate | null {
  const thresholds = enterableStates(config).flatMap(({ condition }) =>
    condition.unpaidFor === null ? [] : (thresholdDate(anchor, condition.unpaidFor) ?? []),
  );
  return earliest([...thresholds, nextUnpaidDate ?? today].filter((date) => date > today));
}

/** Returns true if pending checks must be removed (§6 rule 3). */
export function needsNoCheck({ snapshot, next }: Pick<CheckedAccount, 'snapshot' | 'next'>): boolean {
  return next === null && !owes(snapshot);
}

function owes({ anchor, nextUnpaidDate }: BillingSnapshot) {
  return anchor !== null || nextUnpaidDate !== null;
}

/** An invoice that is owed (§3.1), regardless of its target date. */
export interface UnpaidInvoice extends Pick<Invoice, 'invoiceDate' | 'commitDate' | 'targetDate'> {
  readonly invoiceId: Uuid;
  readonly balance: Decimal;
}

/** Data of a snapshot other than the unpaid invoices (§3.2). */
export interface SnapshotFacts {
  /**
   * Reason for the failure of the newest failed purchase for an unpaid invoice. The reason is OTHER if it is unknown,
   * and null if no purchase failed.
   */
  readonly lastPaymentResponse: PaymentResponse | null;
  readonly tags: ReadonlySet<string>;
}

export interface BillingSnapshot extends SnapshotFacts {
  readonly unpaidCount: number;
  readonly unpaidTotal: Decimal;
  /** The date from which the age of the oldest unpaid invoice is measured, or null if nothing is unpaid. */
  readonly anchor: LocalDate | null;
  /** The next target date of an owed invoice that the snapshot does not include yet. */
  readonly nextUnpaidDate: LocalDate | null;
}

/** Returns the snapshot of `today`. It includes each invoice from its target date on (§3.1). */
export function billingSnapshot(
  owed: readonly UnpaidInvoice[],
  { lastPaymentResponse, tags, today }: SnapshotFacts & { readonly today: LocalDate },
): BillingSnapshot {
  const unpaid = unpaidOn(owed, today);
  const ahead = owed.flatMap(({ targetDate }) =>
    targetDate !== null && targetDate > today ? targetDate : [],
  );
  return {
    unpaidCount: unpaid.length,
    unpaidTotal: sum(unpaid.map(({ balance }) => balance)),
    anchor: earliest(unpaid.map(agesFrom)),
    nextUnpaidDate: earliest(ahead),
    lastPaymentResponse,
    tags,
  };
}

/** Returns the invoices that the snapshot of a date includes (§3.1). */
export function unpaidOn<I extends Pick<Invoice, 'targetDate'>>(
  owed: readonly I[],
  date: LocalDate,
): readonly I[] {
  return owed.filter(({ targetDate }) => targetDate === null || targetDate <= date);
}

/**
 * Returns the date from which the age of an invoice is measured. For a former draft, this is the commit date, because
 * drafts cannot be paid (§3.2).
 */
export function agesFrom({ invoiceDate, commitDate }: UnpaidInvoice): LocalDate {
  return commitDate !== null && commitDate > invoiceDate ? commitDate : invoiceDate;
}

export function earliest([first, ...others]: readonly LocalDate[]): LocalDate | null {
  return first === undefined ? null : minDate(first, ...others);
}
