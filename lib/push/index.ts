export type { ExternalEvent } from './external-event.ts';
export { PushCounts, type PushOutcome } from './push-counts.ts';
export type { PushDispatcher } from './push-dispatcher.ts';
export { PushService } from './service.ts';
