import { MAX_EXTERNAL_KEY_CHARACTERS, MAX_TRACKING_ID_CHARACTERS } from '../../values/limits.ts';
import { type RecordingFault, RecordingFaultCode } from './recording-fault.ts';
import {
  isNothing,
  isRecord,
  type Placed,
  present,
  type ReadingRules,
  readRecord,
  recordsOf,
  textOf,
  Unreadable,
  uuidOf,
} from './submitted-values.ts';
import {
  type ReadLine,
  type ReadUsage,
  type SubmittedLine,
  type SubmittedUsage,
  UnreadableLine,
} from './usage-submission.ts';

export type Reading<T> = { readonly usage: T } | { readonly fault: RecordingFault };

/** Reads a submission: first that all is there, then its values (§2.1 checks 1 to 3). The first fault counts. */
export function readSubmission(given: SubmittedUsage, rules: ReadingRules): Reading<ReadUsage> {
  return readingOf(() => {
    checkRecord(given);
    const subscriptionId = placed(given, 'subscriptionId');
    present(subscriptionId);
    const records = recordsOf(given.unitUsageRecords);
    const trackingId = placed(given, 'trackingId');
    return {
      subscriptionId: uuidOf(subscriptionId),
      trackingId: isNothing(trackingId.value) ? undefined : textOf(trackingId, MAX_TRACKING_ID_CHARACTERS),
      records: records.map((record) => readRecord(record, rules)),
    };
  });
}

/** The same of a line of a bulk call: it needs a tracking id, and may name its subscription by key (§2.5). */
export function readLine(given: SubmittedLine, rules: ReadingRules): Reading<ReadLine> {
  return readingOf(() => {
    if (given instanceof UnreadableLine) {
      throw new Unreadable(RecordingFaultCode.MALFORMED, given.message, '');
    }
    checkRecord(given);
    const trackingId = placed(given, 'trackingId');
    if (isNothing(trackingId.value)) {
      const message = 'SubscriptionUsageRecord trackingId needs to be set in bulk';
      throw new Unreadable(RecordingFaultCode.MISSING_TRACKING_ID, message, 'trackingId');
    }
    const byKey = isNothing(given.subscriptionId) && !isNothing(given.subscriptionExternalKey);
    const name = placed(given, byKey ? 'subscriptionExternalKey' : 'subscriptionId');
    present(name);
    const records = recordsOf(given.unitUsageRecords);
    return {
      subscription: byKey ? { externalKey: textOf(name, MAX_EXTERNAL_KEY_CHARACTERS) } : { id: uuidOf(name) },
      trackingId: textOf(trackingId, MAX_TRACKING_ID_CHARACTERS),
      records: records.map((record) => readRecord(record, rules)),
    };
  });
}

function readingOf<T>(read: () => T): Reading<T> {
  try {
    return { usage: read() };
  } catch (error) {
    if (error instanceof Unreadable) return { fault: error.fault };
    throw error;
  }
}

function checkRecord(given: unknown): void {
  if (isRecord(given)) return;
  throw new Unreadable(RecordingFaultCode.MALFORMED, 'A SubscriptionUsageRecord must be an object', '');
}

function placed<T extends object>(given: T, at: keyof T & string): Placed {
  return { value: given[at], at };
}
