import type { Uuid } from '../ids/index.ts';

/** A user of the server (platform.md §8); deployment-wide, not per tenant. */
export interface User {
  readonly recordId: number;
  readonly id: Uuid;
  readonly name: string;
  readonly passwordHash: string;
  /** Raised by each change of password or roles; part of the key of the verified-credential cache. */
  readonly credentialVersion: number;
  readonly permissions: readonly string[];
  readonly allTenants: boolean;
  readonly isActive: boolean;
}
