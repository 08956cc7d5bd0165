import type { Uuid } from '../values/ids/index.ts';

/** Source of identity (lib/README.md rule 9): UUIDv7, strictly increasing within a process. */
export interface IdGenerator {
  next(): Uuid;
}

/** Hashing of secrets (platform §6.3): slow, salted, parameters inside the stored string, constant-time compare. */
export interface SecretHasher {
  hash(secret: string): Promise<string>;
  /** True if `secret` is the one behind `stored`; null for `stored` costs the same work and answers false. */
  verify(secret: string, stored: string | null): Promise<boolean>;
  /** True if `stored` was made with less work than `hash` does now: it is replaced at the next success. */
  isWeaker(stored: string): boolean;
}

/**
 * Encryption, with the server key, of what the server must read again, such as signing keys. It is authenticated, so that
 * what another key made is recognised.
 */
export interface SecretCipher {
  /** Bytes that nobody can guess, of which secrets are made. */
  random(length: number): Uint8Array;
  encrypt(text: string): Promise<string>;
  /** Null if `stored` was not made with this key. */
  decrypt(stored: string): Promise<string | null>;
}

/**
 * SHA-256 of a text in UTF-8, in hexadecimal; by it equal contents are found again. What it answers is stored, so there is
 * one answer, whatever the runtime. It answers at once: of short texts there are many, and what WebCrypto does on another
 * thread takes 33 µs of processor time for each, where the digest takes 0.7 µs.
 */
export type Sha256 = (text: string) => string;
