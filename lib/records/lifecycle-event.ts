import { enumeration, f, type RecordOf } from '../values/fields/index.ts';
import { PhaseType } from './catalog/catalog-enumerations.ts';

/** Stored types of a lifecycle event (subscriptions §3). */
export const LifecycleEventType = enumeration(
  'CREATE',
  'TRANSFER',
  'CHANGE',
  'PHASE',
  'CANCEL',
  'EXPIRED',
  'BCD_CHANGE',
  'QUANTITY_CHANGE',
  'UNCANCEL',
  'UNDO_CHANGE',
);
export type LifecycleEventType = keyof typeof LifecycleEventType;

/** A dated billing event of a subscription. Fields that do not apply to its type are null (subscriptions §3). */
export const lifecycleEventFields = {
  recordId: f.recordId,
  id: f.id(),
  subscriptionId: f.id(),
  accountRecordId: f.bigint(),
  type: f.oneOf(LifecycleEventType, { audit: null }),
  effective: f.dated({ audit: 'effectiveDate' }),
  /** Order of events that have the same instant. It is the order in which they were inserted into the subscription. */
  sequence: f.integer({ audit: 'totalOrdering' }),
  planName: f.orNull(f.text()),
  phaseName: f.orNull(f.text()),
  priceListName: f.orNull(f.text()),
  phaseAnchor: f.orNull(f.dated({ audit: null })),
  phaseAnchorType: f.orNull(f.oneOf(PhaseType, { audit: null })),
  billCycleDay: f.orNull(f.integer({ audit: 'billingCycleDayLocal' })),
  quantity: f.orNull(f.integer()),
  /** Text of the event's `EventReason` (event-reason.ts), or null if no reason was recorded. */
  reason: f.orNull(f.text({ audit: null })),
  isActive: f.flag(),
  deactivatedBy: f.orNull(f.id({ audit: null })),
  createdDate: f.instant(),
};
export interface LifecycleEvent extends RecordOf<typeof lifecycleEventFields> {}
