import type {
  ApiClient,
  Authorship,
  LoginFailures,
  LoginSession,
  New,
  Role,
  Rows,
  SigningKey,
  TenantGrants,
  User,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

/**
 * Users, roles, clients, sessions and keys (platform §6–§8), shared by all tenants. Every change to a user, role or
 * client runs the caller's check, is audited without its secret and increments `revision`, all in one transaction.
 * Changes are sequential, so that the result of the check stays valid.
 */
export interface SecurityStore {
  revision(): Promise<number>;
  /** Inserts the user. Replaces an inactive user with the same name. Returns false if an active user has the name. */
  insertUser(user: New<User>, authorship: Authorship, check?: SecurityCheck): Promise<boolean>;
  /**
   * Changes an active user. If `isCredential` is true, also increments `credentialVersion`, which ends the user's
   * sessions. Returns null if the user is unknown.
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
  /** Replaces the hash of an unchanged password. Callers cannot see this change. */
  rehashUser(name: string, hashes: { readonly from: string; readonly to: string }): Promise<void>;
  rehashClient(name: string, hashes: { readonly from: string; readonly to: string }): Promise<void>;
  rehashTenant(apiKey: string, hashes: { readonly from: string; readonly to: string }): Promise<void>;

  /** Returns all active users, sorted by name. */
  listUsers(): Rows<User>;
  findRoles(names: readonly string[]): Rows<Role>;
  listRoles(): Rows<Role>;
  /** Inserts a role. Returns false if the role exists. */
  insertRole(role: New<Role>, authorship: Authorship, check?: SecurityCheck): Promise<boolean>;
  putRole(role: New<Role>, authorship: Authorship, check?: SecurityCheck): Promise<void>;

  findClientByName(name: string): Promise<ApiClient | null>;
  /** Stores an API client, with the same rules as `insertUser`. */
  insertClient(client: New<ApiClient>, authorship: Authorship, check?: SecurityCheck): Promise<boolean>;
  /** Deactivates a client. Returns false if it is unknown or inactive. */
  deactivateClient(name: string, authorship: Authorship, check?: SecurityCheck): Promise<boolean>;

  /** Stores a session. Returns false if another session has the token hash. */
  insertSession(session: New<LoginSession>): Promise<boolean>;
  findSession(tokenHash: string): Promise<LoginSession | null>;
  touchSession(id: Uuid, lastAccessMs: number): Promise<void>;
  deleteSession(tokenHash: string): Promise<void>;
  purgeSessions(lastAccessBeforeMs: number): Promise<void>;

  /** Returns the failed logins of these subjects. Omits subjects without failures. */
  findFailures(subjects: readonly string[]): Rows<LoginFailures>;
  /** Applies `rule` to the failed logins of each subject. Only one caller at a time can do this. */
  changeFailures(subjects: readonly string[], rule: FailureRule): Promise<void>;
  clearFailures(subjects: readonly string[]): Promise<void>;
  purgeFailures(lastFailureBeforeMs: number): Promise<void>;

  /** Returns the keys, oldest first. */
  listSigningKeys(): Rows<SigningKey>;
  /**
   * Inserts the key, unless another key has been created after `unlessNewerThanMs`. Therefore, if several nodes try at
   * the same time, only one node succeeds.
   */
  insertSigningKey(key: New<SigningKey>, unlessNewerThanMs: number): Promise<void>;
  deleteSigningKeys(ids: readonly Uuid[]): Promise<void>;
}

/** Checks the state before a change. Throws to reject the change. */
export type SecurityCheck = (now: SecurityReads) => Promise<void>;

export interface SecurityReads {
  findUser(name: string): Promise<User | null>;
  findClient(name: string): Promise<ApiClient | null>;
  findRoles(names: readonly string[]): Rows<Role>;
  /** Returns the tenants of each active user and client that has the role. */
  holdersOf(role: string): Rows<TenantGrants>;
}

export interface UserChange {
  readonly passwordHash: string;
  readonly roles: readonly string[];
  readonly allTenants: boolean;
  readonly tenantIds: readonly Uuid[];
  readonly isActive: boolean;
}

/** Returns the updated failed logins of a subject. `known` is null if the subject has no failed logins yet. */
export type FailureRule = (subject: string, known: New<LoginFailures> | null) => New<LoginFailures>;
