export { TimelineService } from './service.ts';
export type { TimelineOperations } from './timeline-operations.ts';
export type { TimelineOutline, TimelineOutlineOperations } from './timeline-outline-operations.ts';
