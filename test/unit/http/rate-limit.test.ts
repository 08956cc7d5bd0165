import type { RatedSubject, RateLimit } from '../../../adapters/koa/request/rate-limit.ts';
import { MAX_RATE_BUCKETS, rateLimit } from '../../../adapters/koa/request/rate-limit.ts';
import { type BillingError, ErrorCode, expect, valueOrError } from '../../support/unit.ts';

const acme: RatedSubject = { kind: 'tenant', name: 'acme' };
const other: RatedSubject = { kind: 'tenant', name: 'other' };
const ann: RatedSubject = { kind: 'principal', name: 'ann' };

describe('rate limit', () => {
  let nowMs: number;
  const limitOf = (rates: Parameters<typeof rateLimit>[0]) => rateLimit(rates, () => nowMs);

  /** Returns how many requests are accepted before the first rejection. */
  function taken(limit: RateLimit, subjects: readonly RatedSubject[], most = 100): number {
    for (let count = 0; count < most; count++) if (refusal(limit, subjects) !== null) return count;
    return most;
  }

  function refusal(limit: RateLimit, subjects: readonly RatedSubject[]): BillingError | null {
    return valueOrError(() => limit(subjects)) ?? null;
  }

  beforeEach(() => {
    nowMs = 50_000;
  });

  it('allows any number of requests by default', () => {
    expect(taken(limitOf({}), [acme, ann], 1_000)).to.equal(1_000);
    expect(taken(limitOf({ tenant: null, principal: null }), [acme, ann], 1_000)).to.equal(1_000);
  });

  it('allows a burst of two seconds’ worth of requests, then refills at the configured rate', () => {
    const limit = limitOf({ tenant: 4 });
    expect(taken(limit, [acme])).to.equal(8);
    nowMs += 249;
    expect(taken(limit, [acme])).to.equal(0);
    nowMs += 1;
    expect(taken(limit, [acme])).to.equal(1);
    nowMs += 1_000;
    expect(taken(limit, [acme])).to.equal(4);
    nowMs += 3_600_000;
    expect(taken(limit, [acme])).to.equal(8);
  });

  it('returns the number of whole seconds until the next allowed request', () => {
    const limit = limitOf({ tenant: 1 });
    taken(limit, [acme]);
    const error = refusal(limit, [acme]);
    expect(error?.code).to.equal(ErrorCode.TOO_MANY_REQUESTS);
    expect(error?.facts.retryAfterSeconds).to.equal(1);
    expect(error?.message).to.match(/The tenant sends more than 1 requests per second/);
  });

  it('counts each subject separately', () => {
    const limit = limitOf({ tenant: 1, principal: 2 });
    expect(taken(limit, [ann, acme])).to.equal(2);
    expect(taken(limit, [ann, other])).to.equal(2);
    expect(taken(limit, [ann])).to.equal(0);
  });

  it('does not count rejected requests', () => {
    const limit = limitOf({ tenant: 1, principal: 2 });
    expect(taken(limit, [ann, acme])).to.equal(2);
    for (let n = 0; n < 10; n++) refusal(limit, [ann, acme]);
    expect(taken(limit, [ann])).to.equal(2);
  });

  it('ignores a clock that moves backward', () => {
    const limit = limitOf({ tenant: 1 });
    expect(taken(limit, [acme])).to.equal(2);
    nowMs -= 10_000;
    expect(taken(limit, [acme])).to.equal(0);
  });

  it('evicts the subject with the longest idle time', () => {
    const limit = limitOf({ principal: 1 });
    const subject = (n: number): RatedSubject => ({ kind: 'principal', name: `${n}` });
    expect(taken(limit, [subject(0)])).to.equal(2);
    for (let n = 1; n < MAX_RATE_BUCKETS; n++) limit([subject(n)]);
    expect(taken(limit, [subject(0)])).to.equal(0);
    limit([subject(MAX_RATE_BUCKETS)]);
    expect(taken(limit, [subject(0)])).to.equal(2);
  });
});
