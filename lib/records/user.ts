import { enumeration, f, type RecordOf } from '../values/fields/index.ts';
import type { Uuid } from '../values/ids/index.ts';

/** Which tenants somebody may use (platform §6.5): all of them, or exactly those listed. */
export const grantFields = {
  allTenants: f.flag(),
  tenantIds: f.json<readonly Uuid[]>(),
};
export interface TenantGrants extends RecordOf<typeof grantFields> {}

/** A user of the server (platform §8); deployment-wide, not per tenant. */
export const userFields = {
  recordId: f.recordId,
  id: f.id(),
  /** At most 128 characters, unique. */
  name: f.text(),
  passwordHash: f.text(),
  /** Raised by each change of password, roles or activity, which ends sessions, tokens and remembered checks. */
  credentialVersion: f.integer(),
  /** Granted directly and not through a role; only the bootstrap administrator has some. */
  permissions: f.json<readonly string[]>(),
  /** Names of roles, sorted. */
  roles: f.json<readonly string[]>(),
  isActive: f.flag(),
  ...grantFields,
};
export interface User extends RecordOf<typeof userFields> {}

/** A named set of permissions (platform §8). */
export const roleFields = {
  recordId: f.recordId,
  id: f.id(),
  /** At most 128 characters, unique. */
  name: f.text(),
  /** Normalised: see `normalisePermissions`. */
  permissions: f.json<readonly string[]>(),
};
export interface Role extends RecordOf<typeof roleFields> {}

/** An application that gets tokens by its own secret (platform §6.5 rule 4). */
export const apiClientFields = {
  recordId: f.recordId,
  id: f.id(),
  /** At most 128 characters, unique. */
  name: f.text(),
  secretHash: f.text(),
  credentialVersion: f.integer(),
  roles: f.json<readonly string[]>(),
  isActive: f.flag(),
  ...grantFields,
};
export interface ApiClient extends RecordOf<typeof apiClientFields> {}

export const PrincipalKind = enumeration('USER', 'CLIENT', 'EXTERNAL');
export type PrincipalKind = keyof typeof PrincipalKind;

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
export const loginSessionFields = {
  recordId: f.recordId,
  id: f.id(),
  /** SHA-256 of the cookie's value, in hex: reading the table does not suffice to log in. */
  tokenHash: f.text(),
  userName: f.text(),
  /** The session ends when the user's version is another. */
  credentialVersion: f.integer(),
  startedMs: f.bigint(),
  lastAccessMs: f.bigint(),
  /** Address from which the login came. */
  host: f.orNull(f.text()),
};
export interface LoginSession extends RecordOf<typeof loginSessionFields> {}

/** A key that signs tokens (platform §7.1). Times are system time in milliseconds. */
export const signingKeyFields = {
  recordId: f.recordId,
  id: f.id(),
  /** Key id of token headers and of the published set. */
  kid: f.text(),
  /** Public part, as a JSON Web Key. */
  publicKey: f.json<Readonly<Record<string, unknown>>>(),
  /** Private part, encrypted with the server key. */
  privateKey: f.text(),
  createdMs: f.bigint(),
};
export interface SigningKey extends RecordOf<typeof signingKeyFields> {}

/** Failed logins of one name or address (platform §6.4). Times are system time in milliseconds. */
export const loginFailureFields = {
  recordId: f.recordId,
  /** SHA-256 of the name or address, in hex: a password typed in place of the name is not kept. */
  subject: f.text(),
  /** When they happened, oldest first; those inside the window only. */
  failedAtMs: f.json<readonly number[]>(),
  lastFailureMs: f.bigint(),
  lockedUntilMs: f.orNull(f.bigint()),
};
export interface LoginFailures extends RecordOf<typeof loginFailureFields> {}
