import { RecordingOutcome } from '../../../../lib/records/index.ts';
import { type NewUsage, type NewUsageLine, OnDuplicate } from '../../../../lib/usage/index.ts';
import { ErrorCode, invalidField } from '../../../../lib/values/errors/index.ts';
import type { Uuid } from '../../../../lib/values/ids/index.ts';
import { Dialect } from '../../dialect.ts';
import { RolledUpUsage, SubscriptionUsageRecord, UsageReport } from '../../models/usage.ts';
import { json } from '../../routing/answer.ts';
import { jsonBody } from '../../routing/body.ts';
import { type Route, type TenantCall, tenantRoute } from '../../routing/route.ts';
import { usageLinesBody } from '../../routing/usage-lines.ts';
import { SUBMISSION_MEMBERS, unknownMember } from '../../routing/usage-members.ts';
import { choice, moment, optionalChoice, pluginProperties, required } from '../../wire/query.ts';
import { unaudited } from '../../wire/wire-type.ts';

/** What a report lists. */
const ReportKind = { FAILURES: 'FAILURES', FULL: 'FULL' } as const;

const stretch = {
  startDate: required(moment),
  endDate: required(moment),
  pluginProperty: pluginProperties,
};
const rolledUp = { status: 200, body: RolledUpUsage } as const;
const unknownSubscription = [ErrorCode.SUBSCRIPTION_INVALID_SUBSCRIPTION_ID];

/** @throws BillingError MISSING_OR_INVALID_FIELD (60003) in dialect D for a member that would be dropped. */
function refuseUnknownMembers(json: unknown, dialect: Dialect): void {
  const unknown = dialect === Dialect.D ? unknownMember(json, SUBMISSION_MEMBERS) : null;
  if (unknown !== null) throw invalidField(unknown);
}

/** What subscriptions have used (usage §2, §3). */
export const usageRoutes: readonly Route[] = [
  tenantRoute({
    method: 'POST',
    path: '/1.0/kb/usages',
    operationId: 'recordUsage',
    summary: 'Record what a subscription has used; all of it or none',
    permission: 'usage:record',
    query: { onDuplicate: optionalChoice(OnDuplicate) },
    body: jsonBody(SubscriptionUsageRecord, refuseUnknownMembers),
    success: { status: 201, also: { 200: 'Recorded before, with the same content' } },
    fails: [
      ...unknownSubscription,
      ErrorCode.USAGE_RECORD_TRACKING_ID_ALREADY_EXISTS,
      ErrorCode.USAGE_RECORD_AFTER_SUBSCRIPTION_END,
      ErrorCode.USAGE_UNIT_UNKNOWN,
    ],
    outcomes: { 409: 'With `onDuplicate=IGNORE`, recorded before with other content: error code 50000' },
    async handle({ billing, context, query, body }) {
      // The model has refused what lacks anything.
      const { outcome } = await billing.usage.record(context, body as NewUsage, {
        onDuplicate: query.onDuplicate,
      });
      return { status: outcome === RecordingOutcome.ACCEPTED ? 201 : 200 };
    },
  }),
  tenantRoute({
    method: 'POST',
    path: '/1.0/kb/usages/bulk',
    operationId: 'recordUsageBulk',
    summary: 'Record what many subscriptions have used, each line for itself',
    permission: 'usage:record',
    query: { report: choice(ReportKind, ReportKind.FAILURES) },
    body: usageLinesBody,
    success: { status: 200, body: UsageReport, also: { 413: 'Too much: what was recorded up to there' } },
    async handle({ billing, context, dialect, query, body }) {
      const listsAll = query.report === ReportKind.FULL;
      const lines = body.lines as AsyncIterable<NewUsageLine>;
      const report = await billing.usage.recordAll(context, lines, { listsAll });
      if (body.isEmpty()) throw invalidField('Records of usage need to be sent as the body');
      const shown = UsageReport.write(report, unaudited(dialect));
      return body.isCut() ? { ...json(shown), status: 413 } : json(shown);
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/usages/{subscriptionId}/{unitType}',
    operationId: 'getUsage',
    summary: 'Sum up what was recorded of one unit of a subscription',
    permission: 'NONE',
    query: stretch,
    success: rolledUp,
    fails: unknownSubscription,
    handle: (call) => answerRollUp(call, call.params.subscriptionId, call.params.unitType),
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/usages/{subscriptionId}',
    operationId: 'getAllUsage',
    summary: 'Sum up what was recorded of each unit of a subscription',
    permission: 'NONE',
    query: stretch,
    success: rolledUp,
    fails: unknownSubscription,
    handle: (call) => answerRollUp(call, call.params.subscriptionId, null),
  }),
  tenantRoute({
    method: 'DELETE',
    path: '/1.0/kb/usages/{subscriptionId}/records/{trackingId}',
    operationId: 'voidUsageRecord',
    summary: 'Take back what was recorded under a tracking id, which stays taken',
    permission: 'usage:record',
    fails: [...unknownSubscription, ErrorCode.OBJECT_NOT_FOUND, ErrorCode.USAGE_RECORD_ARCHIVED],
    handle: ({ billing, context, params }) =>
      billing.usage.void(context, params.subscriptionId, params.trackingId),
  }),
];

type RollUpCall = Pick<TenantCall<string, typeof stretch, null>, 'billing' | 'context' | 'dialect' | 'query'>;

async function answerRollUp(
  { billing, context, dialect, query }: RollUpCall,
  subscriptionId: Uuid,
  unitType: string | null,
) {
  const usage = await billing.usage.rollUp(context, subscriptionId, {
    startDate: query.startDate,
    endDate: query.endDate,
    unitType,
  });
  return json(RolledUpUsage.write(usage, unaudited(dialect)));
}
