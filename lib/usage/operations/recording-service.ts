import type { CatalogProvider } from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import { type CallContext, RecordingOutcome, VoidOutcome } from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import { loadSubscription } from '../../subscriptions/index.ts';
import type { SettingsOf } from '../../tenants/index.ts';
import { assertInvariant, type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { isStorable, shortened } from '../../values/text/index.ts';
import { type ReadUsage, readSubmission, type SubmittedUsage } from '../recording/read-submission.ts';
import {
  duplicateFault,
  endedFault,
  errorOfFault,
  type RecordingConfig,
  type RecordingFault,
  unknownUnitFault,
} from '../recording/recording-faults.ts';
import { usagePoints, usageSubmission } from '../recording/usage-points.ts';
import { loadMetered } from './line-preparation.ts';
import { storeSubmissions } from './store-submissions.ts';
import type { RecordedUsage, RecordUsageOptions } from './usage-operations.ts';

/** Operations that record submissions one by one (§2.1). */
export function recordingOperations(
  { storage, ids, sha256, systemClock }: Pick<Ports, 'storage' | 'ids' | 'sha256' | 'systemClock'>,
  catalogs: CatalogProvider,
  settingsOf: SettingsOf,
) {
  const configOf = recordingConfigOf(settingsOf);

  /** Returns the points of a submission that passed all read-only checks (§2.1 checks 4 to 6). */
  async function placed(
    { tenant, createdDate: now }: CallContext,
    { subscriptionId, records }: Pick<ReadUsage, 'subscriptionId' | 'records'>,
    { rejectsUnknownUnits }: RecordingConfig,
  ) {
    const catalogsOf = await catalogs.open({
      tenant,
      now,
      accounts: async (session) => [(await loadSubscription(session, subscriptionId)).accountId],
    });
    return storage.read(tenant, async (session) => {
      const subscription = await loadSubscription(session, subscriptionId);
      const around = { now, catalogsOf, nextTurn: () => systemClock.nextTurn() };
      const [metered] = await loadMetered(session, [subscription], around);
      assertInvariant(metered, `Subscription ${subscriptionId} was not loaded`, { subscriptionId });
      const points = usagePoints(records, metered.zone);
      refuse(endedFault(subscriptionId, { points, end: metered.end }));
      if (rejectsUnknownUnits) {
        const { accountId } = subscription;
        refuse(unknownUnitFault(points, (await catalogsOf(session, [accountId]))(accountId)));
      }
      return { subscription, points };
    });
  }

  return {
    async record(
      context: CallContext,
      given: SubmittedUsage,
      options: RecordUsageOptions = {},
    ): Promise<RecordedUsage> {
      const { tenant } = context;
      const authorship = authorshipOf(context);
      const config = await storage.read(tenant, (session) => configOf(session, options));
      const read = readSubmission(given, config);
      if ('fault' in read) throw errorOfFault(read.fault);
      const { subscriptionId, trackingId = ids.next() } = read.usage;
      const { subscription, points } = await placed(context, read.usage, config);
      const submission = usageSubmission(subscription, { trackingId, points }, sha256);
      const [outcome] = await storeSubmissions({ ...config, storage, tenant, authorship }, [submission]);
      assertInvariant(outcome, `Storage did not report the outcome of ${trackingId}`, { subscriptionId });
      const onDuplicate = options.onDuplicate ?? config.onDuplicate;
      refuse(duplicateFault(outcome, { subscriptionId, trackingId, onDuplicate }));
      const { ACCEPTED, DUPLICATE } = RecordingOutcome;
      return { trackingId, outcome: outcome === ACCEPTED ? ACCEPTED : DUPLICATE };
    },

    async void(context: CallContext, subscriptionId: Uuid, trackingId: string): Promise<void> {
      await storage.write(context.tenant, authorshipOf(context), async (session) => {
        const subscription = await loadSubscription(session, subscriptionId);
        const outcome = isStorable(trackingId)
          ? await session.usage.voidSubmission(subscription.recordId, trackingId)
          : VoidOutcome.UNKNOWN;
        if (outcome === VoidOutcome.UNKNOWN) throw nothingRecorded(subscriptionId, trackingId);
        if (outcome === VoidOutcome.ARCHIVED) throw archived(subscriptionId, trackingId);
      });
    },
  };
}

function refuse(fault: RecordingFault | null): void {
  if (fault !== null) throw errorOfFault(fault);
}

function nothingRecorded(subscriptionId: Uuid, trackingId: string): BillingError {
  return billingError(
    ErrorCode.OBJECT_NOT_FOUND,
    `No usage was recorded under the tracking id ${shortened(trackingId)} on subscription ${subscriptionId}`,
    { subscriptionId, trackingId },
  );
}

function archived(subscriptionId: Uuid, trackingId: string): BillingError {
  return billingError(
    ErrorCode.USAGE_RECORD_ARCHIVED,
    `Points recorded under the tracking id ${shortened(trackingId)} on subscription ${subscriptionId} are archived; ` +
      'record the difference as new usage',
    { subscriptionId, trackingId },
  );
}

export type RecordingConfigOf = (
  session: ReadSession,
  options: Pick<RecordUsageOptions, 'defaultUnknownUnitPolicy'>,
) => Promise<RecordingConfig>;

export function recordingConfigOf(settingsOf: SettingsOf): RecordingConfigOf {
  return async (session, { defaultUnknownUnitPolicy = 'REJECT' }) => {
    const settings = await settingsOf(session);
    const { usageThresholds } = await session.revisions();
    return {
      onDuplicate: settings['usage.duplicatePolicy'],
      negativeAmounts: settings['usage.negativeAmounts'],
      rejectsUnknownUnits: (settings['usage.unknownUnitPolicy'] ?? defaultUnknownUnitPolicy) === 'REJECT',
      mayPassThresholds: usageThresholds !== null,
    };
  };
}
