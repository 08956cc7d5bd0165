import type { LifecycleEvent, New } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';

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

export interface DraftOwner {
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
