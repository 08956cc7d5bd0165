import type { Catalog } from '../../catalog/index.ts';
import { RecordingOutcome, type UsagePoint, type UsageSubmission } from '../../records/index.ts';
import { type BillingError, billingError, ErrorCode, invalidField } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { shortenText } from '../../values/text/index.ts';
import { formatInstant, type Instant } from '../../values/time/index.ts';

/** The tenant's policy for duplicates (`usage.duplicatePolicy`, §2.1). */
export const OnDuplicate = {
  /** Rejects a used tracking id. */
  FAIL: 'FAIL',
  /** Accepts the same submission again without an error and without storing it twice. */
  IGNORE: 'IGNORE',
} as const;
export type OnDuplicate = (typeof OnDuplicate)[keyof typeof OnDuplicate];

export interface RecordingConfig {
  readonly onDuplicate: OnDuplicate;
  readonly negativeAmounts: boolean;
  /** True if units that no catalog of the tenant defines are rejected. */
  readonly rejectsUnknownUnits: boolean;
  /** True if usage may reach a threshold in the tenant's usage terms (§12.1). */
  readonly mayPassThresholds: boolean;
}

/** The kinds of faults in a submission, as reported for the lines of a bulk call (§2.5). */
export const RecordingFaultCode = {
  MALFORMED: 'MALFORMED',
  MISSING_FIELD: 'MISSING_FIELD',
  MISSING_TRACKING_ID: 'MISSING_TRACKING_ID',
  INVALID_DATE: 'INVALID_DATE',
  INVALID_AMOUNT: 'INVALID_AMOUNT',
  UNKNOWN_SUBSCRIPTION: 'UNKNOWN_SUBSCRIPTION',
  SUBSCRIPTION_ENDED: 'SUBSCRIPTION_ENDED',
  UNKNOWN_UNIT: 'UNKNOWN_UNIT',
  TRACKING_ID_CONFLICT: 'TRACKING_ID_CONFLICT',
} as const;
export type RecordingFaultCode = (typeof RecordingFaultCode)[keyof typeof RecordingFaultCode];

export interface RecordingFault {
  readonly code: RecordingFaultCode;
  readonly message: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

const errorCodes: Readonly<Partial<Record<RecordingFaultCode, ErrorCode>>> = {
  UNKNOWN_SUBSCRIPTION: ErrorCode.SUBSCRIPTION_INVALID_SUBSCRIPTION_ID,
  SUBSCRIPTION_ENDED: ErrorCode.USAGE_RECORD_AFTER_SUBSCRIPTION_END,
  UNKNOWN_UNIT: ErrorCode.USAGE_UNIT_UNKNOWN,
  TRACKING_ID_CONFLICT: ErrorCode.USAGE_RECORD_TRACKING_ID_ALREADY_EXISTS,
};

/** Converts the fault to the error of a call that records one submission (§2.1). */
export function errorOfFault({ code, message, facts }: RecordingFault): BillingError {
  const errorCode = errorCodes[code];
  if (errorCode === undefined) return invalidField(message, facts);
  return billingError(errorCode, message, facts);
}

/**
 * Returns the fault if the service of the subscription ends before one of the submission's points (§2.1 check 5). A
 * point exactly at the end is allowed.
 */
export function endedFault(
  subscriptionId: Uuid,
  { points, end }: { readonly points: readonly UsagePoint[]; readonly end: Instant | null },
): RecordingFault | null {
  const last = points.reduce((latest, { instant }) => Math.max(latest, instant), Number.NEGATIVE_INFINITY);
  if (end === null || last <= end) return null;
  return {
    code: RecordingFaultCode.SUBSCRIPTION_ENDED,
    message: `The service of subscription ${subscriptionId} ends at ${formatInstant(end)}, before the usage at ${formatInstant(last as Instant)}`,
    facts: { subscriptionId, end: formatInstant(end) },
  };
}

/** Returns the fault if no version of the catalog defines a unit of the submission (§2.1 check 6). */
export function unknownUnitFault(points: readonly UsagePoint[], catalog: Catalog): RecordingFault | null {
  const known = new Set(catalog.versions.flatMap(({ units }) => units.map(({ name }) => name)));
  const unknown = points.find(({ unit }) => !known.has(unit))?.unit;
  if (unknown === undefined) return null;
  return {
    code: RecordingFaultCode.UNKNOWN_UNIT,
    message: `No version of the catalog defines the unit "${shortenText(unknown)}"`,
    facts: { unitType: unknown },
  };
}

/**
 * Returns the outcome of a submission (§2.1 rule 6). The submission was stored if its tracking id was unused. It is a
 * duplicate if the same usage was already recorded with the tracking id. @param usedBy Fingerprint of the usage that
 * was first recorded with the tracking id, or null if the submission was stored.
 */
export function recordingOutcome(
  { fingerprint }: Pick<UsageSubmission, 'fingerprint'>,
  usedBy: string | null,
): RecordingOutcome {
  if (usedBy === null) return RecordingOutcome.ACCEPTED;
  return usedBy === fingerprint ? RecordingOutcome.DUPLICATE : RecordingOutcome.CONFLICT;
}

/**
 * Returns the fault if the tracking id is already used (§2.1 check 7 and rule 6). Returns null if the submission is
 * stored or ignored.
 */
export function duplicateFault(
  outcome: RecordingOutcome,
  {
    subscriptionId,
    trackingId,
    onDuplicate,
  }: { readonly subscriptionId: Uuid; readonly trackingId: string; readonly onDuplicate: OnDuplicate },
): RecordingFault | null {
  const isIgnoring = onDuplicate === OnDuplicate.IGNORE;
  if (outcome === RecordingOutcome.ACCEPTED) return null;
  if (outcome === RecordingOutcome.DUPLICATE && isIgnoring) return null;
  const other = isIgnoring ? ' for different usage' : '';
  return {
    code: RecordingFaultCode.TRACKING_ID_CONFLICT,
    message: `Tracking id ${shortenText(trackingId)} was already used${other} on subscription ${subscriptionId}`,
    facts: { subscriptionId, trackingId, isOtherContent: isIgnoring },
  };
}
