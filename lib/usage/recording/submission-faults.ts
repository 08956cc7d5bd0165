import type { Catalog } from '../../catalog/index.ts';
import { RecordingOutcome, type UsagePoint, type UsageSubmission } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { shortened } from '../../values/text/index.ts';
import { formatInstant, type Instant } from '../../values/time/index.ts';
import { OnDuplicate } from './recording-config.ts';
import { type RecordingFault, RecordingFaultCode } from './recording-fault.ts';
import { isAfterEnd } from './usage-points.ts';

/** The fault of a submission for a subscription whose service ends before one of its points (§2.1 check 5). */
export function endedFault(
  subscriptionId: Uuid,
  { points, end }: { readonly points: readonly UsagePoint[]; readonly end: Instant | null },
): RecordingFault | null {
  if (end === null || !isAfterEnd(points, end)) return null;
  const last = points.reduce((latest, { instant }) => Math.max(latest, instant), Number.NEGATIVE_INFINITY);
  return {
    code: RecordingFaultCode.SUBSCRIPTION_ENDED,
    message:
      `The service of subscription ${subscriptionId} ends at ${formatInstant(end)}; usage at ` +
      `${formatInstant(last as Instant)} is after that`,
    facts: { subscriptionId, end: formatInstant(end) },
  };
}

/** The fault of a submission with a unit that no version of the catalog has (§2.1 check 6). */
export function unknownUnitFault(points: readonly UsagePoint[], catalog: Catalog): RecordingFault | null {
  const known = new Set(catalog.versions.flatMap(({ units }) => units.map(({ name }) => name)));
  const unknown = points.find(({ unit }) => !known.has(unit))?.unit;
  if (unknown === undefined) return null;
  return {
    code: RecordingFaultCode.UNKNOWN_UNIT,
    message: `No version of the catalog has a unit "${shortened(unknown)}"`,
    facts: { unitType: unknown },
  };
}

/**
 * What happens to a submission: it is stored if its tracking id was free, and a duplicate if the same usage took the id first
 * (§2.1 rule 6).
 * @param takenBy fingerprint of the usage that took the tracking id first; null = the submission was stored.
 */
export function recordingOutcome(
  { fingerprint }: Pick<UsageSubmission, 'fingerprint'>,
  takenBy: string | null,
): RecordingOutcome {
  if (takenBy === null) return RecordingOutcome.ACCEPTED;
  return takenBy === fingerprint ? RecordingOutcome.DUPLICATE : RecordingOutcome.CONFLICT;
}

/** The fault of a submission whose tracking id was used before (§2.1 check 7 and rule 6); null where it is stored or ignored. */
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
  const other = isIgnoring ? ' for other usage' : '';
  return {
    code: RecordingFaultCode.TRACKING_ID_CONFLICT,
    message: `Tracking id ${shortened(trackingId)} was already used${other} on subscription ${subscriptionId}`,
    facts: { subscriptionId, trackingId, isOtherContent: isIgnoring },
  };
}
