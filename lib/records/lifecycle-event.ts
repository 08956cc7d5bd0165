import {
  bigint,
  dated,
  flag,
  id,
  instant,
  integer,
  oneOf,
  orNull,
  type RecordOf,
  recordId,
  text,
} from '../values/fields/index.ts';
import { PhaseType } from './catalog/catalog-enumerations.ts';

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
export const lifecycleEventFields = {
  recordId,
  id: id(),
  subscriptionId: id(),
  accountRecordId: bigint(),
  type: oneOf(LifecycleEventType, { audit: null }),
  effective: dated({ audit: 'effectiveDate' }),
  /** Tie-breaker at equal instants: per subscription, rising in the order of insertion. */
  sequence: integer({ audit: 'totalOrdering' }),
  planName: orNull(text()),
  phaseName: orNull(text()),
  priceListName: orNull(text()),
  phaseAnchor: orNull(dated({ audit: null })),
  phaseAnchorType: orNull(oneOf(PhaseType, { audit: null })),
  billCycleDay: orNull(integer({ audit: 'billingCycleDayLocal' })),
  quantity: orNull(integer()),
  /** Text of its `EventReason` (event-reason.ts); null = none is stored. */
  reason: orNull(text({ audit: null })),
  isActive: flag(),
  deactivatedBy: orNull(id({ audit: null })),
  createdDate: instant(),
};
export interface LifecycleEvent extends RecordOf<typeof lifecycleEventFields> {}
