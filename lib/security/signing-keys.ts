import type { SigningKey } from '../records/index.ts';
import { SIGNING_KEY_LIFETIME_MS } from '../values/limits.ts';

type Dated = Pick<SigningKey, 'createdMs'>;

/** The key that signs now, or null when a new one is due: the newest, for 90 days (platform §7.1). */
export function signingKeyAt<K extends Dated>(keys: readonly K[], nowMs: number): K | null {
  const newest = keys.reduce<K | null>(
    (best, key) => (best === null || key.createdMs > best.createdMs ? key : best),
    null,
  );
  return newest !== null && nowMs < newest.createdMs + SIGNING_KEY_LIFETIME_MS ? newest : null;
}

/**
 * The keys whose tokens may still be valid: a key stops signing when a newer one exists, at the latest after 90 days, and
 * stays published until the last token that it signed has expired. `graceMs` is the longest life of a token with its
 * tolerance.
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
