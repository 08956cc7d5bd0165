import type { Uuid } from '../values/ids/index.ts';
import type { DatedInstant, Instant } from '../values/time/index.ts';
import type { PhaseType } from './catalog/catalog-enumerations.ts';

/** Stored types of a lifecycle event (subscriptions §3). */
export const LifecycleEventType = {
  CREATE: 'CREATE',
  TRANSFER: 'TRANSFER',
  CHANGE: 'CHANGE',
  PHASE: 'PHASE',
  CANCEL: 'CANCEL',
  EXPIRED: 'EXPIRED',
  BCD_CHANGE: 'BCD_CHANGE',
  QUANTITY_CHANGE: 'QUANTITY_CHANGE',
  UNCANCEL: 'UNCANCEL',
  UNDO_CHANGE: 'UNDO_CHANGE',
} as const;
export type LifecycleEventType = (typeof LifecycleEventType)[keyof typeof LifecycleEventType];

/** A stored, dated fact about the billing view. Fields that a type does not carry are null (subscriptions §3). */
export interface LifecycleEvent {
  readonly recordId: number;
  readonly id: Uuid;
  readonly subscriptionId: Uuid;
  readonly accountRecordId: number;
  readonly type: LifecycleEventType;
  readonly effective: DatedInstant;
  /** Tie-breaker at equal instants: per subscription, rising in the order of insertion. */
  readonly sequence: number;
  readonly planName: string | null;
  readonly phaseName: string | null;
  readonly priceListName: string | null;
  readonly phaseAnchor: DatedInstant | null;
  readonly phaseAnchorType: PhaseType | null;
  readonly billCycleDay: number | null;
  readonly quantity: number | null;
  /** Text of its `EventReason` (event-reason.ts); null = none is stored. */
  readonly reason: string | null;
  readonly isActive: boolean;
  readonly deactivatedBy: Uuid | null;
  readonly createdDate: Instant;
}
