import { createHash } from 'node:crypto';
import type { SecretHasher } from '../../lib/ports/index.ts';

const PREFIX = '$plain$';

/**
 * Hashes secrets at no cost, for tests that log in often: scrypt, as the engine has it otherwise, takes 50 to 100 ms for each
 * new secret, by design. Whoever reads the database finds such secrets out, so in production it is refused. What other
 * hashers have stored it does not verify, nor they what it has.
 *
 * @example const billing = await Billing.open({ storage: sqlite(':memory:'), hasher: plainHasher() });
 * @throws where NODE_ENV is "production".
 */
export function plainHasher(): SecretHasher {
  if (process.env.NODE_ENV?.trim().toLowerCase() === 'production') {
    throw new Error(
      'plainHasher() of billwright/testing protects no secret and is refused where NODE_ENV is "production": leave the option `hasher` out, so that secrets are hashed with scrypt',
    );
  }
  return {
    hash: async (secret) => plainHash(secret),
    verify: async (secret, stored) => stored === plainHash(secret),
    isWeaker: () => false,
  };
}

function plainHash(secret: string): string {
  return PREFIX + createHash('sha256').update(secret).digest('base64url');
}
