import { type DeliveryView, externalEventTypes } from '../../../lib/push/index.ts';
import { type DeliveryState, ObjectType } from '../../../lib/records/index.ts';
import { field, model } from '../wire/model.ts';
import { enumeration, int, text, timestamp, uuid } from '../wire/scalars.ts';

/** What becomes of a delivery (platform §10.5). */
export const deliveryStates: Readonly<Record<DeliveryState, DeliveryState>> = {
  AVAILABLE: 'AVAILABLE',
  PROCESSED: 'PROCESSED',
  FAILED: 'FAILED',
  REMOVED: 'REMOVED',
};

export const NotificationDelivery = model('NotificationDelivery', {
  deliveryId: field(uuid, 'R', { from: ({ id }: DeliveryView) => id }),
  eventType: field(enumeration(externalEventTypes), 'R'),
  accountId: field(text(), 'R', { nullable: true }),
  objectType: field(enumeration(ObjectType), 'R'),
  objectId: field(text(), 'R', { nullable: true }),
  metaData: field(text(), 'R', { nullable: true }),
  url: field(text(), 'R'),
  status: field(enumeration(deliveryStates), 'R'),
  attempts: field(int(), 'R'),
  lastAttemptDate: field(timestamp, 'R', { nullable: true }),
  lastStatus: field(int(), 'R', { nullable: true }),
  lastError: field(text(), 'R', { nullable: true }),
  nextAttemptDate: field(timestamp, 'R', { nullable: true }),
  createdDate: field(timestamp, 'R'),
});
