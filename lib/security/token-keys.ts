import type { Ports } from '../ports/index.ts';
import type { SigningKey } from '../records/index.ts';
import { DAY_MS, SIGNING_KEY_LIFETIME_MS } from '../values/limits.ts';

/** How long retired keys are kept: longer than their tokens, which live at most 30 days. */
export const SIGNING_KEY_RETENTION_MS = 60 * DAY_MS;

/** A new key pair; the private part is encrypted before it is stored. */
export interface NewTokenKey {
  readonly kid: string;
  readonly publicKey: Readonly<Record<string, unknown>>;
  readonly privateKey: string;
}

export interface TokenSigner {
  readonly kid: string;
  readonly privateKey: string;
}

/**
 * The keys of the server's tokens (platform §7.1), shared by all nodes, private parts encrypted. A new key is made
 * every 90 days; old public parts stay until their tokens have expired.
 */
export class TokenKeys {
  readonly #ports: Pick<Ports, 'storage' | 'ids' | 'cipher' | 'systemClock' | 'logger'>;

  constructor(ports: Pick<Ports, 'storage' | 'ids' | 'cipher' | 'systemClock' | 'logger'>) {
    this.#ports = ports;
  }

  nowMs(): number {
    return this.#ports.systemClock.nowMs();
  }

  async signer(make: () => Promise<NewTokenKey>): Promise<TokenSigner> {
    const { systemClock, logger } = this.#ports;
    const known = await this.#readable(await this.#current());
    if (known.signer !== null) return known.signer;
    if (known.key !== null)
      logger.warn(
        { kid: known.key.kid },
        'the server key cannot read the signing key of tokens; a new one is made',
      );
    const nowMs = systemClock.nowMs();
    const unlessNewerThanMs = known.key?.createdMs ?? nowMs - SIGNING_KEY_LIFETIME_MS;
    await this.#insert(await make(), { nowMs, unlessNewerThanMs });
    // If another node was faster, its key counts.
    const made = await this.#readable(await this.#current());
    if (made.signer !== null) return made.signer;
    throw new Error(
      'The signing key that was made last cannot be read: do all nodes have the same server key?',
    );
  }

  async published(graceMs: number): Promise<readonly Pick<SigningKey, 'kid' | 'publicKey'>[]> {
    const keys = await this.#ports.storage.security.listSigningKeys();
    return publishedKeysAt(keys, { nowMs: this.#ports.systemClock.nowMs(), graceMs });
  }

  async purge(): Promise<void> {
    const { storage, systemClock } = this.#ports;
    const keys = await storage.security.listSigningKeys();
    const at = { nowMs: systemClock.nowMs(), graceMs: SIGNING_KEY_RETENTION_MS };
    const kept = new Set(publishedKeysAt(keys, at));
    const dead = keys.filter((key) => !kept.has(key));
    if (dead.length > 0) await storage.security.deleteSigningKeys(dead.map(({ id }) => id));
  }

  async #current(): Promise<SigningKey | null> {
    const { storage, systemClock } = this.#ports;
    return signingKeyAt(await storage.security.listSigningKeys(), systemClock.nowMs());
  }

  async #readable(
    key: SigningKey | null,
  ): Promise<{ readonly key: SigningKey | null; readonly signer: TokenSigner | null }> {
    const privateKey = key && (await this.#ports.cipher.decrypt(key.privateKey));
    return { key, signer: key && privateKey ? { kid: key.kid, privateKey } : null };
  }

  async #insert(
    made: NewTokenKey,
    at: { readonly nowMs: number; readonly unlessNewerThanMs: number },
  ): Promise<void> {
    const { storage, ids, cipher } = this.#ports;
    const privateKey = await cipher.encrypt(made.privateKey);
    const key = { ...made, privateKey, id: ids.next(), createdMs: at.nowMs };
    await storage.security.insertSigningKey(key, at.unlessNewerThanMs);
  }
}

type Dated = Pick<SigningKey, 'createdMs'>;

/** The newest key for 90 days, or null when a new one is due (platform §7.1). */
export function signingKeyAt<K extends Dated>(keys: readonly K[], nowMs: number): K | null {
  const newest = keys.reduce<K | null>(
    (best, key) => (best === null || key.createdMs > best.createdMs ? key : best),
    null,
  );
  return newest !== null && nowMs < newest.createdMs + SIGNING_KEY_LIFETIME_MS ? newest : null;
}

/**
 * The keys of possibly valid tokens: a key signs until a newer one exists, at most 90 days, plus `graceMs`, the longest
 * life of a token with its tolerance.
 */
export function publishedKeysAt<K extends Dated>(
  keys: readonly K[],
  at: { readonly nowMs: number; readonly graceMs: number },
): readonly K[] {
  return keys.filter((key) => {
    const successors = keys
      .map(({ createdMs }) => createdMs)
      .filter((createdMs) => createdMs > key.createdMs);
    const signsUntilMs = Math.min(key.createdMs + SIGNING_KEY_LIFETIME_MS, ...successors);
    return at.nowMs < signsUntilMs + at.graceMs;
  });
}
