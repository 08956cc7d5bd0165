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

/** True for the events that put a subscription on a plan. */
export function isPlanChoice(event: Pick<LifecycleEvent, 'type'>): boolean {
  return isStart(event) || event.type === LifecycleEventType.CHANGE;
}

/** True for the event that begins the billing of a subscription. */
export function isStart(event: Pick<LifecycleEvent, 'type'>): boolean {
  return event.type === LifecycleEventType.CREATE || event.type === LifecycleEventType.TRANSFER;
}

/** True for the events that end the billing of a subscription. */
export function isEnd(event: Pick<LifecycleEvent, 'type'>): boolean {
  return event.type === LifecycleEventType.CANCEL || event.type === LifecycleEventType.EXPIRED;
}

/** True for the markers of an undo, which are never part of transitions. */
export function isMarker(event: Pick<LifecycleEvent, 'type'>): boolean {
  return event.type === LifecycleEventType.UNCANCEL || event.type === LifecycleEventType.UNDO_CHANGE;
}

/** By instant; at equal instants CREATE and TRANSFER first, then by sequence (§4.1). */
export function inTimeOrder(events: readonly LifecycleEvent[]): readonly LifecycleEvent[] {
  return events.toSorted(
    (a, b) =>
      a.effective.at - b.effective.at || Number(isStart(b)) - Number(isStart(a)) || a.sequence - b.sequence,
  );
}

/** The plans that events put their subscriptions on. */
export function planNamesOf(events: readonly Pick<LifecycleEvent, 'planName'>[]): ReadonlySet<string | null> {
  return new Set(events.map((event) => event.planName));
}

/** What a rule decides about a lifecycle event; identity, sequence and audit columns come when it is stored. */
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

/** A draft of that type and date that carries nothing else. */
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

/** New events in the form that the rules of the timeline read; these do not use the record id. */
export function asStored(events: readonly New<LifecycleEvent>[]): readonly LifecycleEvent[] {
  return events.map((event) => ({ ...event, recordId: 0 }));
}

interface DraftOwner {
  readonly subscriptionId: Uuid;
  readonly accountRecordId: number;
  /** Sequence of the last event stored for the subscription; 0 for a new one. */
  readonly lastSequence: number;
  readonly createdDate: Instant;
  readonly nextId: () => Uuid;
}

/** Numbers the drafts after `lastSequence`, in their order, and makes them active events of the subscription. */
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

/** What a rule needs besides the facts: the instant of the call, and ids for what it adds. */
export interface EditTools {
  readonly now: Instant;
  readonly nextId: () => Uuid;
}

/** What the date of a lifecycle event was taken from. */
export const DatedBy = {
  /** The request named it, or named none, which means now. */
  REQUESTED_DATE: 'REQUESTED_DATE',
  /** A policy that the request named. */
  REQUESTED_POLICY: 'REQUESTED_POLICY',
  /** The catalog's rule for the policy. */
  CATALOG_RULE: 'CATALOG_RULE',
  /** The end or a change of the base subscription, which ends its add-ons. */
  BASE: 'BASE',
  /** The transfer of the bundle to another account. */
  TRANSFER: 'TRANSFER',
} as const;
export type DatedBy = (typeof DatedBy)[keyof typeof DatedBy];

/** Why a lifecycle event is dated as it is, and why its phases count from their date, as it was when this was decided. */
export interface EventReason {
  readonly datedBy: DatedBy;
  /** The policy that gave the date; null where none did. */
  readonly policy: BillingActionPolicy | null;
  /** For CATALOG_RULE, what the case of the policy asks for; null = the default, or no rule was asked. */
  readonly policyConditions: RuleConditions | null;
  /** For a choice of plan, from where its phases count; null = the alignments agree, or no plan is chosen. */
  readonly alignment: RuleDecision<PlanAlignmentChange> | null;
  /** Whether the alignment came from the rule of a creation or of a change. */
  readonly alignedBy: 'CREATE' | 'CHANGE' | null;
  /** When the plan was chosen, as epoch milliseconds, if that was before the event was recorded: by a transfer. */
  readonly decided?: number;
}

/** The reason for a date that has nothing to do with a policy or an alignment. */
export function datedBy(source: DatedBy): EventReason {
  return { datedBy: source, policy: null, policyConditions: null, alignment: null, alignedBy: null };
}

/** The text as which a reason is stored: only explanations read it, so runs carry it along unread. */
export function writeReason(reason: EventReason): string {
  return JSON.stringify(reason);
}

/** The reason of a stored text. */
export function readReason(text: string): EventReason {
  return JSON.parse(text);
}

/**
 * When the plan of an event was chosen. A transfer continues an earlier choice, so that the plan still comes from the
 * catalog of that time (catalog §14 rule 2).
 */
export function decidedOf({ reason, createdDate }: Pick<LifecycleEvent, 'reason' | 'createdDate'>): Instant {
  // Few reasons say so; the others are not parsed.
  if (!reason?.includes('"decided"')) return createdDate;
  const { decided } = readReason(reason);
  return decided === undefined ? createdDate : instant(decided);
}
