import type { Ports } from '../ports/index.ts';
import type { SigningKey } from '../records/index.ts';
import { parameterOf } from '../values/host-values/index.ts';
import { DAY_MS, SIGNING_KEY_LIFETIME_MS } from '../values/limits.ts';
import type { NewTokenKey, TokenKeyOperations } from './security-operations.ts';

/**
 * Time in milliseconds for which retired keys are kept. It is longer than the lifetime of their tokens (at most 30
 * days).
 */
export const SIGNING_KEY_RETENTION_MS = 60 * DAY_MS;

const newKey = parameterOf('key', { kid: ['!', 'text'], publicKey: ['!', {}], privateKey: ['!', 'text'] });

/**
 * Creates the operations on the keys that sign the server's tokens (platform §7.1). All nodes share the keys, and
 * private keys are encrypted. A new key is created every 90 days. Old public keys are kept until their tokens have
 * expired.
 */
export function tokenKeyOperations({
  storage: { security },
  ids,
  cipher,
  systemClock,
  logger,
}: Pick<Ports, 'storage' | 'ids' | 'cipher' | 'systemClock' | 'logger'>): TokenKeyOperations {
  const nowMs = () => systemClock.nowMs();

  /** Returns the current key. The result contains the signer if the server key can decrypt the private key. */
  async function current() {
    const key = signingKeyAt(await security.listSigningKeys(), nowMs());
    const privateKey = key && (await cipher.decrypt(key.privateKey));
    return { key, signer: key && privateKey ? { kid: key.kid, privateKey } : null };
  }

  return {
    nowMs,

    async signer(make) {
      const { key, signer } = await current();
      if (signer !== null) return signer;
      if (key !== null)
        logger.warn(
          { kid: key.kid },
          'the server key cannot decrypt the signing key of tokens; a new one is created',
        );
      const createdMs = nowMs();
      const made = newKey(await make()) as NewTokenKey;
      const privateKey = await cipher.encrypt(made.privateKey);
      const unlessNewerThanMs = key?.createdMs ?? createdMs - SIGNING_KEY_LIFETIME_MS;
      await security.insertSigningKey({ ...made, privateKey, id: ids.next(), createdMs }, unlessNewerThanMs);
      // If another node was faster, its key is used.
      const latest = await current();
      if (latest.signer !== null) return latest.signer;
      throw new Error('The latest signing key cannot be read: do all nodes have the same server key?');
    },

    async published(graceMs) {
      return publishedKeysAt(await security.listSigningKeys(), { nowMs: nowMs(), graceMs });
    },

    async purge() {
      const keys = await security.listSigningKeys();
      const kept = new Set(publishedKeysAt(keys, { nowMs: nowMs(), graceMs: SIGNING_KEY_RETENTION_MS }));
      const dead = keys.filter((key) => !kept.has(key));
      if (dead.length > 0) await security.deleteSigningKeys(dead.map(({ id }) => id));
    },
  };
}

type Dated = Pick<SigningKey, 'createdMs'>;

/** Returns the newest key, or null if that key is older than 90 days and a new one must be created (platform §7.1). */
export function signingKeyAt<K extends Dated>(keys: readonly K[], nowMs: number): K | null {
  const newest = keys.toSorted((one, other) => one.createdMs - other.createdMs).at(-1);
  return newest !== undefined && nowMs < newest.createdMs + SIGNING_KEY_LIFETIME_MS ? newest : null;
}

/**
 * Returns the keys whose tokens may still be valid. A key signs until a newer key exists, but for at most 90 days. Its
 * tokens are valid for at most `graceMs`.
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
