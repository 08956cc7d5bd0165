import { isUuid, type Uuid } from '../../values/ids/index.ts';
import { MAX_TRACKING_ID_CHARACTERS } from '../../values/limits.ts';
import { type SubmittedLine, UnreadableLine } from './usage-submission.ts';

/** By what a line can be told from others, as far as it can be read; for reports on lines that are wrong. */
export function lineNames(line: SubmittedLine): {
  readonly subscriptionId: Uuid | null;
  readonly trackingId: string | null;
} {
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
