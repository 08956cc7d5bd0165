import { RecordingOutcome } from '../../../../lib/records/index.ts';
import {
  type NewUsage,
  type NewUsageLine,
  OnDuplicate,
  UsageGranularity,
} from '../../../../lib/usage/index.ts';
import { invalidField } from '../../../../lib/values/errors/index.ts';
import { Dialect } from '../../dialect.ts';
import { InvoiceItem } from '../../models/invoice.ts';
import { RolledUpUsage, SubscriptionUsageRecord, UnbilledUsage, UsageReport } from '../../models/usage.ts';
import { jsonBody } from '../../routing/body.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import {
  choice,
  moment,
  optionalChoice,
  plainText,
  pluginProperties,
  requiredParameter,
} from '../../wire/query.ts';
import { listOf, renderingWithoutAudit } from '../../wire/wire-type.ts';
import { pluginItemErrors, requestedDay } from '../invoices/invoices.ts';
import { SUBMISSION_MEMBERS, unknownMember, usageLinesBody } from './usage-lines.ts';

const ReportKind = { FAILURES: 'FAILURES', FULL: 'FULL' } as const;

const bounds = { startDate: requiredParameter(moment), endDate: requiredParameter(moment) };
const rollUp = { query: { ...bounds, pluginProperty: pluginProperties }, shows: RolledUpUsage };

/** Rejects unknown fields in dialect D. @throws BillingError MISSING_OR_INVALID_FIELD (60003). */
function refuseUnknownMembers(json: unknown, dialect: Dialect): void {
  const unknown = dialect === Dialect.D ? unknownMember(json, SUBMISSION_MEMBERS) : null;
  if (unknown !== null) throw invalidField(unknown);
}

/**
 * Returns true if usage may be recorded for an unknown unit. Clients of Kill Bill may record usage before the catalog
 * defines its unit (http-api §4 line 22).
 */
const unknownUnitsIn = (dialect: Dialect) => (dialect === Dialect.K ? 'ACCEPT' : 'REJECT');

/** See usage §2, §3. */
export const usageRoutes: readonly Route[] = [
  tenantRoute('recordUsage', 'POST /usages', {
    summary: 'Record usage for a subscription: all records or none',
    permission: 'usage:record',
    query: { onDuplicate: optionalChoice(OnDuplicate) },
    body: jsonBody(SubscriptionUsageRecord, refuseUnknownMembers),
    success: { status: 201, also: { 200: 'Already recorded with the same content' } },
    fails: [
      'SUBSCRIPTION_INVALID_SUBSCRIPTION_ID',
      'USAGE_RECORD_TRACKING_ID_ALREADY_EXISTS',
      'USAGE_RECORD_AFTER_SUBSCRIPTION_END',
      'USAGE_UNIT_UNKNOWN',
    ],
    outcomes: { 409: 'With `onDuplicate=IGNORE`, already recorded with different content: error code 50000' },
    async handle({ billing, context, dialect, query, body }) {
      const options = { ...query, defaultUnknownUnitPolicy: unknownUnitsIn(dialect) } as const;
      // The model has already rejected records with missing fields.
      const { outcome } = await billing.usage.record(context, body as NewUsage, options);
      return { status: outcome === RecordingOutcome.ACCEPTED ? 201 : 200 };
    },
  }),
  tenantRoute('recordUsageBulk', 'POST /usages/bulk', {
    summary: 'Record usage for many subscriptions, each line independently',
    permission: 'usage:record',
    query: { report: choice(ReportKind, ReportKind.FAILURES) },
    body: usageLinesBody,
    success: {
      status: 200,
      body: UsageReport,
      also: { 413: 'The body exceeds the size limit; reports the lines recorded up to that point' },
    },
    async handle({ billing, context, dialect, query, body }) {
      const listsAll = query.report === ReportKind.FULL;
      const lines = body.lines as AsyncIterable<NewUsageLine>;
      const defaultUnknownUnitPolicy = unknownUnitsIn(dialect);
      const report = await billing.usage.recordAll(context, lines, { listsAll, defaultUnknownUnitPolicy });
      if (body.isEmpty()) throw invalidField('Usage records need to be sent as the body');
      const shown = UsageReport.write(report, renderingWithoutAudit(dialect));
      return body.isCut() ? { json: shown, status: 413 } : { json: shown };
    },
  }),
  tenantRoute('getUsage', 'GET /usages/{subscriptionId}/{unitType}', {
    summary: 'Get the total recorded usage of one unit of a subscription',
    ...rollUp,
    handle: ({ billing, context, params: { subscriptionId, unitType }, query: { startDate, endDate } }) =>
      billing.usage.rollUp(context, subscriptionId, { startDate, endDate, unitType }),
  }),
  tenantRoute('getAllUsage', 'GET /usages/{subscriptionId}', {
    summary: 'Get the total recorded usage of a subscription by unit',
    ...rollUp,
    handle: ({ billing, context, params: { subscriptionId }, query: { startDate, endDate } }) =>
      billing.usage.rollUp(context, subscriptionId, { startDate, endDate, unitType: null }),
  }),
  tenantRoute('voidUsageRecord', 'DELETE /usages/{subscriptionId}/records/{trackingId}', {
    summary: 'Delete the usage recorded under a tracking id, which cannot be reused',
    permission: 'usage:record',
    fails: ['USAGE_RECORD_ARCHIVED'],
    handle: ({ billing, context, params }) =>
      billing.usage.void(context, params.subscriptionId, params.trackingId),
  }),
  // These are the routes of additional usage views (usage §3.3).
  tenantRoute('getUsageTimeline', 'GET /usages/{subscriptionId}/timeline', {
    summary: 'Get the recorded usage of a subscription by hour, day or month',
    query: { ...bounds, granularity: choice(UsageGranularity, UsageGranularity.DAY), unitType: plainText },
    shows: listOf(RolledUpUsage),
    handle: ({ billing, context, params, query }) =>
      billing.usage.timeline(context, params.subscriptionId, query),
  }),
  tenantRoute('getRatedUsage', 'GET /usages/{subscriptionId}/rated', {
    summary: 'Preview the cost of usage in the current periods; nothing is stored',
    query: { targetDate: moment },
    shows: listOf(InvoiceItem),
    fails: ['INVOICE_TARGET_DATE_TOO_FAR_IN_THE_FUTURE', 'CURRENCY_INVALID', ...pluginItemErrors],
    async handle(call) {
      const { billing, context, query } = call;
      const { subscriptionId } = call.params;
      if (query.targetDate === null)
        return billing.usage.rated(context, subscriptionId, { targetDate: null });
      const { accountId } = await billing.getSubscription(context, subscriptionId);
      const targetDate = await requestedDay(call, accountId, query.targetDate);
      return billing.usage.rated(context, subscriptionId, { targetDate });
    },
  }),
  tenantRoute('getUnbilledUsage', 'GET /usages/{subscriptionId}/unbilled', {
    summary: "List a subscription's uninvoiced usage by day, with the reason",
    query: bounds,
    shows: listOf(UnbilledUsage),
    fails: ['CURRENCY_INVALID'],
    handle: ({ billing, context, params, query }) =>
      billing.usage.unbilled(context, params.subscriptionId, query),
  }),
];
