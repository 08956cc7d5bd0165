export { TimelineService } from './service.ts';
export type { AccountTimeline, TimelineInvoice, TimelineOperations } from './timeline-operations.ts';
export type { TimelineOutline, TimelineOutlineOperations } from './timeline-outline-operations.ts';
