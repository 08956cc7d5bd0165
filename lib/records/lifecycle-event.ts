import {
  bigint,
  dated,
  enumeration,
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

/** A dated billing event of a subscription. Fields that its type does not use are null (subscriptions §3). */
export const lifecycleEventFields = {
  recordId,
  id: id(),
  subscriptionId: id(),
  accountRecordId: bigint(),
  type: oneOf(LifecycleEventType, { audit: null }),
  effective: dated({ audit: 'effectiveDate' }),
  /** Order of events at one instant: the order of insertion in the subscription. */
  sequence: integer({ audit: 'totalOrdering' }),
  planName: orNull(text()),
  phaseName: orNull(text()),
  priceListName: orNull(text()),
  phaseAnchor: orNull(dated({ audit: null })),
  phaseAnchorType: orNull(oneOf(PhaseType, { audit: null })),
  billCycleDay: orNull(integer({ audit: 'billingCycleDayLocal' })),
  quantity: orNull(integer()),
  /** Text of its `EventReason` (event-reason.ts), if any. */
  reason: orNull(text({ audit: null })),
  isActive: flag(),
  deactivatedBy: orNull(id({ audit: null })),
  createdDate: instant(),
};
export interface LifecycleEvent extends RecordOf<typeof lifecycleEventFields> {}
