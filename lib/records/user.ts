import { enumeration, f, type RecordOf } from '../values/fields/index.ts';
import type { Uuid } from '../values/ids/index.ts';

/** The tenants to which a user or client has access (platform §6.5): either all tenants or the listed tenants. */
export const grantFields = {
  allTenants: f.flag(),
  tenantIds: f.json<readonly Uuid[]>(),
};
export interface TenantGrants extends RecordOf<typeof grantFields> {}

/** A user of the deployment (platform §8). */
export const userFields = {
  recordId: f.recordId,
  id: f.id(),
  /** Unique name of at most 128 characters. */
  name: f.text(),
  passwordHash: f.text(),
  /**
   * Version that increases with each change of password, roles or active state. Such a change ends sessions, tokens and
   * cached logins.
   */
  credentialVersion: f.integer(),
  /** Permissions that do not come from a role. Only the first administrator has such permissions. */
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
  /** Unique name of at most 128 characters. */
  name: f.text(),
  /** Permissions, in the form that `normalisePermissions` returns. */
  permissions: f.json<readonly string[]>(),
};
export interface Role extends RecordOf<typeof roleFields> {}

/** An application that requests tokens with its own secret (platform §6.5 rule 4). */
export const apiClientFields = {
  recordId: f.recordId,
  id: f.id(),
  /** Unique name of at most 128 characters. */
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

/** The caller of a request. It is an active user or client, or the subject of another issuer's token. */
export interface Principal extends TenantGrants {
  readonly kind: PrincipalKind;
  readonly name: string;
  /** Credential version of the caller. The value is 0 for the subject of another issuer's token. */
  readonly credentialVersion: number;
  /** All permissions, both direct and from roles. They are sorted and have no duplicates. */
  readonly permissions: readonly string[];
}

/** A login session (platform §6.2). Times are system time in milliseconds. */
export const loginSessionFields = {
  recordId: f.recordId,
  id: f.id(),
  /** SHA-256 hash of the cookie in hexadecimal, so that reading the table is not enough to log in. */
  tokenHash: f.text(),
  userName: f.text(),
  /** Credential version of the user when the session started. If the user's version differs, the session has ended. */
  credentialVersion: f.integer(),
  startedMs: f.bigint(),
  lastAccessMs: f.bigint(),
  /** Address of the login. */
  host: f.orNull(f.text()),
};
export interface LoginSession extends RecordOf<typeof loginSessionFields> {}

/** A key that signs tokens (platform §7.1). Times are system time in milliseconds. */
export const signingKeyFields = {
  recordId: f.recordId,
  id: f.id(),
  /** Id of the key in token headers and in the published key set. */
  kid: f.text(),
  /** Public part as a JSON Web Key. */
  publicKey: f.json<Readonly<Record<string, unknown>>>(),
  /** Private key, encrypted with the server key. */
  privateKey: f.text(),
  createdMs: f.bigint(),
};
export interface SigningKey extends RecordOf<typeof signingKeyFields> {}

/** Failed logins for a user name or address (platform §6.4). Times are system time in milliseconds. */
export const loginFailureFields = {
  recordId: f.recordId,
  /**
   * SHA-256 hash of the name or address in hexadecimal. The name is hashed in case somebody entered a password in its
   * place.
   */
  subject: f.text(),
  /** Times of the failures within the window, oldest first. */
  failedAtMs: f.json<readonly number[]>(),
  lastFailureMs: f.bigint(),
  lockedUntilMs: f.orNull(f.bigint()),
};
export interface LoginFailures extends RecordOf<typeof loginFailureFields> {}
