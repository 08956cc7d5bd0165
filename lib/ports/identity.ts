import type { Uuid } from '../ids/index.ts';

/** Source of identity (architecture rule 9): UUIDv7, strictly increasing within a process. */
export interface IdGenerator {
  next(): Uuid;
}

/** Hashing of secrets (platform.md §6.3): slow, salted, parameters inside the stored string, constant-time compare. */
export interface SecretHasher {
  hash(secret: string): Promise<string>;
  /** True if `secret` is the one behind `stored`; a null `stored` costs the same work and answers false. */
  verify(secret: string, stored: string | null): Promise<boolean>;
}
