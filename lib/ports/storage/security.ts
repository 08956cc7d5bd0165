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
 * Users, roles, clients, sessions and keys (platform §6–§8), shared by all tenants. Every change of a user, role or
 * client runs the caller's check, is audited without its secret and increments `revision`, all in one transaction.
 * Changes are sequential, so that the check still holds.
 */
export interface SecurityStore {
  revision(): Promise<number>;
  /** Inserts the user, or replaces an inactive user with that name. Returns false if an active user has the name. */
  insertUser(user: New<User>, authorship: Authorship, check?: SecurityCheck): Promise<boolean>;
  /**
   * Changes an active user. If `isCredential` is true, also increments `credentialVersion`, which ends the user's
   * sessions. Returns null for an unknown user.
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
  /** Replaces the hash of an unchanged password without a visible change. */
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
  /** Stores an API client under the same conditions as `insertUser`. */
  insertClient(client: New<ApiClient>, authorship: Authorship, check?: SecurityCheck): Promise<boolean>;
  /** Deactivates a client. Returns false for an unknown or inactive client. */
  deactivateClient(name: string, authorship: Authorship, check?: SecurityCheck): Promise<boolean>;

  /** Stores a session. Returns false if another session has the token hash. */
  insertSession(session: New<LoginSession>): Promise<boolean>;
  findSession(tokenHash: string): Promise<LoginSession | null>;
  touchSession(id: Uuid, lastAccessMs: number): Promise<void>;
  deleteSession(tokenHash: string): Promise<void>;
  purgeSessions(lastAccessBeforeMs: number): Promise<void>;

  /** Returns the failures of these subjects. Subjects without failures are omitted. */
  findFailures(subjects: readonly string[]): Rows<LoginFailures>;
  /** Applies `rule` to the failures of each subject, one caller at a time. */
  changeFailures(subjects: readonly string[], rule: FailureRule): Promise<void>;
  clearFailures(subjects: readonly string[]): Promise<void>;
  purgeFailures(lastFailureBeforeMs: number): Promise<void>;

  /** Returns the keys, oldest first. */
  listSigningKeys(): Rows<SigningKey>;
  /**
   * Inserts the key, unless another key was created after `unlessNewerThanMs`, so that only one of several nodes
   * succeeds.
   */
  insertSigningKey(key: New<SigningKey>, unlessNewerThanMs: number): Promise<void>;
  deleteSigningKeys(ids: readonly Uuid[]): Promise<void>;
}

/** Throws to reject a change, based on the state before the change. */
export type SecurityCheck = (now: SecurityReads) => Promise<void>;

export interface SecurityReads {
  findUser(name: string): Promise<User | null>;
  findClient(name: string): Promise<ApiClient | null>;
  findRoles(names: readonly string[]): Rows<Role>;
  /** Returns the tenants of each active user and client with the role. */
  holdersOf(role: string): Rows<TenantGrants>;
}

export interface UserChange {
  readonly passwordHash: string;
  readonly roles: readonly string[];
  readonly allTenants: boolean;
  readonly tenantIds: readonly Uuid[];
  readonly isActive: boolean;
}

/** Returns the new failures of a subject. `known` is null if the subject has none. */
export type FailureRule = (subject: string, known: New<LoginFailures> | null) => New<LoginFailures>;
