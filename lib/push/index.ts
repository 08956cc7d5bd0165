export { eventIdOf } from './deliveries-of-events.ts';
export type { DeliveryListRequest, DeliveryOperations, DeliveryView } from './delivery-operations.ts';
export { DeliveryService } from './delivery-service.ts';
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
export { PushCounts, type PushOutcome } from './push-counts.ts';
export type { PushDispatcher } from './push-dispatcher.ts';
export { PushService } from './service.ts';
export { SinkService } from './sink-service.ts';
