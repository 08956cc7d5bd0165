import { type DeliveryView, externalEventTypes } from '../../../lib/push/index.ts';
import { type DeliveryState, ObjectType } from '../../../lib/records/index.ts';
import { derivedField, maybe, model } from '../wire/model.ts';
import { enumeration, int, text, timestamp, uuid } from '../wire/scalars.ts';

/** See platform §10.5. */
export const deliveryStates: Readonly<Record<DeliveryState, DeliveryState>> = {
  AVAILABLE: 'AVAILABLE',
  PROCESSED: 'PROCESSED',
  FAILED: 'FAILED',
  REMOVED: 'REMOVED',
};

export const NotificationDelivery = model('NotificationDelivery', {
  deliveryId: derivedField(uuid, ({ id }: DeliveryView) => id),
  eventType: enumeration(externalEventTypes),
  accountId: maybe(text()),
  objectType: enumeration(ObjectType),
  objectId: maybe(text()),
  metaData: maybe(text()),
  url: text(),
  status: enumeration(deliveryStates),
  attempts: int(),
  lastAttemptDate: maybe(timestamp),
  lastStatus: maybe(int()),
  lastError: maybe(text()),
  nextAttemptDate: maybe(timestamp),
  createdDate: timestamp,
});
