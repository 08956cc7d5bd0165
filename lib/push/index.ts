export type { DeliveryListRequest, DeliveryOperations, DeliveryView } from './delivery-operations.ts';
export { DeliveryService } from './delivery-service.ts';
export { type ExternalEvent, externalEventTypes } from './external-event.ts';
export { PushCounts, type PushOutcome } from './push-counts.ts';
export type { PushDispatcher } from './push-dispatcher.ts';
export { PushService } from './service.ts';
