import {
  type EventPayload,
  type NewNotification,
  QueueName,
  type UsageSubmission,
} from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Instant } from '../../values/time/index.ts';

/** What recording asks for where it may pass a threshold (§12.1): one live entry for each subscription. */
export function thresholdLook(
  { accountRecordId, subscriptionRecordId }: UsageSubmission,
  now: Instant,
): NewNotification {
  return {
    queueName: QueueName.USAGE_THRESHOLDS,
    accountRecordId,
    effectiveDate: now,
    payload: { subscriptionRecordId },
    uniqueKey: `usage-threshold:${subscriptionRecordId}`,
  };
}

/** The record id of the subscription that is to be looked at. */
export function readThresholdLook({ subscriptionRecordId }: EventPayload): number {
  assertInvariant(
    typeof subscriptionRecordId === 'number',
    'An entry for thresholds must name a subscription',
  );
  return subscriptionRecordId;
}
