import type { CatalogProvider } from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import { type CallContext, VoidOutcome } from '../../records/index.ts';
import { authorshipOf, SharedCalls } from '../../runtime/index.ts';
import { loadSubscription } from '../../subscriptions/index.ts';
import type { SettingsOf } from '../../tenants/index.ts';
import { type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { isStorable, shortenText } from '../../values/text/index.ts';
import { recordCountOf, type SubmittedUsage } from '../recording/read-submission.ts';
import { errorOfFault } from '../recording/recording-faults.ts';
import { type RecordingCall, type RecordingResult, recordTogether } from './record-together.ts';
import { recordingConfigOf } from './recording-config.ts';
import type { RecordedUsage, RecordUsageOptions } from './usage-operations.ts';

/** Maximum number of records in a call that is stored together with other calls. Larger calls are stored separately. */
const SHARED_CALL_RECORDS = 10;

/** Operations that record each submission separately (§2.1). */
export function recordingOperations(
  ports: Pick<Ports, 'storage' | 'ids' | 'sha256' | 'systemClock'>,
  catalogs: CatalogProvider,
  settingsOf: SettingsOf,
) {
  const tools = { ports, catalogs, configOf: recordingConfigOf(settingsOf) };
  const groups = new SharedCalls<RecordingCall, RecordingResult>(ports.systemClock);

  return {
    async record(
      context: CallContext,
      given: SubmittedUsage,
      options: RecordUsageOptions = {},
    ): Promise<RecordedUsage> {
      const { tenant } = context;
      authorshipOf(context);
      const { onDuplicate = null, defaultUnknownUnitPolicy } = options;
      const isAlone = tenant.within !== undefined || recordCountOf(given) > SHARED_CALL_RECORDS;
      const result = await groups.run(
        isAlone ? null : JSON.stringify([tenant.id, defaultUnknownUnitPolicy]),
        { context, given, onDuplicate },
        (calls) => recordTogether(tools, { context, options: { defaultUnknownUnitPolicy }, calls }),
      );
      if ('fault' in result) throw errorOfFault(result.fault);
      return result.recorded;
    },

    async void(context: CallContext, subscriptionId: Uuid, trackingId: string): Promise<void> {
      await ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
        const subscription = await loadSubscription(session, subscriptionId);
        const outcome = isStorable(trackingId)
          ? await session.usage.voidSubmission(subscription.recordId, trackingId)
          : VoidOutcome.UNKNOWN;
        if (outcome === VoidOutcome.UNKNOWN) throw nothingRecorded(subscriptionId, trackingId);
        if (outcome === VoidOutcome.ARCHIVED) throw archivedUsageError(subscriptionId, trackingId);
      });
    },
  };
}

function nothingRecorded(subscriptionId: Uuid, trackingId: string): BillingError {
  return billingError(
    ErrorCode.OBJECT_NOT_FOUND,
    `No usage was recorded under the tracking id ${shortenText(trackingId)} on subscription ${subscriptionId}`,
    { subscriptionId, trackingId },
  );
}

function archivedUsageError(subscriptionId: Uuid, trackingId: string): BillingError {
  return billingError(
    ErrorCode.USAGE_RECORD_ARCHIVED,
    `Points recorded under the tracking id ${shortenText(trackingId)} on subscription ${subscriptionId} are archived; ` +
      'record the difference as new usage',
    { subscriptionId, trackingId },
  );
}
