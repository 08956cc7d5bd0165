export {
  type AccountTimeline,
  type TimelineInvoice,
  type TimelineOperations,
  type TimelineOutline,
  type TimelineOutlineOperations,
  TimelineService,
} from './service.ts';
