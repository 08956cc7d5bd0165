export {
  type DeliveryListRequest,
  type DeliveryOperations,
  DeliveryService,
  type DeliveryView,
} from './delivery-service.ts';
export type {
  EventFeed,
  EventListRequest,
  EventOperations,
  EventSubscription,
  EventSubscriptionOperations,
  SubscribeRequest,
} from './event-operations.ts';
export { EventService } from './event-service.ts';
export { type ExternalEvent, externalEventTypes, metaDataText } from './external-event.ts';
export type { PushDispatcher } from './push-dispatcher.ts';
export { PushService } from './service.ts';
export { SinkService } from './sink-service.ts';
export { eventIdOf } from './take-up.ts';
export { PushCounts } from './tenant-stream.ts';
