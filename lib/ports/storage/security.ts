import type {
  ApiClient,
  Authorship,
  LoginFailures,
  LoginSession,
  New,
  Role,
  SigningKey,
  TenantGrants,
  User,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

/**
 * Users, roles, clients, sessions and keys (platform §6–§8): deployment-wide, of no tenant. Every change of a user, role
 * or client is audited without its secret and raises `revision` in the same transaction. In that transaction it also has
 * to pass the check that the caller gives: changes come one after the other, so that what was checked still holds.
 */
export interface SecurityStore {
  /** Rises with every change of a user, role, client or grant. */
  revision(): Promise<number>;
  /** Inserts the user or, if only an inactive user has the name, replaces that one; false if an active one has it. */
  insertUser(user: New<User>, authorship: Authorship, check?: SecurityCheck): Promise<boolean>;
  /**
   * Changes an active user and, if `isCredential` says so, raises its `credentialVersion`, which ends its sessions; null
   * if there is no such user.
   */
  updateUser(
    name: string,
    change: {
      readonly values: Partial<UserChange>;
      readonly isCredential: boolean;
      readonly check?: SecurityCheck | undefined;
    },
    authorship: Authorship,
  ): Promise<User | null>;
  /** Stores the same password under a newer hash, unless the password was changed meanwhile; nobody sees a change. */
  rehashUser(name: string, hashes: { readonly from: string; readonly to: string }): Promise<void>;
  rehashClient(name: string, hashes: { readonly from: string; readonly to: string }): Promise<void>;
  rehashTenant(apiKey: string, hashes: { readonly from: string; readonly to: string }): Promise<void>;

  /** Roles with these names, by name. */
  findRoles(names: readonly string[]): Promise<readonly Role[]>;
  /** All roles, by name. */
  listRoles(): Promise<readonly Role[]>;
  /** False if a role has the name. */
  insertRole(role: New<Role>, authorship: Authorship, check?: SecurityCheck): Promise<boolean>;
  /** Replaces the permissions of the role with that name, or inserts it. */
  putRole(role: New<Role>, authorship: Authorship, check?: SecurityCheck): Promise<void>;

  findClientByName(name: string): Promise<ApiClient | null>;
  /** As `insertUser`. */
  insertClient(client: New<ApiClient>, authorship: Authorship, check?: SecurityCheck): Promise<boolean>;
  /** False if there is no active client of that name. */
  deactivateClient(name: string, authorship: Authorship, check?: SecurityCheck): Promise<boolean>;

  insertSession(session: New<LoginSession>): Promise<void>;
  findSession(tokenHash: string): Promise<LoginSession | null>;
  touchSession(id: Uuid, lastAccessMs: number): Promise<void>;
  deleteSession(tokenHash: string): Promise<void>;
  /** Removes sessions that were last used before that time. */
  purgeSessions(lastAccessBeforeMs: number): Promise<void>;

  /** Failures of these subjects; subjects without any are left out. */
  findFailures(subjects: readonly string[]): Promise<readonly LoginFailures[]>;
  /** Replaces each subject's failures by what `rule` makes of them, one caller at a time. */
  changeFailures(subjects: readonly string[], rule: FailureRule): Promise<void>;
  clearFailures(subjects: readonly string[]): Promise<void>;
  /** Removes the failures of subjects whose last failure was before that time. */
  purgeFailures(lastFailureBeforeMs: number): Promise<void>;

  /** All keys, oldest first. */
  listSigningKeys(): Promise<readonly SigningKey[]>;
  /**
   * Inserts the key unless another was made after `unlessNewerThanMs`, so that only one of two nodes that both find one
   * due makes it.
   */
  insertSigningKey(key: New<SigningKey>, unlessNewerThanMs: number): Promise<void>;
  deleteSigningKeys(ids: readonly Uuid[]): Promise<void>;
}

/** Throws an error to refuse a change, judging by what holds at its beginning. */
export type SecurityCheck = (now: SecurityReads) => Promise<void>;

export interface SecurityReads {
  /** The active user of that name, or null. */
  findUser(name: string): Promise<User | null>;
  /** The active client of that name, or null. */
  findClient(name: string): Promise<ApiClient | null>;
  /** Roles with these names, by name. */
  findRoles(names: readonly string[]): Promise<readonly Role[]>;
  /** The tenants of each active user and client that has the role. */
  holdersOf(role: string): Promise<readonly TenantGrants[]>;
}

export interface UserChange {
  readonly passwordHash: string;
  readonly roles: readonly string[];
  readonly allTenants: boolean;
  readonly tenantIds: readonly Uuid[];
  readonly isActive: boolean;
}

/** Called with null for a subject without failures. */
export type FailureRule = (subject: string, known: New<LoginFailures> | null) => New<LoginFailures>;
