import { hash, randomBytes } from 'node:crypto';
import type { SystemClock } from '../../../lib/ports/index.ts';

const MAX_CACHED_CREDENTIALS = 10_000;

const CACHED_CREDENTIAL_MS = 60_000;

/** Key for a verified name and secret. `version` increases when the secret changes. */
export interface CredentialKey {
  readonly kind: 'user' | 'client' | 'tenant' | 'token';
  readonly name: string;
  readonly secret: string;
  readonly version: number;
}

/**
 * Returns the cached value or the result of `verify`. Concurrent callers share one call of `verify`. Null means wrong
 * credentials.
 */
export type VerifiedCache<T> = (key: CredentialKey, verify: () => Promise<T | null>) => T | Promise<T | null>;

/**
 * Caches the results of successful slow hash checks for 60 s. The keys are digests with a random key of this process,
 * so no secret stays in memory (platform §6.3 rule 2).
 */
export function verifiedCache<T>({ nowMs }: Pick<SystemClock, 'nowMs'>): VerifiedCache<T> {
  const processKey = randomBytes(32).toString('base64');
  const cached = new Map<string, { readonly value: T; readonly untilMs: number }>();
  const running = new Map<string, Promise<T | null>>();

  async function check(digest: string, verify: () => Promise<T | null>): Promise<T | null> {
    try {
      const value = await verify();
      cached.delete(digest);
      if (value !== null) store(digest, value);
      return value;
    } finally {
      running.delete(digest);
    }
  }

  function store(digest: string, value: T): void {
    if (cached.size >= MAX_CACHED_CREDENTIALS) {
      // A Map keeps insertion order, so the first key is the oldest.
      const [oldest] = cached.keys();
      if (oldest !== undefined) cached.delete(oldest);
    }
    cached.set(digest, { value, untilMs: nowMs() + CACHED_CREDENTIAL_MS });
  }

  return ({ kind, name, secret, version }, verify) => {
    // An HMAC is not necessary, because the digests never leave this cache. An HMAC would take several times longer.
    const digest = hash('sha256', JSON.stringify([processKey, kind, name, secret, version]), 'base64');
    const known = cached.get(digest);
    if (known !== undefined && known.untilMs > nowMs()) return known.value;
    const pending = running.get(digest) ?? check(digest, verify);
    running.set(digest, pending);
    return pending;
  };
}
