import type { Logger, PushSender, SystemClock } from '../ports/index.ts';
import type { ReadSession } from '../ports/storage/index.ts';
import type { PushDelivery } from '../records/index.ts';
import { atMost, plainError, TIME_OVER } from '../runtime/index.ts';
import {
  ActiveValueCache,
  type CallbackPolicy,
  type CallbackTarget,
  resolveCallback,
} from '../tenants/index.ts';
import { BillingError } from '../values/errors/index.ts';
import type { AttemptOutcome } from './after-attempt.ts';

/** Within what time an attempt of a push must connect, and must have its answer. */
const PUSH_TIMEOUT_MS = 15_000;

/** What attempts need of their tenant, as it is right before them. */
export interface TenantTarget {
  /** The callback that is registered; null = none is. */
  readonly callback: string | null;
  /** The secrets that sign; null = there are some that this server cannot read. */
  readonly secrets: readonly string[] | null;
}

interface SendPorts {
  readonly pushSender: PushSender;
  readonly systemClock: SystemClock;
  readonly logger: Logger;
}

/** Unsigned, the receiver would take it for a forgery. */
const UNREADABLE_SECRET = 'The secret that signs cannot be read by this server; create a new one';

/** The same text for a name that nobody knows and one that leads inside: a tenant must not find out names of our network. */
const UNREACHABLE = 'The host of the callback does not resolve to an address that may be called';

/** One attempt (platform §10.2) to the callback still registered, at a checked address. Never throws. */
export async function sendDelivery(
  delivery: PushDelivery,
  target: TenantTarget,
  { ports, policy }: { readonly ports: SendPorts; readonly policy: CallbackPolicy },
): Promise<AttemptOutcome> {
  if (delivery.url !== target.callback)
    return { kind: 'WITHDRAWN', error: 'The callback is no longer registered' };
  if (target.secrets === null) return failed(null, UNREADABLE_SECRET);
  const { secrets } = target;
  const { pushSender, systemClock } = ports;
  const endsAtMs = systemClock.nowMs() + PUSH_TIMEOUT_MS;
  const place = await placeOf(delivery, { ports, policy });
  const leftMs = endsAtMs - systemClock.nowMs();
  if (place === null || leftMs <= 0) return failed(null, UNREACHABLE);
  try {
    const { status } = await pushSender.send({
      ...place,
      body: delivery.body,
      id: delivery.id,
      timestampSec: Math.floor(systemClock.nowMs() / 1_000),
      secrets,
      timeoutMs: leftMs,
    });
    if (!Number.isInteger(status)) return failed(null, 'The push sender gave no status');
    return status >= 200 && status < 300
      ? { kind: 'DELIVERED', status }
      : failed(status, `The receiver answered ${status}`);
  } catch (error) {
    return failed(null, plainError(error).message);
  }
}

/** Null: it must not be called, or nobody knows where it is. */
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
    logger.warn(
      { err: error, deliveryId: id },
      isRefused
        ? 'a push was refused: its callback must not be called'
        : 'the host of a callback is not found',
    );
    return null;
  }
}

function failed(status: number | null, error: string): AttemptOutcome {
  return { kind: 'FAILED', status, error };
}

/** Gives the callback that the tenant of a session has registered, or null. */
export type CallbackOf = (session: ReadSession) => Promise<string | null>;

/** The tenant's row names the row of its callback, and rows never change, so a callback is read once. */
export function callbackOf(): CallbackOf {
  const known = new ActiveValueCache<string>();
  return async (session) => {
    const { callback } = await session.revisions();
    if (callback === null) return null;
    const found = known.find(callback);
    if (found !== undefined) return found;
    const url = await session.keyValues.valueOf(callback.recordId);
    known.keep(session, callback, url);
    return url;
  };
}
