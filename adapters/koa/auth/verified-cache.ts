import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import type { SystemClock } from '../../../lib/ports/index.ts';

const MAX_CACHED_CREDENTIALS = 10_000;

const CACHED_CREDENTIAL_MS = 60_000;

/** Key of a verified pair. `version` rises when the secret changes. */
export interface CredentialKey {
  readonly kind: 'user' | 'client' | 'tenant' | 'token';
  readonly name: string;
  readonly secret: string;
  readonly version: number;
}

interface Remembered<T> {
  readonly value: T;
  readonly untilMs: number;
}

/** Caches successful slow hash checks for 60 s by HMAC, so that no secret stays in memory (platform §6.3 rule 2). */
export class VerifiedCache<T> {
  readonly #processKey = createSecretKey(randomBytes(32));
  readonly #remembered = new Map<string, Remembered<T>>();
  readonly #running = new Map<string, Promise<T | null>>();
  readonly #clock: Pick<SystemClock, 'nowMs'>;

  constructor(clock: Pick<SystemClock, 'nowMs'>) {
    this.#clock = clock;
  }

  /** Returns the cached value, else the result of `verify`; concurrent callers share it. Null: wrong credentials. */
  async get(key: CredentialKey, verify: () => Promise<T | null>): Promise<T | null> {
    const digest = this.#digestOf(key);
    const known = this.#remembered.get(digest);
    if (known !== undefined && known.untilMs > this.#clock.nowMs()) return known.value;
    const running = this.#running.get(digest);
    if (running !== undefined) return running;
    const check = this.#check(digest, verify);
    this.#running.set(digest, check);
    return check;
  }

  async #check(digest: string, verify: () => Promise<T | null>): Promise<T | null> {
    try {
      const value = await verify();
      this.#remembered.delete(digest);
      if (value !== null) this.#remember(digest, value);
      return value;
    } finally {
      this.#running.delete(digest);
    }
  }

  #remember(digest: string, value: T): void {
    if (this.#remembered.size >= MAX_CACHED_CREDENTIALS) {
      // A Map keeps insertion order, so the first key is the oldest.
      const [oldest] = this.#remembered.keys();
      if (oldest !== undefined) this.#remembered.delete(oldest);
    }
    this.#remembered.set(digest, { value, untilMs: this.#clock.nowMs() + CACHED_CREDENTIAL_MS });
  }

  #digestOf(key: CredentialKey): string {
    const parts = JSON.stringify([key.kind, key.name, key.secret, key.version]);
    return createHmac('sha256', this.#processKey).update(parts).digest('base64');
  }
}
