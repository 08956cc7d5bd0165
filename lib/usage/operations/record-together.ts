import type { CatalogProvider } from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import {
  type Authorship,
  type CallContext,
  RecordingOutcome,
  type UsageSubmission,
} from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { maxInstant } from '../../values/time/index.ts';
import { lineNames } from '../recording/line-report.ts';
import { readSubmission, type SubmittedUsage } from '../recording/read-submission.ts';
import { duplicateFault, type OnDuplicate, type RecordingFault } from '../recording/recording-faults.ts';
import { checkedSubmission, loadFacts, unknownSubscription } from './line-preparation.ts';
import type { RecordingConfigOf } from './recording-config.ts';
import { storeSubmissions } from './store-submissions.ts';
import type { RecordedUsage, RecordUsageOptions } from './usage-operations.ts';

/** A call that records one submission. */
export interface RecordingCall {
  readonly context: CallContext;
  readonly given: SubmittedUsage;
  /** Null for the policy of the tenant. */
  readonly onDuplicate: OnDuplicate | null;
}

/** The outcome of a call. If there is a fault, nothing from the call is stored. */
export type RecordingResult = { readonly recorded: RecordedUsage } | { readonly fault: RecordingFault };

export interface RecordingTools {
  readonly ports: Pick<Ports, 'storage' | 'ids' | 'sha256' | 'systemClock'>;
  readonly catalogs: CatalogProvider;
  readonly configOf: RecordingConfigOf;
}

interface RecordingGroup {
  /** The context of one of the calls. */
  readonly context: CallContext;
  readonly options: Pick<RecordUsageOptions, 'defaultUnknownUnitPolicy'>;
  readonly calls: readonly RecordingCall[];
}

/**
 * Records the submissions of several calls of one tenant, using one read and one write (§2.1). Each call has its own
 * author, time and outcome.
 */
export async function recordTogether(
  tools: RecordingTools,
  group: RecordingGroup,
): Promise<readonly RecordingResult[]> {
  const { config, checked } = await checkCalls(tools, group);
  const accepted = checked.filter((each) => 'submission' in each);
  const { context } = group;
  const { storage } = tools.ports;
  const storing = {
    ...config,
    storage,
    tenant: context.tenant,
    authorship: groupAuthorship(context, accepted),
  };
  const submissions = accepted.map(({ submission }) => submission);
  const outcomes = submissions.length === 0 ? [] : await storeSubmissions(storing, submissions);
  const outcomeOf = new Map(submissions.map((submission, index) => [submission, outcomes[index]]));
  return checked.map((each): RecordingResult => {
    if ('fault' in each) return each;
    const { call, submission, subscriptionId } = each;
    const { trackingId } = submission;
    const outcome = outcomeOf.get(submission);
    assertInvariant(outcome, `Storage did not report the outcome of ${trackingId}`, { subscriptionId });
    const onDuplicate = call.onDuplicate ?? config.onDuplicate;
    const fault = duplicateFault(outcome, { subscriptionId, trackingId, onDuplicate });
    if (fault !== null) return { fault };
    const { ACCEPTED, DUPLICATE } = RecordingOutcome;
    return { recorded: { trackingId, outcome: outcome === ACCEPTED ? ACCEPTED : DUPLICATE } };
  });
}

interface AcceptedCall {
  readonly call: RecordingCall;
  readonly subscriptionId: Uuid;
  readonly submission: UsageSubmission;
}

/** Performs the checks that only read data (§2.1 checks 1 to 6). */
async function checkCalls(
  { ports, catalogs, configOf }: RecordingTools,
  { context: { tenant, createdDate }, options, calls }: RecordingGroup,
) {
  const { storage, ids, sha256, systemClock } = ports;
  const now = maxInstant(createdDate, ...calls.map(({ context }) => context.createdDate));
  const named = [...new Set(calls.flatMap(({ given }) => lineNames(given).subscriptionId ?? []))];
  const catalogsOf = await catalogs.open({
    tenant,
    now,
    accounts: async (session) =>
      (await session.subscriptions.findByIds(named)).map(({ accountId }) => accountId),
  });
  return storage.read(tenant, async (session) => {
    const [config, subscriptions] = await Promise.all([
      configOf(session, options),
      session.subscriptions.findByIds(named),
    ]);
    const around = { config, now, catalogsOf, nextTurn: () => systemClock.nextTurn() };
    const { metered, unitFaultOf } = await loadFacts(session, subscriptions, around);
    const check = (call: RecordingCall): AcceptedCall | { readonly fault: RecordingFault } => {
      const read = readSubmission(call.given, config);
      if ('fault' in read) return read;
      const { subscriptionId, trackingId = ids.next(), records } = read.usage;
      const found = metered.get(subscriptionId);
      if (found === undefined) return { fault: unknownSubscription({ id: subscriptionId }) };
      const { userName: createdBy, createdDate } = call.context;
      const submission = { trackingId, records, createdBy, createdDate };
      const result = checkedSubmission(found, submission, { unitFaultOf, sha256 });
      return 'fault' in result ? result : { call, subscriptionId, ...result };
    };
    return { config, checked: calls.map(check) };
  });
}

/** Returns the authorship of a group of calls. For each account, uses the user token of its first call. */
function groupAuthorship(context: CallContext, accepted: readonly AcceptedCall[]): Authorship {
  const tokens = new Map(
    accepted.toReversed().map(({ call, submission }) => [submission.accountRecordId, call.context.userToken]),
  );
  const userTokenOf = (accountRecordId: number | null): Uuid =>
    (accountRecordId === null ? undefined : tokens.get(accountRecordId)) ?? context.userToken;
  return { ...authorshipOf(context), userTokenOf };
}
