import type {
  ApiClient,
  LoginSession,
  New,
  Page,
  PageRequest,
  Principal,
  Role,
  SigningKey,
  SystemAuthor,
  TenantGrants,
  User,
} from '../records/index.ts';
import type { Uuid } from '../values/ids/index.ts';

export interface NewUserInput {
  /** Name of 1–128 characters. */
  readonly name: string;
  readonly password: string;
  /** Names of the roles. The roles must exist, unless `allowsUndefinedRoles` is true. */
  readonly roles: readonly string[];
  /** If true, the roles need not exist. A missing role grants nothing until it is created (R63). Defaults to false. */
  readonly allowsUndefinedRoles?: boolean;
  /** Tenants to which the user has access. Defaults to all tenants. */
  readonly tenantIds?: readonly Uuid[];
}

export type UserRolesInput = Pick<NewUserInput, 'name' | 'roles' | 'allowsUndefinedRoles'>;

export interface NewApiClientInput extends Pick<NewUserInput, 'name' | 'tenantIds'> {
  readonly secret: string;
  readonly roles: readonly string[];
}

export interface PasswordPolicy {
  /** If true, passwords may have fewer than 8 characters. Test mode uses this option. */
  readonly allowShort: boolean;
}

/** Users of the server. */
export interface UserOperations {
  /**
   * Creates a user.
   * @throws BillingError SECURITY_USER_ALREADY_EXISTS (40002) for the name of an active user, SECURITY_INVALID_ROLE
   * (40003) unless undefined roles are allowed, TENANT_DOES_NOT_EXIST_FOR_ID (20001), MISSING_OR_INVALID_FIELD (60003),
   * SECURITY_NOT_ENOUGH_PERMISSIONS (40000) for tenants and permissions that the author does not have.
   */
  create(author: SystemAuthor, input: NewUserInput, policy: PasswordPolicy): Promise<void>;

  /**
   * Returns the active user.
   * @param viewer The caller; absent for the host. A viewer with limited tenants sees only themselves and users of
   * these tenants.
   * @throws BillingError SECURITY_INVALID_USER (40001).
   */
  get(name: string, viewer?: Principal | null): Promise<User>;

  /**
   * Returns a page of the active users, sorted by name.
   * @param viewer The caller; absent for the host. A viewer whose access is limited to certain tenants sees the same
   * users as in `get`.
   */
  page(request: PageRequest, viewer?: Principal | null): Promise<Page<User>>;

  /**
   * Changes the password and ends the user's sessions and tokens.
   * @throws BillingError SECURITY_INVALID_USER, MISSING_OR_INVALID_FIELD, SECURITY_NOT_ENOUGH_PERMISSIONS.
   */
  changePassword(
    author: SystemAuthor,
    input: { readonly name: string; readonly password: string },
    policy: PasswordPolicy,
  ): Promise<void>;

  /**
   * Replaces the roles.
   * @throws BillingError SECURITY_INVALID_USER, SECURITY_INVALID_ROLE (40003) unless undefined roles are allowed,
   * MISSING_OR_INVALID_FIELD, SECURITY_NOT_ENOUGH_PERMISSIONS.
   */
  setRoles(author: SystemAuthor, input: UserRolesInput): Promise<void>;

  /**
   * Replaces the tenants to which the user has access.
   * @throws BillingError SECURITY_INVALID_USER, TENANT_DOES_NOT_EXIST_FOR_ID, SECURITY_NOT_ENOUGH_PERMISSIONS.
   */
  setGrants(author: SystemAuthor, input: TenantGrants & { readonly name: string }): Promise<void>;

  /**
   * Deactivates the user and ends their sessions and tokens.
   * @throws BillingError SECURITY_INVALID_USER, SECURITY_NOT_ENOUGH_PERMISSIONS.
   */
  deactivate(author: SystemAuthor, name: string): Promise<void>;
}

export type RoleDefinition = Pick<Role, 'name' | 'permissions'>;

/** Operations on roles, which are named sets of permissions. */
export interface RoleOperations {
  /** Returns all roles, sorted by name, including built-in ones. */
  list(): Promise<readonly RoleDefinition[]>;

  /** Returns a role. An unknown role has no permissions. */
  get(name: string): Promise<RoleDefinition>;

  /**
   * Creates a role.
   * @throws BillingError SECURITY_ROLE_ALREADY_EXISTS (40004), SECURITY_INVALID_PERMISSIONS (40005),
   * MISSING_OR_INVALID_FIELD, SECURITY_NOT_ENOUGH_PERMISSIONS (40000) for permissions that the author does not have, or
   * for a role that is already assigned in tenants to which the author has no access.
   */
  create(author: SystemAuthor, definition: RoleDefinition): Promise<void>;

  /**
   * Replaces the permissions of a role, or creates the role.
   * @throws BillingError SECURITY_ROLE_ALREADY_EXISTS (40004) for a built-in role, SECURITY_INVALID_PERMISSIONS
   * (40005), SECURITY_NOT_ENOUGH_PERMISSIONS (40000) for permissions that the author does not have, or for a role that
   * is assigned in tenants to which the author has no access.
   */
  put(author: SystemAuthor, definition: RoleDefinition): Promise<void>;
}

/** Operations on API clients, which are programs that sign in with their own secret. */
export interface ApiClientOperations {
  /**
   * Creates a client. Its secret is stored as a hash.
   * @throws BillingError SECURITY_USER_ALREADY_EXISTS (40002) for the id of an active client, SECURITY_INVALID_ROLE
   * (40003), TENANT_DOES_NOT_EXIST_FOR_ID (20001), MISSING_OR_INVALID_FIELD, SECURITY_NOT_ENOUGH_PERMISSIONS (40000)
   * for tenants and permissions that the author does not have.
   */
  create(author: SystemAuthor, input: NewApiClientInput, policy: PasswordPolicy): Promise<void>;

  /**
   * Returns the active client.
   * @param viewer the caller, absent for the host. A viewer with limited tenants sees only themselves and clients of
   * these tenants.
   * @throws BillingError SECURITY_INVALID_USER (40001).
   */
  get(name: string, viewer?: Principal | null): Promise<ApiClient>;

  /**
   * Returns the active client with this id and secret, or null. Checking an unknown id takes as long as checking a
   * wrong secret.
   */
  authenticate(name: string, secret: string): Promise<ApiClient | null>;

  /**
   * Deactivates the client and invalidates its tokens.
   * @throws BillingError SECURITY_INVALID_USER (40001), SECURITY_NOT_ENOUGH_PERMISSIONS (40000).
   */
  deactivate(author: SystemAuthor, name: string): Promise<void>;
}

/** Operations on the sessions of users who have signed in. */
export interface LoginSessionOperations {
  /**
   * Starts a session for a user who has just logged in. Deletes sessions that have ended.
   * @throws BillingError MISSING_OR_INVALID_FIELD (60003) if another session has the same token hash.
   */
  start(
    user: Principal,
    session: { readonly tokenHash: string; readonly host?: string | null; readonly idleMs?: number },
  ): Promise<New<LoginSession>>;

  /** Returns the session with its user, or null if the session has ended. This call counts as a use of the session. */
  find(
    tokenHash: string,
    idleMs?: number,
  ): Promise<{ readonly session: LoginSession; readonly user: Principal } | null>;

  /** Ends the session. Does nothing if the session has already ended. */
  end(tokenHash: string): Promise<void>;
}

/** A new key pair. The engine encrypts the private key before storing it. */
export interface NewTokenKey {
  readonly kid: string;
  readonly publicKey: Readonly<Record<string, unknown>>;
  readonly privateKey: string;
}

export interface TokenSigner {
  readonly kid: string;
  readonly privateKey: string;
}

/** Operations on the keys of the server's own tokens. */
export interface TokenKeyOperations {
  /** Returns the system time on which times in tokens are based. */
  nowMs(): number;

  /**
   * Returns the signing key. Calls `make` if a new key is due, or if the server key cannot decrypt the last key.
   * @throws BillingError MISSING_OR_INVALID_FIELD (60003) if `make` returns an invalid key.
   */
  signer(make: () => Promise<NewTokenKey>): Promise<TokenSigner>;

  /**
   * Returns the public keys for tokens that may still be valid. `graceMs` is the maximum lifetime of a token plus a
   * tolerance.
   */
  published(graceMs: number): Promise<readonly Pick<SigningKey, 'kid' | 'publicKey'>[]>;

  /** Deletes keys whose tokens expired long ago. Never deletes the current signing key. */
  purge(): Promise<void>;
}

/** Operations on users and clients with their permissions. */
export interface PrincipalOperations {
  /**
   * Returns the active user or client with effective permissions and grants, or null. The result is cached but never
   * stale: a change takes effect immediately on every node.
   */
  principal(kind: 'USER' | 'CLIENT', name: string): Promise<Principal | null>;

  /** Returns the sorted permissions of these roles. An unknown role has no permissions. */
  permissionsOf(roles: readonly string[]): Promise<readonly string[]>;

  /**
   * Returns the active user with this name and password, or null. Checking an unknown name takes as long as checking a
   * wrong password.
   */
  authenticate(name: string, password: string): Promise<User | null>;

  /** Returns the active or inactive user, or null for an unknown name. */
  find(name: string): Promise<User | null>;

  /** Creates the administrator unless a user with that name exists. Returns true if the user was created. */
  ensureAdministrator(name: string, password: string): Promise<boolean>;

  /**
   * Sets the user's password. The old password stops working immediately on every node.
   * @throws BillingError SECURITY_INVALID_USER (40001) for an unknown user.
   */
  setPassword(name: string, password: string): Promise<void>;
}

export interface LoginAttempt {
  readonly kind: 'user' | 'client' | 'tenant';
  readonly name: string;
  /** Address of the caller. If the address is absent or null, failures are not counted by address. */
  readonly address?: string | null;
}

/** Counts failed logins. */
export interface LoginGuardOperations {
  /**
   * Runs `check`, which returns null for a failure. Failures are counted; a success clears the failures of the name.
   * @throws BillingError SECURITY_LOCKED_OUT (40006) with `retryAfterSeconds` for a locked subject. If concurrent
   * attempts locked the subject during `check`, the result of `check` is discarded, so that concurrency allows no
   * additional guesses.
   */
  attempt<T>(attempt: LoginAttempt, check: () => Promise<T | null>): Promise<T | null>;
}

/**
 * Operations on users, roles, clients, sessions and keys of the server (platform §6–§8). Each operation throws
 * BillingError MISSING_OR_INVALID_FIELD (60003) for an argument of the wrong type.
 */
export interface SecurityOperations extends PrincipalOperations {
  /** Users of the server. */
  readonly users: UserOperations;
  /** Operations on roles, which are named sets of permissions. */
  readonly roles: RoleOperations;
  /** Operations on API clients, which are programs that sign in with their own secret. */
  readonly clients: ApiClientOperations;
  /** Operations on the sessions of users who have signed in. */
  readonly sessions: LoginSessionOperations;
  /** Counts failed logins, and locks names and addresses that fail too often. */
  readonly guard: LoginGuardOperations;
  /** Operations on the keys of the server's own tokens. */
  readonly tokenKeys: TokenKeyOperations;
}
