import { type BillingError, billingError, ErrorCode } from '../../../lib/values/errors/index.ts';

/** Notifications of one tenant and gateway whose signatures a node verifies at a time (payments §11.2). */
const MAX_NOTIFICATIONS_VERIFIED_AT_ONCE = 20;

/** Burst: the requests of this many seconds may be made at once (`server.limits.rate.tenant`, `.principal`). */
const RATE_BURST_SECONDS = 2;

/** Tenants and callers whose requests are counted; one that is forgotten may make a burst again. */
export const MAX_RATE_BUCKETS = 10_000;

/** Requests per second that one subject may make on this node; null = any number (platform §16). */
export interface RequestRates {
  /** Of all callers of one tenant together (`server.limits.rate.tenant`). */
  readonly tenant: number | null;
  /** Of one user, client or subject of a token (`server.limits.rate.principal`). */
  readonly principal: number | null;
  /** Of notifications that one gateway of one tenant sends without credentials (`server.limits.rate.gateways`). */
  readonly gateways: number | null;
}

interface Bucket {
  readonly tokens: number;
  readonly countedMs: number;
}

/** A request counts against each of these. */
export interface RatedSubject {
  readonly kind: keyof RequestRates;
  readonly name: string;
}

/**
 * Token buckets that hold two seconds of requests each. Each node has its own: behind a load balancer a subject has the
 * rate on each node.
 */
export class RateLimit {
  readonly #rates: Partial<RequestRates>;
  readonly #nowMs: () => number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(rates: Partial<RequestRates>, nowMs: () => number) {
    this.#rates = rates;
    this.#nowMs = nowMs;
  }

  /**
   * Counts a request for all of these subjects or, if one of them has made too many, for none.
   * @throws BillingError TOO_MANY_REQUESTS (60015) with `facts.retryAfterSeconds`.
   */
  take(subjects: readonly RatedSubject[]): void {
    const countedMs = this.#nowMs();
    const filled: [key: string, tokens: number][] = [];
    for (const subject of subjects) {
      const perSecond = this.#rates[subject.kind] ?? null;
      if (perSecond === null) continue;
      const key = `${subject.kind}/${subject.name}`;
      const tokens = tokensAt(countedMs, this.#buckets.get(key), perSecond);
      if (tokens < 1) throw tooMany(subject.kind, perSecond, (1 - tokens) / perSecond);
      filled.push([key, tokens]);
    }
    for (const [key, tokens] of filled) this.#put(key, { tokens: tokens - 1, countedMs });
  }

  #put(key: string, bucket: Bucket): void {
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size <= MAX_RATE_BUCKETS) return;
    // A map keeps the order of insertion: the first bucket is the one that has had most time to fill up again.
    const [oldest] = this.#buckets.keys();
    if (oldest !== undefined) this.#buckets.delete(oldest);
  }
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
    `${who} makes more than ${perSecond} requests per second; try again in a moment`,
    { retryAfterSeconds: Math.ceil(waitSeconds) },
  );
}

/**
 * The rate of notifications that gateways send without credentials (payments §11.2 rule 2d). Notifications with the right
 * signature and all others are counted apart, so that forged ones do not use up the rate of the processor. Names are those
 * of the path, whether or not there are such a tenant and gateway, so that the rate does not tell which exist.
 */
export class NotificationRate {
  readonly #signed: RateLimit;
  readonly #unproven: RateLimit;
  /** Notifications whose signature is being verified, by name. */
  readonly #underWay = new Map<string, number>();

  constructor(rates: Partial<RequestRates>, nowMs: () => number) {
    this.#signed = new RateLimit(rates, nowMs);
    this.#unproven = new RateLimit(rates, nowMs);
  }

  /**
   * Takes a notification.
   * @param take calls `verified` once the signature is right, before it does anything.
   * @throws BillingError TOO_MANY_REQUESTS (60015) from `verified`, in the place of a refusal for the signature, and when too
   * many are being verified.
   */
  async count<T>(name: string, take: (verified: () => void) => Promise<T>): Promise<T> {
    const subjects = [{ kind: 'gateways', name }] as const;
    const leave = this.#enter(name);
    let isSigned = false;
    const verified = (): void => {
      leave();
      isSigned = true;
      this.#signed.take(subjects);
    };
    try {
      return await take(verified);
    } catch (error) {
      if (!isSigned) this.#unproven.take(subjects);
      throw error;
    } finally {
      leave();
    }
  }

  /** A gateway may ask its processor about a signature, so that the calls at a time are bounded. */
  #enter(name: string): () => void {
    const count = this.#underWay.get(name) ?? 0;
    if (count >= MAX_NOTIFICATIONS_VERIFIED_AT_ONCE) throw busy();
    this.#underWay.set(name, count + 1);
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      const left = (this.#underWay.get(name) ?? 0) - 1;
      if (left > 0) this.#underWay.set(name, left);
      else this.#underWay.delete(name);
    };
  }
}

function busy(): BillingError {
  return billingError(
    ErrorCode.TOO_MANY_REQUESTS,
    `The signatures of ${MAX_NOTIFICATIONS_VERIFIED_AT_ONCE} notifications are being verified; try again in a moment`,
    { retryAfterSeconds: 1 },
  );
}
