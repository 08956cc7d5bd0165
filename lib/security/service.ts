import type { Ports } from '../ports/index.ts';
import type { Principal, User } from '../records/index.ts';
import { isStorable } from '../values/text/index.ts';
import { ApiClients } from './api-clients.ts';
import { ADMIN_ROLE } from './built-in-roles.ts';
import { LoginGuard } from './login-guard.ts';
import { ALL_PERMISSIONS } from './permissions.ts';
import { Principals } from './principals.ts';
import { Roles } from './roles.ts';
import { LoginSessions } from './sessions.ts';
import { TokenKeys } from './token-keys.ts';
import { noSuchUser, Users } from './users.ts';

type SecurityPorts = Pick<
  Ports,
  'storage' | 'ids' | 'hasher' | 'cipher' | 'sha256' | 'clock' | 'systemClock' | 'logger'
>;

/** Who may use the server, and how they prove it (platform §6–§8). */
export class SecurityService {
  readonly users: Users;
  readonly roles: Roles;
  readonly clients: ApiClients;
  readonly sessions: LoginSessions;
  /** Counts failed logins. */
  readonly guard: LoginGuard;
  /** The keys of the server's own tokens. */
  readonly tokenKeys: TokenKeys;
  readonly #ports: SecurityPorts;
  readonly #principals: Principals;

  constructor(ports: SecurityPorts) {
    this.#ports = ports;
    this.#principals = new Principals(ports);
    this.users = new Users(ports, this.#principals);
    this.roles = new Roles(ports, this.#principals);
    this.clients = new ApiClients(ports, this.#principals);
    this.sessions = new LoginSessions(ports, this.#principals);
    this.guard = new LoginGuard(ports);
    this.tokenKeys = new TokenKeys(ports);
  }

  async principal(kind: 'USER' | 'CLIENT', name: string): Promise<Principal | null> {
    return this.#principals.find(kind, name);
  }

  async permissionsOf(roles: readonly string[]): Promise<readonly string[]> {
    return this.#principals.permissionsOf(roles);
  }

  async authenticate(name: string, password: string): Promise<User | null> {
    const { hasher, storage } = this.#ports;
    const user = await this.find(name);
    const active = user?.isActive ? user : null;
    const matches = await hasher.verify(password, active?.passwordHash ?? null);
    if (!active || !matches) return null;
    if (hasher.isWeaker(active.passwordHash)) {
      const to = await hasher.hash(password);
      await storage.security.rehashUser(name, { from: active.passwordHash, to });
    }
    return active;
  }

  async find(name: string): Promise<User | null> {
    return isStorable(name) ? this.#ports.storage.system.findUserByName(name) : null;
  }

  async ensureAdministrator(name: string, password: string): Promise<boolean> {
    const { storage, ids, hasher } = this.#ports;
    if (await storage.system.findUserByName(name)) return false;
    const isNew = await storage.system.insertUserIfAbsent({
      id: ids.next(),
      name,
      passwordHash: await hasher.hash(password),
      credentialVersion: 1,
      permissions: [ALL_PERMISSIONS],
      roles: [ADMIN_ROLE],
      allTenants: true,
      tenantIds: [],
      isActive: true,
    });
    this.#principals.forget();
    return isNew;
  }

  async setPassword(name: string, password: string): Promise<void> {
    const { storage, hasher } = this.#ports;
    const isKnown = isStorable(name);
    const isSet = isKnown && (await storage.system.updatePasswordHash(name, await hasher.hash(password)));
    if (!isSet) throw noSuchUser(name);
    this.#principals.forget();
  }
}
