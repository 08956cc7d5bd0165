import type { Uuid } from '../values/ids/index.ts';

/** Which tenants somebody may use (platform §6.5): all of them, or exactly those listed. */
export interface TenantGrants {
  readonly allTenants: boolean;
  readonly tenantIds: readonly Uuid[];
}

/** A user of the server (platform §8); deployment-wide, not per tenant. */
export interface User extends TenantGrants {
  readonly recordId: number;
  readonly id: Uuid;
  /** At most 128 characters, unique. */
  readonly name: string;
  readonly passwordHash: string;
  /** Raised by each change of password, roles or activity: it ends sessions, tokens and remembered checks. */
  readonly credentialVersion: number;
  /** Granted directly and through no role; only the bootstrap administrator has some. */
  readonly permissions: readonly string[];
  /** Names of roles, sorted. */
  readonly roles: readonly string[];
  readonly isActive: boolean;
}

/** A named set of permissions (platform §8). */
export interface Role {
  readonly recordId: number;
  readonly id: Uuid;
  /** At most 128 characters, unique. */
  readonly name: string;
  /** Normalised: see `normalisePermissions`. */
  readonly permissions: readonly string[];
}

/** An application that gets tokens by its own secret (platform §6.5 rule 4). */
export interface ApiClient extends TenantGrants {
  readonly recordId: number;
  readonly id: Uuid;
  /** At most 128 characters, unique. */
  readonly name: string;
  readonly secretHash: string;
  readonly credentialVersion: number;
  readonly roles: readonly string[];
  readonly isActive: boolean;
}
