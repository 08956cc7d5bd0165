import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { SecretHasher } from '../../lib/ports/index.ts';
import { assertInvariant } from '../../lib/values/errors/index.ts';

/** Cost of a hash: N = 2^logCost, block size r and parallelization p. */
interface ScryptCost {
  readonly logCost: number;
  readonly blockSize: number;
  readonly parallelism: number;
}

interface StoredSecret {
  readonly cost: ScryptCost;
  readonly salt: Buffer;
  readonly key: Buffer;
}

export interface ScryptHasherOptions {
  /** Returns random bytes for a salt. Defaults to the generator of the operating system. */
  readonly saltOf?: (length: number) => Buffer;
}

// platform §6.3 rule 1
const defaultCost: ScryptCost = { logCost: 15, blockSize: 8, parallelism: 1 };
const saltBytes = 16;
const keyBytes = 32;
/** Highest accepted cost of a stored hash. It limits the memory and time for verification. */
const highestCost: ScryptCost = { logCost: 20, blockSize: 32, parallelism: 16 };
const storedForm = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/**
 * Returns a scrypt hasher. Hashes have the form `$scrypt$ln=15,r=8,p=1$<salt>$<key>`, base64 without padding
 * (platform §6.3). A hash is verified with its own parameters, on Node's thread pool.
 */
export function scryptHasher(options: ScryptHasherOptions = {}): SecretHasher {
  const saltOf = options.saltOf ?? randomBytes;
  const nobody = { cost: defaultCost, salt: randomBytes(saltBytes), key: randomBytes(keyBytes) };
  return {
    async hash(secret) {
      const salt = saltOf(saltBytes);
      const key = await derive(secret, { cost: defaultCost, salt, length: keyBytes });
      return format({ cost: defaultCost, salt, key });
    },
    async verify(secret, stored) {
      // For an unknown name, the same work is done, so that the response time reveals nothing.
      const expected = stored === null ? nobody : parse(stored);
      const key = await derive(secret, { ...expected, length: expected.key.length });
      return timingSafeEqual(key, expected.key) && stored !== null;
    },
    isWeaker(stored) {
      const { cost, salt, key } = parse(stored);
      return workOf(cost) < workOf(defaultCost) || salt.length < saltBytes || key.length < keyBytes;
    },
  };
}

/** Returns the relative cost of a guess. */
function workOf({ logCost, blockSize, parallelism }: ScryptCost): number {
  return 2 ** logCost * blockSize * parallelism;
}

function derive(
  secret: string,
  input: { readonly cost: ScryptCost; readonly salt: Buffer; readonly length: number },
): Promise<Buffer> {
  const { logCost, blockSize, parallelism } = input.cost;
  const cost = 2 ** logCost;
  // scrypt needs slightly more than 128·r·(N + p) bytes.
  // Node's default of 32 MiB is too small for N = 2^15 and r = 8.
  const maxmem = 256 * blockSize * (cost + parallelism);
  const options = { cost, blockSize, parallelization: parallelism, maxmem };
  return promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)(
    secret.normalize('NFC'),
    input.salt,
    input.length,
    options,
  );
}

function format(stored: StoredSecret): string {
  const { logCost, blockSize, parallelism } = stored.cost;
  return `$scrypt$ln=${logCost},r=${blockSize},p=${parallelism}$${encodeUnpaddedBase64(stored.salt)}$${encodeUnpaddedBase64(stored.key)}`;
}

function parse(text: string): StoredSecret {
  const match = storedForm.exec(text);
  assertInvariant(match !== null, 'A stored secret is not in the form $scrypt$ln=…,r=…,p=…$salt$key');
  const cost = { logCost: Number(match[1]), blockSize: Number(match[2]), parallelism: Number(match[3]) };
  const names = ['logCost', 'blockSize', 'parallelism'] as const;
  assertInvariant(
    names.every((name) => cost[name] >= 1 && cost[name] <= highestCost[name]),
    'The parameters of a stored secret are out of bounds',
    cost,
  );
  const salt = Buffer.from(match[4] ?? '', 'base64');
  const key = Buffer.from(match[5] ?? '', 'base64');
  assertInvariant(salt.length > 0 && key.length > 0, 'A stored secret has no salt or no key');
  return { cost, salt, key };
}

function encodeUnpaddedBase64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
