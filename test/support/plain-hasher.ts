import { setImmediate } from 'node:timers/promises';
import type { SecretHasher } from '../../lib/index.ts';

/** Hashing that costs nothing, and tells its checks: what the production hasher protects is tested with that one itself. */
export function plainHasher(): SecretHasher & { readonly checks: readonly (string | null)[] } {
  const checks: (string | null)[] = [];
  return {
    checks,
    hash: async (secret) => `plain:${secret}`,
    verify: async (secret, stored) => {
      checks.push(stored);
      await setImmediate();
      return stored === `plain:${secret}`;
    },
    isWeaker: () => false,
  };
}
