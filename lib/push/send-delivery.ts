import type { Logger, PushSender, SystemClock } from '../ports/index.ts';
import type { PushDelivery } from '../records/index.ts';
import { atMost, plainError, TIME_OVER } from '../runtime/index.ts';
import {
  activeValueOf,
  type CallbackPolicy,
  type CallbackTarget,
  resolveCallback,
} from '../tenants/index.ts';
import { BillingError } from '../values/errors/index.ts';
import type { AttemptOutcome } from './delivery-after-attempt.ts';

/** Time limit in milliseconds for connecting and for receiving the response. */
const PUSH_TIMEOUT_MS = 15_000;

/** The tenant's data for an attempt. It is read immediately before the attempt. */
export interface TenantTarget {
  readonly callback: string | null;
  /** Secrets that sign the push, or null if this server cannot decrypt at least one of them. */
  readonly secrets: readonly string[] | null;
}

interface SendPorts {
  readonly pushSender: PushSender;
  readonly systemClock: SystemClock;
  readonly logger: Logger;
}

/** Error message if a signing secret cannot be read. An unsigned push would be rejected by its receiver. */
const UNREADABLE_SECRET = 'This server cannot read the signing secret; create a new one';

/**
 * Error message for unknown and internal host names. The text is the same in both cases, so that tenants cannot explore
 * the host's network.
 */
const UNREACHABLE = 'The host of the callback does not resolve to an address that may be called';

/** Makes one attempt to call the registered callback at a verified address (platform §10.2). Never throws. */
export async function sendDelivery(
  delivery: PushDelivery,
  target: TenantTarget,
  { ports, policy }: { readonly ports: SendPorts; readonly policy: CallbackPolicy },
): Promise<AttemptOutcome> {
  if (delivery.url !== target.callback)
    return { kind: 'WITHDRAWN', error: 'The callback is no longer registered' };
  if (target.secrets === null) return failedAttempt(null, UNREADABLE_SECRET);
  const { secrets } = target;
  const { pushSender, systemClock } = ports;
  const endsAtMs = systemClock.nowMs() + PUSH_TIMEOUT_MS;
  const place = await placeOf(delivery, { ports, policy });
  const leftMs = endsAtMs - systemClock.nowMs();
  if (place === null || leftMs <= 0) return failedAttempt(null, UNREACHABLE);
  try {
    const { status } = await pushSender.send({
      ...place,
      body: delivery.body,
      id: delivery.id,
      timestampSec: Math.floor(systemClock.nowMs() / 1_000),
      secrets,
      timeoutMs: leftMs,
    });
    if (!Number.isInteger(status)) return failedAttempt(null, 'The push sender returned no status');
    return status >= 200 && status < 300
      ? { kind: 'DELIVERED', status }
      : failedAttempt(status, `The receiver answered ${status}`);
  } catch (error) {
    return failedAttempt(null, plainError(error).message);
  }
}

/** Returns the verified target of a push. Returns null if the target is forbidden or cannot be resolved. */
async function placeOf(
  { url, id }: PushDelivery,
  { ports, policy }: { readonly ports: SendPorts; readonly policy: CallbackPolicy },
): Promise<CallbackTarget | null> {
  const { pushSender, systemClock, logger } = ports;
  try {
    const found = await atMost(systemClock, PUSH_TIMEOUT_MS, resolveCallback(url, policy, pushSender));
    return found === TIME_OVER ? null : found;
  } catch (thrown) {
    const error = plainError(thrown);
    const isRefused = error instanceof BillingError;
    const message = isRefused
      ? 'a push was rejected: its callback must not be called'
      : 'the host of a callback was not found';
    logger.warn({ err: error, deliveryId: id }, message);
    return null;
  }
}

function failedAttempt(status: number | null, error: string): AttemptOutcome {
  return { kind: 'FAILED', status, error };
}

/** Returns a function that reads the tenant's callback. The function reads each callback only once. */
export const callbackReader = () => activeValueOf('callback', (url) => url);
