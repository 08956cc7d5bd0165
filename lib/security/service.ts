import type { Ports } from '../ports/index.ts';
import { type LoginSession, type New, type Principal, PrincipalKind, type User } from '../records/index.ts';
import { SESSION_IDLE_MS } from '../values/limits.ts';
import { isStorable } from '../values/text/index.ts';
import { ApiClients } from './api-clients.ts';
import { LoginGuard } from './login-guard.ts';
import { ADMIN_ROLE, ALL_PERMISSIONS } from './permissions.ts';
import { Principals } from './principals.ts';
import { Roles } from './roles.ts';
import { TokenKeys } from './token-keys.ts';
import { noSuchUser, Users } from './users.ts';

type SecurityPorts = Pick<
  Ports,
  'storage' | 'ids' | 'hasher' | 'cipher' | 'sha256' | 'clock' | 'systemClock' | 'logger'
>;

export class SecurityService {
  readonly users: Users;
  readonly roles: Roles;
  readonly clients: ApiClients;
  readonly sessions: LoginSessions;
  readonly guard: LoginGuard;
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

const SESSION_TOUCH_MS = 60_000;

/** Limits writes of the last use per idle time, so that most reads write nothing. */
const touchesPerIdleTime = 60;

/**
 * Login sessions (platform §6.2), stored by token hash for all nodes. A session ends after `rbac.globalSessionTimeout`
 * idle, or when its user's password, roles or activity change.
 */
class LoginSessions {
  readonly #ports: Pick<Ports, 'storage' | 'ids' | 'systemClock'>;
  readonly #principals: Principals;

  constructor(ports: Pick<Ports, 'storage' | 'ids' | 'systemClock'>, principals: Principals) {
    this.#ports = ports;
    this.#principals = principals;
  }

  async start(
    user: Principal,
    session: { readonly tokenHash: string; readonly host: string | null; readonly idleMs?: number },
  ): Promise<New<LoginSession>> {
    const { storage, ids, systemClock } = this.#ports;
    const nowMs = systemClock.nowMs();
    await storage.security.purgeSessions(nowMs - (session.idleMs ?? SESSION_IDLE_MS));
    const started = {
      id: ids.next(),
      tokenHash: session.tokenHash,
      userName: user.name,
      credentialVersion: user.credentialVersion,
      startedMs: nowMs,
      lastAccessMs: nowMs,
      host: session.host,
    };
    await storage.security.insertSession(started);
    return started;
  }

  async find(
    tokenHash: string,
    idleMs: number = SESSION_IDLE_MS,
  ): Promise<{ readonly session: LoginSession; readonly user: Principal } | null> {
    const { storage, systemClock } = this.#ports;
    const session = await storage.security.findSession(tokenHash);
    if (session === null) return null;
    const nowMs = systemClock.nowMs();
    const user = await this.#principals.find(PrincipalKind.USER, session.userName);
    const isCurrent = user?.credentialVersion === session.credentialVersion;
    if (!isCurrent || nowMs - session.lastAccessMs >= idleMs) {
      await storage.security.deleteSession(tokenHash);
      return null;
    }
    if (nowMs - session.lastAccessMs >= Math.min(SESSION_TOUCH_MS, idleMs / touchesPerIdleTime))
      await storage.security.touchSession(session.id, nowMs);
    return { session: { ...session, lastAccessMs: nowMs }, user };
  }
}
