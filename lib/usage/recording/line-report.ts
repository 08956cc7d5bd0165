import { RecordingOutcome } from '../../records/index.ts';
import { isUuid, type Uuid } from '../../values/ids/index.ts';
import { MAX_TRACKING_ID_CHARACTERS } from '../../values/limits.ts';
import { shortenText } from '../../values/text/index.ts';
import { type SubmittedLine, UnreadableLine } from './read-submission.ts';
import { type RecordingFault, RecordingFaultCode } from './recording-faults.ts';

/** Maximum number of failures in the report of a bulk call. */
const MAX_LISTED_USAGE_FAILURES = 1_000;

/** The outcome of a line (§2.5). */
export const LineStatus = { ...RecordingOutcome, REJECTED: 'REJECTED' } as const;
export type LineStatus = (typeof LineStatus)[keyof typeof LineStatus];

export interface ReportedLine {
  /** Position of the line in the call, starting at 0. */
  readonly index: number;
  /** The subscription, or null if the line does not name a subscription or if its key is unknown. */
  readonly subscriptionId: Uuid | null;
  readonly trackingId: string | null;
  readonly status: LineStatus;
  /** Null for ACCEPTED and DUPLICATE. */
  readonly code: RecordingFaultCode | null;
  readonly message: string | null;
}

/** The outcomes of a bulk call's lines. */
export interface UsageReport {
  readonly received: number;
  readonly accepted: number;
  /** Number of lines that repeat the usage already recorded with the same tracking id, possibly by an earlier line. */
  readonly duplicates: number;
  /**
   * Number of lines whose usage differs from the usage already recorded with the same tracking id, possibly by an
   * earlier line.
   */
  readonly conflicts: number;
  readonly rejected: number;
  /** The first thousand CONFLICT and REJECTED lines, or all lines if requested. */
  readonly failures: readonly ReportedLine[];
  readonly failuresTruncated: boolean;
}

export interface LineFound {
  readonly subscriptionId: Uuid | null;
  readonly trackingId: string | null;
  readonly result: { readonly outcome: RecordingOutcome } | { readonly fault: RecordingFault };
}

export class LineReport {
  readonly #isFull: boolean;
  readonly #counts: Record<LineStatus, number> = { ACCEPTED: 0, DUPLICATE: 0, CONFLICT: 0, REJECTED: 0 };
  readonly #listed: ReportedLine[] = [];
  #received = 0;
  #isTruncated = false;

  constructor({ isFull }: { readonly isFull: boolean }) {
    this.#isFull = isFull;
  }

  add({ subscriptionId, trackingId, result }: LineFound): void {
    const status = 'fault' in result ? LineStatus.REJECTED : result.outcome;
    const index = this.#received;
    this.#received += 1;
    this.#counts[status] += 1;
    const isFailure = status === LineStatus.REJECTED || status === LineStatus.CONFLICT;
    if (!(isFailure || this.#isFull)) return;
    if (!this.#isFull && this.#listed.length >= MAX_LISTED_USAGE_FAILURES) {
      this.#isTruncated = true;
      return;
    }
    const failure = isFailure ? failureOf(result, trackingId) : { code: null, message: null };
    this.#listed.push({ index, subscriptionId, trackingId, status, ...failure });
  }

  get report(): UsageReport {
    const { ACCEPTED, DUPLICATE, CONFLICT, REJECTED } = this.#counts;
    return {
      received: this.#received,
      accepted: ACCEPTED,
      duplicates: DUPLICATE,
      conflicts: CONFLICT,
      rejected: REJECTED,
      failures: this.#listed,
      failuresTruncated: this.#isTruncated,
    };
  }
}

function failureOf(result: LineFound['result'], trackingId: string | null) {
  if ('fault' in result) return { code: result.fault.code, message: result.fault.message };
  const shown = shortenText(trackingId ?? '');
  return {
    code: RecordingFaultCode.TRACKING_ID_CONFLICT,
    message: `Tracking id ${shown} was already used for different usage on this subscription; choose a different tracking id`,
  };
}

/** Returns the names that identify a line in reports on faulty lines. Omits names that cannot be read. */
export function lineNames(line: SubmittedLine): Omit<LineFound, 'result'> {
  if (typeof line !== 'object' || line === null || line instanceof UnreadableLine) {
    return { subscriptionId: null, trackingId: null };
  }
  const id = typeof line.subscriptionId === 'string' ? line.subscriptionId.toLowerCase() : '';
  const { trackingId } = line;
  return {
    subscriptionId: isUuid(id) ? id : null,
    trackingId: typeof trackingId === 'string' ? trackingId.slice(0, MAX_TRACKING_ID_CHARACTERS) : null,
  };
}
