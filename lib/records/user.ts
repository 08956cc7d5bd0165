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
  /** Raised by each change of password, roles or activity, which ends sessions, tokens and remembered checks. */
  readonly credentialVersion: number;
  /** Granted directly and not through a role; only the bootstrap administrator has some. */
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

export const PrincipalKind = { USER: 'USER', CLIENT: 'CLIENT', EXTERNAL: 'EXTERNAL' } as const;
export type PrincipalKind = (typeof PrincipalKind)[keyof typeof PrincipalKind];

/** Who calls, as far as the checks of a request need it: an active user or client, or the subject of a foreign token. */
export interface Principal extends TenantGrants {
  readonly kind: PrincipalKind;
  readonly name: string;
  /** 0 for the subject of a foreign token. */
  readonly credentialVersion: number;
  /** Effective: those of all roles and the direct ones, sorted, each once. */
  readonly permissions: readonly string[];
}

/** A login session (platform §6.2). Times are system time in milliseconds. */
export interface LoginSession {
  readonly recordId: number;
  readonly id: Uuid;
  /** SHA-256 of the cookie's value, in hex: reading the table does not suffice to log in. */
  readonly tokenHash: string;
  readonly userName: string;
  /** The session ends when the user's version is another. */
  readonly credentialVersion: number;
  readonly startedMs: number;
  readonly lastAccessMs: number;
  /** Address from which the login came. */
  readonly host: string | null;
}

/** A key that signs tokens (platform §7.1). Times are system time in milliseconds. */
export interface SigningKey {
  readonly recordId: number;
  readonly id: Uuid;
  /** Key id of token headers and of the published set. */
  readonly kid: string;
  /** Public part, as a JSON Web Key. */
  readonly publicKey: Readonly<Record<string, unknown>>;
  /** Private part, encrypted with the server key. */
  readonly privateKey: string;
  readonly createdMs: number;
}

/** Failed logins of one name or address (platform §6.4). Times are system time in milliseconds. */
export interface LoginFailures {
  readonly recordId: number;
  /** SHA-256 of the name or address, in hex: a password typed in place of the name is not kept. */
  readonly subject: string;
  /** When they happened, oldest first; those inside the window only. */
  readonly failedAtMs: readonly number[];
  readonly lastFailureMs: number;
  readonly lockedUntilMs: number | null;
}
