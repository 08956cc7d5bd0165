export {
  type FailedPaymentsRequest,
  type FailedPaymentView,
  type FindRequest,
  FoundKind,
  type FoundObject,
  type MonthFigures,
  type MonthsReport,
  type MonthsRequest,
  type OverdueReport,
  type PlanFigures,
  type ReportedMonth,
  type ReportOperations,
  type SubscriptionsReport,
} from './report-operations.ts';
export { reportOperations } from './report-service.ts';
