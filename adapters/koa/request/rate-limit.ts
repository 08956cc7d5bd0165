import { type BillingError, billingError, ErrorCode } from '../../../lib/values/errors/index.ts';

/** Maximum number of notifications per tenant and gateway that a node verifies at the same time (payments §11.2). */
const MAX_NOTIFICATIONS_VERIFIED_AT_ONCE = 20;

/** Size of a burst, in seconds at the allowed rate (`server.limits.rate.tenant`, `.principal`). */
const RATE_BURST_SECONDS = 2;

/** Maximum number of subjects that are counted. When a subject is no longer counted, it can use a full burst again. */
export const MAX_RATE_BUCKETS = 10_000;

/** Requests per second that one subject may make on this node (platform §16). Null means unlimited. */
export interface RequestRates {
  /** Requests per second of all callers of one tenant (`server.limits.rate.tenant`). */
  readonly tenant: number | null;
  /** Requests per second of one user, client or token subject (`server.limits.rate.principal`). */
  readonly principal: number | null;
  /** Unauthenticated notifications per second for one gateway of one tenant (`server.limits.rate.gateways`). */
  readonly gateways: number | null;
}

interface Bucket {
  readonly tokens: number;
  readonly countedMs: number;
}

export interface RatedSubject {
  readonly kind: keyof RequestRates;
  readonly name: string;
}

/**
 * Counts a request toward the limits of all subjects. If one of the subjects exceeds its limit, counts the request
 * toward none of them.
 * @throws BillingError TOO_MANY_REQUESTS (60015) with `facts.retryAfterSeconds`.
 */
export type RateLimit = (subjects: readonly RatedSubject[]) => void;

/** Returns token buckets, each of which holds the requests of two seconds. Each node has its own limits. */
export function rateLimit(rates: Partial<RequestRates>, nowMs: () => number): RateLimit {
  const buckets = new Map<string, Bucket>();

  function put(key: string, bucket: Bucket): void {
    buckets.delete(key);
    buckets.set(key, bucket);
    if (buckets.size <= MAX_RATE_BUCKETS) return;
    // A Map keeps insertion order, so the first bucket has had the most time to refill.
    const [oldest] = buckets.keys();
    if (oldest !== undefined) buckets.delete(oldest);
  }

  return (subjects) => {
    const countedMs = nowMs();
    const filled: [key: string, tokens: number][] = [];
    for (const { kind, name } of subjects) {
      const perSecond = rates[kind] ?? null;
      if (perSecond === null) continue;
      const key = `${kind}/${name}`;
      const tokens = tokensAt(countedMs, buckets.get(key), perSecond);
      if (tokens < 1) throw tooMany(kind, perSecond, (1 - tokens) / perSecond);
      filled.push([key, tokens]);
    }
    for (const [key, tokens] of filled) put(key, { tokens: tokens - 1, countedMs });
  };
}

function tokensAt(nowMs: number, bucket: Bucket | undefined, perSecond: number): number {
  const capacity = perSecond * RATE_BURST_SECONDS;
  if (bucket === undefined) return capacity;
  const elapsedSeconds = Math.max(0, nowMs - bucket.countedMs) / 1_000;
  return Math.min(capacity, bucket.tokens + elapsedSeconds * perSecond);
}

const senders: Readonly<Record<RatedSubject['kind'], string>> = {
  tenant: 'The tenant',
  principal: 'The caller',
  gateways: 'The gateway of the tenant',
};

function tooMany(kind: RatedSubject['kind'], perSecond: number, waitSeconds: number): BillingError {
  const who = senders[kind];
  return billingError(
    ErrorCode.TOO_MANY_REQUESTS,
    `${who} sends more than ${perSecond} requests per second; try again in a moment`,
    { retryAfterSeconds: Math.ceil(waitSeconds) },
  );
}

/**
 * Limits unauthenticated notifications (payments §11.2 rule 2d). Signed notifications are counted separately, so that
 * forged ones do not use up their limit. The names of the tenant and the gateway come from the path, so the limit does
 * not reveal which tenants exist.
 */
export function notificationRate(rates: Partial<RequestRates>, nowMs: () => number) {
  const countSigned = rateLimit(rates, nowMs);
  const countUnproven = rateLimit(rates, nowMs);
  /** Number of notifications that are currently being verified, by tenant and gateway. */
  const underWay = new Map<string, number>();

  /**
   * Limits the number of concurrent verifications, because a gateway may call its processor to verify a signature.
   * Returns a function to call at the end of the verification.
   */
  function enter(name: string): () => void {
    const count = underWay.get(name) ?? 0;
    if (count >= MAX_NOTIFICATIONS_VERIFIED_AT_ONCE) throw busy();
    underWay.set(name, count + 1);
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      const left = (underWay.get(name) ?? 0) - 1;
      if (left > 0) underWay.set(name, left);
      else underWay.delete(name);
    };
  }

  /**
   * Processes a notification. `take` must call `verified` before it has any effect.
   * @throws BillingError TOO_MANY_REQUESTS (60015).
   */
  return async <T>(name: string, take: (verified: () => void) => Promise<T>): Promise<T> => {
    const subjects = [{ kind: 'gateways', name }] as const;
    const leave = enter(name);
    let isSigned = false;
    try {
      return await take(() => {
        leave();
        isSigned = true;
        countSigned(subjects);
      });
    } catch (error) {
      if (!isSigned) countUnproven(subjects);
      throw error;
    } finally {
      leave();
    }
  };
}

function busy(): BillingError {
  return billingError(
    ErrorCode.TOO_MANY_REQUESTS,
    `${MAX_NOTIFICATIONS_VERIFIED_AT_ONCE} notifications are already being verified; try again in a moment`,
    { retryAfterSeconds: 1 },
  );
}
