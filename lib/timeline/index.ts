export {
  type AccountTimeline,
  type TimelineInvoice,
  type TimelineOperations,
  type TimelineOutline,
  type TimelineOutlineOperations,
  timelineOperations,
} from './service.ts';
