export { eventIdOf } from './claim-events.ts';
export {
  type DeliveryListRequest,
  type DeliveryOperations,
  type DeliveryView,
  deliveryOperations,
} from './delivery-service.ts';
export {
  type EventFeed,
  type EventListRequest,
  type EventOperations,
  type EventSubscription,
  type EventSubscriptionOperations,
  LATEST,
  OLDEST,
  type SubscribeRequest,
} from './event-operations.ts';
export { type EventService, eventService } from './event-service.ts';
export { type ExternalEvent, externalEventTypes, metaDataText } from './external-event.ts';
export type { PushDispatcher } from './push-dispatcher.ts';
export { type PushService, pushService } from './service.ts';
export { type SinkService, sinkService } from './sink-service.ts';
export { PushCounts } from './tenant-stream.ts';
