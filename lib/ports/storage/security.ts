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
 * Users, roles, clients, sessions and keys (platform §6–§8): deployment-wide, of no tenant. Every change of a user,
 * role or client is audited without its secret and raises `revision` in the same transaction, in which it has to pass the
 * check that its caller gives: changes come one after the other, so that what was looked at still holds.
 */
export interface SecurityStore {
  /** Rises with every change of a user, role, client or grant. */
  revision(): Promise<number>;
  /** Inserts the user or, where only an inactive one has the name, takes its place; false if an active one has it. */
  insertUser(user: New<User>, authorship: Authorship, check?: SecurityCheck): Promise<boolean>;
  /**
   * Changes an active user and raises its `credentialVersion` where `isCredential` says so, ending its sessions; null if
   * there is no such user.
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
  /** Stores the same password under a newer hash, unless it was changed meanwhile; no change that anybody sees. */
  rehashUser(name: string, hashes: { readonly from: string; readonly to: string }): Promise<void>;
  rehashClient(name: string, hashes: { readonly from: string; readonly to: string }): Promise<void>;
  rehashTenant(apiKey: string, hashes: { readonly from: string; readonly to: string }): Promise<void>;

  /** Roles with these names, by name. */
  findRoles(names: readonly string[]): Promise<readonly Role[]>;
  /** All roles, by name. */
  listRoles(): Promise<readonly Role[]>;
  /** False if a role has the name. */
  insertRole(role: New<Role>, authorship: Authorship, check?: SecurityCheck): Promise<boolean>;
  /** Replaces the permissions of the role of that name, or inserts it. */
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
  /** Removes sessions that were last used before. */
  purgeSessions(lastAccessBeforeMs: number): Promise<void>;

  /** Failures of these subjects; none for a subject without any. */
  findFailures(subjects: readonly string[]): Promise<readonly LoginFailures[]>;
  /** Replaces the failures of each subject by what `rule` makes of them, one caller at a time. */
  changeFailures(subjects: readonly string[], rule: FailureRule): Promise<void>;
  clearFailures(subjects: readonly string[]): Promise<void>;
  /** Removes those of subjects whose last failure was before. */
  purgeFailures(lastFailureBeforeMs: number): Promise<void>;

  /** All keys, oldest first. */
  listSigningKeys(): Promise<readonly SigningKey[]>;
  /** Inserts unless a key was made after `unlessNewerThanMs`: of two nodes that both find one due, one makes it. */
  insertSigningKey(key: New<SigningKey>, unlessNewerThanMs: number): Promise<void>;
  deleteSigningKeys(ids: readonly Uuid[]): Promise<void>;
}

/** Throws what refuses a change, by what is so at its beginning. */
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
