import { setImmediate } from 'node:timers/promises';
import type { SecretHasher } from '../../lib/index.ts';

/** Returns a hasher without cost that records its checks. The production hasher has its own tests. */
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
