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

/** Returns true for events that choose a plan, and for PHASE. */
export function beginsPhase(event: Pick<LifecycleEvent, 'type'>): boolean {
  return isPlanChoice(event) || event.type === LifecycleEventType.PHASE;
}

export function isStart(event: Pick<LifecycleEvent, 'type'>): boolean {
  return event.type === LifecycleEventType.CREATE || event.type === LifecycleEventType.TRANSFER;
}

export function isEnd(event: Pick<LifecycleEvent, 'type'>): boolean {
  return event.type === LifecycleEventType.CANCEL || event.type === LifecycleEventType.EXPIRED;
}

/** Returns true for the markers of an undo, which are never part of transitions. */
export function isMarker(event: Pick<LifecycleEvent, 'type'>): boolean {
  return event.type === LifecycleEventType.UNCANCEL || event.type === LifecycleEventType.UNDO_CHANGE;
}

/** Sorts events by instant, then with CREATE and TRANSFER first, then by sequence (§4.1). */
export function inTimeOrder(events: readonly LifecycleEvent[]): readonly LifecycleEvent[] {
  return events.toSorted(
    (a, b) =>
      a.effective.at - b.effective.at || Number(isStart(b)) - Number(isStart(a)) || a.sequence - b.sequence,
  );
}

export function planNamesOf(events: readonly Pick<LifecycleEvent, 'planName'>[]): ReadonlySet<string | null> {
  return new Set(events.map((event) => event.planName));
}

/** An event before storage adds identity, sequence and audit columns. */
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

/** Returns new events in the form of stored events. The timeline rules ignore the record id. */
export function asStored(events: readonly New<LifecycleEvent>[]): readonly LifecycleEvent[] {
  return events.map((event) => ({ ...event, recordId: 0 }));
}

interface DraftOwner {
  readonly subscriptionId: Uuid;
  readonly accountRecordId: number;
  /** Last sequence of the subscription's events. 0 for a new subscription. */
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

/** The time of the call, and ids for new records. */
export interface EditTools {
  readonly now: Instant;
  readonly nextId: () => Uuid;
}

export const DatedBy = {
  /** The date is the requested date, or now without a requested date. */
  REQUESTED_DATE: 'REQUESTED_DATE',
  REQUESTED_POLICY: 'REQUESTED_POLICY',
  CATALOG_RULE: 'CATALOG_RULE',
  BASE: 'BASE',
  TRANSFER: 'TRANSFER',
} as const;
export type DatedBy = (typeof DatedBy)[keyof typeof DatedBy];

/** The reason for the date of an event and for the start of its phases, at the time of the decision. */
export interface EventReason {
  readonly datedBy: DatedBy;
  /** The policy. Null if no policy applied. */
  readonly policy: BillingActionPolicy | null;
  /** The conditions of the matching case, for CATALOG_RULE. Null means the default, or no rule. */
  readonly policyConditions: RuleConditions | null;
  /**
   * The alignment that determines the date from which the phases of a chosen plan are measured. Null if the
   * alignments agree, or if the event chooses no plan.
   */
  readonly alignment: RuleDecision<PlanAlignmentChange> | null;
  readonly alignedBy: 'CREATE' | 'CHANGE' | null;
  /** The time at which a transferred plan was chosen, in epoch milliseconds. */
  readonly decided?: number;
}

export function datedBy(source: DatedBy): EventReason {
  return { datedBy: source, policy: null, policyConditions: null, alignment: null, alignedBy: null };
}

/** Returns the reason as stored text. Only explanations read it. */
export function writeReason(reason: EventReason): string {
  return JSON.stringify(reason);
}

export function readReason(text: string): EventReason {
  return JSON.parse(text);
}

/**
 * Returns the time at which the plan was chosen. A transfer continues an earlier choice, so the plan still comes from
 * the catalog of that time (catalog §14 rule 2).
 */
export function decidedOf({ reason, createdDate }: Pick<LifecycleEvent, 'reason' | 'createdDate'>): Instant {
  // Most reasons need no parsing, because they do not contain this member.
  if (!reason?.includes('"decided"')) return createdDate;
  const { decided } = readReason(reason);
  return decided === undefined ? createdDate : instant(decided);
}
