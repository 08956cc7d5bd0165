import {
  type BillingActionPolicy,
  type LifecycleEvent,
  LifecycleEventType,
  type New,
  type PlanAlignmentChange,
  type RuleConditions,
  type RuleDecision,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Instant, instant } from '../../values/time/index.ts';

export function isPlanChoice(event: Pick<LifecycleEvent, 'type'>): boolean {
  return isStart(event) || event.type === LifecycleEventType.CHANGE;
}

/** Returns true for PHASE events and for events that choose a plan. */
export function beginsPhase(event: Pick<LifecycleEvent, 'type'>): boolean {
  return isPlanChoice(event) || event.type === LifecycleEventType.PHASE;
}

export function isStart(event: Pick<LifecycleEvent, 'type'>): boolean {
  return event.type === LifecycleEventType.CREATE || event.type === LifecycleEventType.TRANSFER;
}

export function isEnd(event: Pick<LifecycleEvent, 'type'>): boolean {
  return event.type === LifecycleEventType.CANCEL || event.type === LifecycleEventType.EXPIRED;
}

/** Returns true for events that only mark an undo. Such events never appear in transitions. */
export function isMarker(event: Pick<LifecycleEvent, 'type'>): boolean {
  return event.type === LifecycleEventType.UNCANCEL || event.type === LifecycleEventType.UNDO_CHANGE;
}

/**
 * Sorts events by instant. At the same instant, CREATE and TRANSFER come first, and the other events are sorted by
 * sequence (§4.1).
 */
export function inTimeOrder(events: readonly LifecycleEvent[]): readonly LifecycleEvent[] {
  return events.toSorted(
    (a, b) =>
      a.effective.at - b.effective.at || Number(isStart(b)) - Number(isStart(a)) || a.sequence - b.sequence,
  );
}

export function planNamesOf(events: readonly Pick<LifecycleEvent, 'planName'>[]): ReadonlySet<string | null> {
  return new Set(events.map((event) => event.planName));
}

/** A new event, without the id, sequence and audit columns that the storage adds. */
export type EventDraft = Pick<
  LifecycleEvent,
  | 'type'
  | 'effective'
  | 'planName'
  | 'phaseName'
  | 'priceListName'
  | 'phaseAnchor'
  | 'phaseAnchorType'
  | 'billCycleDay'
  | 'quantity'
  | 'reason'
>;

export function bareDraft(type: LifecycleEvent['type'], effective: LifecycleEvent['effective']): EventDraft {
  return {
    type,
    effective,
    planName: null,
    phaseName: null,
    priceListName: null,
    phaseAnchor: null,
    phaseAnchorType: null,
    billCycleDay: null,
    quantity: null,
    reason: null,
  };
}

/**
 * Returns new events in the form of stored events. Timeline rules do not use the record id, so any value is suitable.
 */
export function asStored(events: readonly New<LifecycleEvent>[]): readonly LifecycleEvent[] {
  return events.map((event) => ({ ...event, recordId: 0 }));
}

interface DraftOwner {
  readonly subscriptionId: Uuid;
  readonly accountRecordId: number;
  /** Highest sequence of the subscription's events, or 0 for a new subscription. */
  readonly lastSequence: number;
  readonly createdDate: Instant;
  readonly nextId: () => Uuid;
}

export function eventsOf(drafts: readonly EventDraft[], owner: DraftOwner): readonly New<LifecycleEvent>[] {
  return drafts.map((draft, index) => ({
    ...draft,
    id: owner.nextId(),
    subscriptionId: owner.subscriptionId,
    accountRecordId: owner.accountRecordId,
    sequence: owner.lastSequence + index + 1,
    isActive: true,
    deactivatedBy: null,
    createdDate: owner.createdDate,
  }));
}

/** The time of the call, and a source of ids for new records. */
export interface EditTools {
  readonly now: Instant;
  readonly nextId: () => Uuid;
}

export const DatedBy = {
  /** The requested date, or now if no date was requested. */
  REQUESTED_DATE: 'REQUESTED_DATE',
  REQUESTED_POLICY: 'REQUESTED_POLICY',
  CATALOG_RULE: 'CATALOG_RULE',
  BASE: 'BASE',
  TRANSFER: 'TRANSFER',
} as const;
export type DatedBy = (typeof DatedBy)[keyof typeof DatedBy];

/** The reason for the date of an event and for the start of its phases, as known when the event was created. */
export interface EventReason {
  readonly datedBy: DatedBy;
  /** The policy, or null if no policy applied. */
  readonly policy: BillingActionPolicy | null;
  /**
   * The conditions of the matching case, if `policy` is CATALOG_RULE. The value is null if the default applied, or if
   * there is no rule.
   */
  readonly policyConditions: RuleConditions | null;
  /**
   * The alignment that determines from which date the phases of a chosen plan are measured, or null if all alignments
   * give the same date, or if the event does not choose a plan.
   */
  readonly alignment: RuleDecision<PlanAlignmentChange> | null;
  readonly alignedBy: 'CREATE' | 'CHANGE' | null;
  /** The time at which a transferred plan was originally chosen, in epoch milliseconds. */
  readonly decided?: number;
}

export function reasonDatedBy(source: DatedBy): EventReason {
  return { datedBy: source, policy: null, policyConditions: null, alignment: null, alignedBy: null };
}

/** Returns the reason as text for storage. Only explanations read this text. */
export function writeReason(reason: EventReason): string {
  return JSON.stringify(reason);
}

export function readReason(text: string): EventReason {
  return JSON.parse(text);
}

/**
 * Returns the time at which the plan was chosen. A transfer continues an earlier choice, so the plan still comes from
 * the catalog version of that time (catalog §14 rule 2).
 */
export function findPlanChoiceTime({
  reason,
  createdDate,
}: Pick<LifecycleEvent, 'reason' | 'createdDate'>): Instant {
  // Most reasons need not be parsed, because they do not contain this field.
  if (!reason?.includes('"decided"')) return createdDate;
  const { decided } = readReason(reason);
  return decided === undefined ? createdDate : instant(decided);
}
