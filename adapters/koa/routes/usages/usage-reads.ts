import { UsageGranularity } from '../../../../lib/usage/index.ts';
import { ErrorCode } from '../../../../lib/values/errors/index.ts';
import { InvoiceItem } from '../../models/invoice.ts';
import { RolledUpUsage, UnbilledUsage } from '../../models/usage.ts';
import { json } from '../../routing/answer.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import { choice, moment, plainText, required } from '../../wire/query.ts';
import { listOf, unaudited } from '../../wire/wire-type.ts';
import { pluginItemErrors } from '../invoices/plugin-errors.ts';
import { requestedDay } from '../invoices/requested-day.ts';

const bounds = { startDate: required(moment), endDate: required(moment) };
const unknownSubscription = [ErrorCode.SUBSCRIPTION_INVALID_SUBSCRIPTION_ID];

/** Views of what was used that are not in the reference (usage §3.3). */
export const usageReadRoutes: readonly Route[] = [
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/usages/{subscriptionId}/timeline',
    operationId: 'getUsageTimeline',
    summary: 'Sum up what was recorded of a subscription by hours, days or months',
    permission: 'NONE',
    query: { ...bounds, granularity: choice(UsageGranularity, UsageGranularity.DAY), unitType: plainText },
    success: { status: 200, body: listOf(RolledUpUsage) },
    fails: unknownSubscription,
    async handle({ billing, context, dialect, params, query }) {
      const { startDate, endDate, granularity, unitType } = query;
      const request = { startDate, endDate, granularity, unitType };
      const timeline = await billing.usage.timeline(context, params.subscriptionId, request);
      return json(timeline.map((usage) => RolledUpUsage.write(usage, unaudited(dialect))));
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/usages/{subscriptionId}/rated',
    operationId: 'getRatedUsage',
    summary: 'Show what the usage of the running periods costs up to now; nothing is stored',
    permission: 'NONE',
    query: { targetDate: moment },
    success: { status: 200, body: listOf(InvoiceItem) },
    fails: [
      ...unknownSubscription,
      ErrorCode.INVOICE_TARGET_DATE_TOO_FAR_IN_THE_FUTURE,
      ErrorCode.CURRENCY_INVALID,
      ...pluginItemErrors,
    ],
    async handle(call) {
      const { billing, context, dialect, params, query } = call;
      const { accountId } =
        query.targetDate === null
          ? { accountId: null }
          : await billing.getSubscription(context, params.subscriptionId);
      const targetDate = accountId === null ? null : await requestedDay(call, accountId, query.targetDate);
      const items = await billing.usage.rated(context, params.subscriptionId, { targetDate });
      return json(items.map((item) => InvoiceItem.write(item, unaudited(dialect))));
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/usages/{subscriptionId}/unbilled',
    operationId: 'getUnbilledUsage',
    summary: 'List by day what was recorded of a subscription and is on no invoice, with the reason',
    permission: 'NONE',
    query: bounds,
    success: { status: 200, body: listOf(UnbilledUsage) },
    fails: [...unknownSubscription, ErrorCode.CURRENCY_INVALID],
    async handle({ billing, context, dialect, params, query }) {
      const unbilled = await billing.usage.unbilled(context, params.subscriptionId, query);
      return json(unbilled.map((usage) => UnbilledUsage.write(usage, unaudited(dialect))));
    },
  }),
];
