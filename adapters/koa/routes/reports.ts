import {
  FailedPayment,
  FoundObject,
  MonthsReport,
  OverdueReport,
  SubscriptionsReport,
} from '../models/reports/report.ts';
import { inArea, type Route, tenantRoute } from '../routing/route.ts';
import { instantParameter, integer, plainText, requiredParameter } from '../wire/query.ts';
import { listOf } from '../wire/wire-type.ts';

const MAX_FAILED = 100;
const DEFAULT_FAILED = 20;
const MAX_FOUND = 20;

/** See reports. */
export const reportRoutes: readonly Route[] = inArea('reports', [
  tenantRoute('getMonthsReport', 'GET /reports/months', {
    summary: 'Get invoiced and collected amounts per month and currency; repeat the call until isComplete',
    query: { from: plainText, to: plainText },
    shows: MonthsReport,
    handle: ({ billing, context, query }) => billing.reports.months(context, query),
  }),
  tenantRoute('getSubscriptionsReport', 'GET /reports/subscriptions', {
    summary: 'Get the number of active subscriptions by plan; repeat the call while isCounting',
    shows: SubscriptionsReport,
    handle: ({ billing, context }) => billing.reports.subscriptions(context),
  }),
  tenantRoute('getOverdueReport', 'GET /reports/overdue', {
    summary: 'Get the number of accounts in each overdue state',
    shows: OverdueReport,
    handle: ({ billing, context }) => billing.reports.overdue(context),
  }),
  tenantRoute('getFailedPayments', 'GET /reports/failedPayments', {
    summary: 'List failed payments, the latest first',
    query: {
      from: instantParameter,
      to: instantParameter,
      maxNumberOfRows: integer(DEFAULT_FAILED, { minimum: 1, maximum: MAX_FAILED }),
    },
    shows: listOf(FailedPayment),
    handle: ({ billing, context, query: { maxNumberOfRows: limit, ...dates } }) =>
      billing.reports.failedPayments(context, { ...dates, limit }),
  }),
  tenantRoute('findObjects', 'GET /reports/find', {
    summary: 'Find accounts, invoices, payments, subscriptions and bundles, exact matches first',
    query: {
      text: requiredParameter(plainText),
      maxNumberOfRows: integer(MAX_FOUND, { minimum: 1, maximum: MAX_FOUND }),
    },
    shows: listOf(FoundObject),
    handle: ({ billing, context, query: { text, maxNumberOfRows: limit } }) =>
      billing.reports.find(context, { text: text ?? '', limit }),
  }),
]);
