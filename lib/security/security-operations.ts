import type {
  ApiClient,
  LoginSession,
  New,
  Principal,
  SigningKey,
  SystemAuthor,
  TenantGrants,
  User,
} from '../records/index.ts';
import type { NewApiClientInput } from './api-clients.ts';
import type { LoginAttempt } from './login-guard.ts';
import type { RoleDefinition } from './roles.ts';
import type { NewTokenKey, TokenSigner } from './token-keys.ts';
import type { NewUserInput, PasswordPolicy, UserRolesInput } from './users.ts';

/** Users of the server. */
export interface UserOperations {
  /**
   * Creates a user.
   * @throws BillingError SECURITY_USER_ALREADY_EXISTS (40002) for the name of an active user, SECURITY_INVALID_ROLE
   * (40003) unless undefined roles are allowed, TENANT_DOES_NOT_EXIST_FOR_ID (20001), MISSING_OR_INVALID_FIELD (60003), SECURITY_NOT_ENOUGH_PERMISSIONS (40000)
   * for tenants and permissions that the author does not hold.
   */
  create(author: SystemAuthor, input: NewUserInput, policy: PasswordPolicy): Promise<void>;

  /**
   * The active user.
   * @param viewer who asks; absent: the host itself. A viewer bound to tenants sees themselves and the users of these
   * tenants only.
   * @throws BillingError SECURITY_INVALID_USER (40001).
   */
  get(name: string, viewer?: Principal | null): Promise<User>;

  /**
   * Ends sessions and tokens of the user.
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
   * Replaces the tenants that the user may use.
   * @throws BillingError SECURITY_INVALID_USER, TENANT_DOES_NOT_EXIST_FOR_ID, SECURITY_NOT_ENOUGH_PERMISSIONS.
   */
  setGrants(author: SystemAuthor, input: TenantGrants & { readonly name: string }): Promise<void>;

  /**
   * Makes the user inactive: it cannot log in, and its sessions and tokens end.
   * @throws BillingError SECURITY_INVALID_USER, SECURITY_NOT_ENOUGH_PERMISSIONS.
   */
  deactivate(author: SystemAuthor, name: string): Promise<void>;
}

/** Roles: named sets of permissions. */
export interface RoleOperations {
  /** All roles, the built-in ones among them, by name. */
  list(): Promise<readonly RoleDefinition[]>;

  /** A role; a role that does not exist has no permissions. */
  get(name: string): Promise<RoleDefinition>;

  /**
   * Creates a role.
   * @throws BillingError SECURITY_ROLE_ALREADY_EXISTS (40004), SECURITY_INVALID_PERMISSIONS (40005),
   * MISSING_OR_INVALID_FIELD, SECURITY_NOT_ENOUGH_PERMISSIONS (40000) for permissions that the author does not hold, and
   * for a name that somebody in tenants other than the author's has as a role already.
   */
  create(author: SystemAuthor, definition: RoleDefinition): Promise<void>;

  /**
   * Replaces the permissions of a role, or creates it.
   * @throws BillingError SECURITY_ROLE_ALREADY_EXISTS (40004) for a built-in role, SECURITY_INVALID_PERMISSIONS (40005),
   * SECURITY_NOT_ENOUGH_PERMISSIONS (40000) for permissions that the author does not hold, and for a role of somebody in
   * tenants other than the author's.
   */
  put(author: SystemAuthor, definition: RoleDefinition): Promise<void>;
}

/** Programs that sign in with a secret of their own. */
export interface ApiClientOperations {
  /**
   * Creates a client; its secret is kept hashed.
   * @throws BillingError SECURITY_USER_ALREADY_EXISTS (40002) for the id of an active client, SECURITY_INVALID_ROLE
   * (40003), TENANT_DOES_NOT_EXIST_FOR_ID (20001), MISSING_OR_INVALID_FIELD, SECURITY_NOT_ENOUGH_PERMISSIONS (40000) for
   * tenants and permissions that the author does not hold.
   */
  create(author: SystemAuthor, input: NewApiClientInput, policy: PasswordPolicy): Promise<void>;

  /**
   * The active client.
   * @param viewer who asks; absent: the host itself. A viewer bound to tenants sees themselves and the clients of these
   * tenants only.
   * @throws BillingError SECURITY_INVALID_USER (40001).
   */
  get(name: string, viewer?: Principal | null): Promise<ApiClient>;

  /** The active client behind an id and secret, or null; an unknown id costs the same work as a wrong secret. */
  authenticate(name: string, secret: string): Promise<ApiClient | null>;

  /**
   * Makes the client inactive; its tokens end.
   * @throws BillingError SECURITY_INVALID_USER (40001), SECURITY_NOT_ENOUGH_PERMISSIONS (40000).
   */
  deactivate(author: SystemAuthor, name: string): Promise<void>;
}

/** Sessions of users who have signed in. */
export interface LoginSessionOperations {
  /** Starts a session of a user who has just logged in, and removes sessions that have ended. */
  start(
    user: Principal,
    session: { readonly tokenHash: string; readonly host: string | null; readonly idleMs?: number },
  ): Promise<New<LoginSession>>;

  /** The session with its user, if it has not ended; else null. Counts as a use of the session. */
  find(
    tokenHash: string,
    idleMs?: number,
  ): Promise<{ readonly session: LoginSession; readonly user: Principal } | null>;
}

/** The keys of the server’s own tokens. */
export interface TokenKeyOperations {
  /** System time, to which the times in tokens refer. */
  nowMs(): number;

  /** The key that signs now; `make` is called if a new one is due, or if the server key cannot read the last. */
  signer(make: () => Promise<NewTokenKey>): Promise<TokenSigner>;

  /** Public parts of the keys whose tokens may still be valid. `graceMs`: longest life of a token, with its tolerance. */
  published(graceMs: number): Promise<readonly Pick<SigningKey, 'kid' | 'publicKey'>[]>;

  /** Removes keys whose tokens have long expired, never the one that signs. */
  purge(): Promise<void>;
}

/** Who signs in, and what they may do. */
export interface PrincipalOperations {
  /**
   * The active user or client of that name with its effective permissions and grants, or null; from memory, yet never
   * stale: a change holds at once on every node.
   */
  principal(kind: 'USER' | 'CLIENT', name: string): Promise<Principal | null>;

  /** Permissions of these roles together, sorted; a role that does not exist has none. */
  permissionsOf(roles: readonly string[]): Promise<readonly string[]>;

  /** The active user behind a name and password, or null; an unknown name costs the same work as a wrong password. */
  authenticate(name: string, password: string): Promise<User | null>;

  /** The user of that name, active or not; null if there is none. */
  find(name: string): Promise<User | null>;

  /** Creates the administrator unless a user of that name exists; true if it was created. */
  ensureAdministrator(name: string, password: string): Promise<boolean>;

  /**
   * Gives the user a new password; the old one is refused at once on every node, remembered or not.
   * @throws BillingError SECURITY_INVALID_USER (40001) if there is no user of that name.
   */
  setPassword(name: string, password: string): Promise<void>;
}

/** Counts failed logins. */
export interface LoginGuardOperations {
  /**
   * Makes an attempt: `check` answers null for a failure, which is counted; a success clears the name's failures.
   * @throws BillingError SECURITY_LOCKED_OUT (40006), with `retryAfterSeconds`: without calling `check`, or without
   * telling its answer if other attempts have led to the lock meanwhile; else many attempts at a time would be as many
   * guesses.
   */
  attempt<T>(attempt: LoginAttempt, check: () => Promise<T | null>): Promise<T | null>;
}

/** Who may use the server, and how they prove it (platform §6–§8). */
export interface SecurityOperations extends PrincipalOperations {
  /** Users of the server. */
  readonly users: UserOperations;
  /** Roles: named sets of permissions. */
  readonly roles: RoleOperations;
  /** Programs that sign in with a secret of their own. */
  readonly clients: ApiClientOperations;
  /** Sessions of users who have signed in, for whoever serves them. */
  readonly sessions: LoginSessionOperations;
  /** Counts failed logins, and locks out names and addresses that fail too often. */
  readonly guard: LoginGuardOperations;
  /** The keys of the server's own tokens. */
  readonly tokenKeys: TokenKeyOperations;
}
