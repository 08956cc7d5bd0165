import type { Uuid } from '../values/ids/index.ts';

/** Generates ids (lib/README.md rule 9). They are UUIDv7 and strictly increasing within a process. */
export interface IdGenerator {
  next(): Uuid;
}

/**
 * Hashes secrets (platform §6.3). Hashes are slow to compute and salted, and comparisons take constant time. The stored
 * text contains the parameters of the hash.
 */
export interface SecretHasher {
  hash(secret: string): Promise<string>;
  /**
   * Compares a secret with a stored hash in constant time. If `stored` is null, does the same work and returns false.
   */
  verify(secret: string, stored: string | null): Promise<boolean>;
  /**
   * Returns true if `stored` was hashed with less work than `hash` uses now. Such a hash is replaced at the next
   * successful login.
   */
  isWeaker(stored: string): boolean;
}

/**
 * Encrypts and decrypts secrets that the server must read later, such as signing keys. Uses authenticated encryption
 * with the server key.
 */
export interface SecretCipher {
  /** Returns random bytes for secrets. */
  random(length: number): Uint8Array;
  encrypt(text: string): Promise<string>;
  /** Returns the decrypted text, or null if `stored` was not encrypted with this key. */
  decrypt(stored: string): Promise<string | null>;
}

/**
 * Returns the SHA-256 hash of the UTF-8 text in hexadecimal. Hashes are stored, so all runtimes must return the same
 * hash. The function is synchronous, because WebCrypto takes 33 µs per text, and a synchronous digest takes only 0.7
 * µs.
 */
export type Sha256 = (text: string) => string;
