import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import type { SystemClock } from '../../../lib/ports/index.ts';

/** Credentials whose slow hash check is remembered: keeps authentication off the hot path. */
const MAX_CACHED_CREDENTIALS = 10_000;

/** How long a verified credential is believed without a new check. */
const CACHED_CREDENTIAL_MS = 60_000;

/** What a verified pair is remembered under. `version` rises when the secret changes. */
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

/**
 * Remembers pairs that the slow hash has confirmed (platform §6.3 rule 2), for 60 s and by an HMAC under a key of this
 * process, so that no secret stays in memory. Only successes are remembered; callers that present the same pair at the
 * same time share one check.
 */
export class VerifiedCache<T> {
  readonly #processKey = createSecretKey(randomBytes(32));
  readonly #remembered = new Map<string, Remembered<T>>();
  readonly #running = new Map<string, Promise<T | null>>();
  readonly #clock: Pick<SystemClock, 'nowMs'>;

  constructor(clock: Pick<SystemClock, 'nowMs'>) {
    this.#clock = clock;
  }

  /** The remembered value of the pair, else the answer of `verify`; null = wrong. */
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
      // A map keeps the order of insertion: the first key is the oldest.
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
