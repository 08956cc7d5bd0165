import type { Uuid } from '../values/ids/index.ts';

/** Source of identity (lib/README.md rule 9): UUIDv7, strictly increasing within a process. */
export interface IdGenerator {
  next(): Uuid;
}

/**
 * Hashing of secrets (platform §6.3). Hashing is slow and salted; comparisons take constant time. The stored text
 * contains its parameters.
 */
export interface SecretHasher {
  hash(secret: string): Promise<string>;
  /** Compares in constant time. For a null `stored`, does the same work and returns false. */
  verify(secret: string, stored: string | null): Promise<boolean>;
  /**
   * Returns true if `stored` was hashed with less work than `hash` uses now. Such a hash is replaced at the next
   * successful login.
   */
  isWeaker(stored: string): boolean;
}

/** Authenticated encryption, with the server key, of secrets that the server must read later, such as signing keys. */
export interface SecretCipher {
  /** Returns random bytes for secrets. */
  random(length: number): Uint8Array;
  encrypt(text: string): Promise<string>;
  /** Returns the text, or null if `stored` was not encrypted with this key. */
  decrypt(stored: string): Promise<string | null>;
}

/**
 * Returns the hexadecimal SHA-256 of the UTF-8 text. Hashes are stored, so every runtime must return the same hash.
 * Synchronous, because WebCrypto takes 33 µs per text, and a synchronous digest takes 0.7 µs.
 */
export type Sha256 = (text: string) => string;
