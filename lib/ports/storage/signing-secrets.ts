import type { New, SigningSecret } from '../../records/index.ts';

export interface SigningSecretReads {
  /** The tenant's active secrets, newest first. */
  active(): Promise<readonly SigningSecret[]>;
}

export interface SigningSecretWrites {
  /** Audited as INSERT. */
  insert(secret: New<SigningSecret>): Promise<void>;
  /** Writes `signsUntilMs` and `isActive`; audited as UPDATE, or as DELETE if the secret becomes inactive. */
  update(secrets: readonly SigningSecret[]): Promise<void>;
}
