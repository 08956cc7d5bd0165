import type { Ports } from '../ports/index.ts';
import { PrincipalKind, type User } from '../records/index.ts';
import { invalidField } from '../values/errors/index.ts';
import { SESSION_IDLE_MS } from '../values/limits.ts';
import { isStorable } from '../values/text/index.ts';
import { loginGuard } from './login-guard.ts';
import { ADMIN_ROLE, ALL_PERMISSIONS } from './permissions.ts';
import { type Principals, principalCache } from './principals.ts';
import { roleOperations } from './roles.ts';
import type { LoginSessionOperations, SecurityOperations } from './security-operations.ts';
import { tokenKeyOperations } from './token-keys.ts';
import { apiClientOperations, hasSecret, noSuchUser, userOperations } from './users.ts';

type SecurityPorts = Pick<
  Ports,
  'storage' | 'ids' | 'hasher' | 'cipher' | 'sha256' | 'clock' | 'systemClock' | 'logger'
>;

export function securityOperations(ports: SecurityPorts): SecurityOperations {
  const { storage, ids, hasher } = ports;
  const principals = principalCache(ports);

  async function find(name: string): Promise<User | null> {
    return isStorable(name) ? storage.system.findUserByName(name) : null;
  }

  return {
    users: userOperations(ports, principals),
    roles: roleOperations(ports, principals),
    clients: apiClientOperations(ports, principals),
    sessions: loginSessions(ports, principals),
    guard: loginGuard(ports),
    tokenKeys: tokenKeyOperations(ports),
    principal: (kind, name) => principals.find(kind, name),
    permissionsOf: (roles) => principals.permissionsOf(roles),
    find,

    async authenticate(name, password) {
      const user = await find(name);
      const hash = user?.isActive ? user.passwordHash : undefined;
      const rehash = storage.security.rehashUser.bind(storage.security, name);
      return (await hasSecret(hasher, password, { hash, rehash })) ? user : null;
    },

    async ensureAdministrator(name, password) {
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
      principals.forget();
      return isNew;
    },

    async setPassword(name, password) {
      const isSet =
        isStorable(name) && (await storage.system.updatePasswordHash(name, await hasher.hash(password)));
      if (!isSet) throw noSuchUser(name);
      principals.forget();
    },
  };
}

const SESSION_TOUCH_MS = 60_000;

/**
 * Maximum number of times per idle period that the last use of a session is written. Most reads therefore write
 * nothing.
 */
const touchesPerIdleTime = 60;

/**
 * Login sessions (platform §6.2), stored by token hash for all nodes. A session ends after `rbac.globalSessionTimeout`
 * without use, or when its user's password, roles or active state changes.
 */
function loginSessions(
  { storage: { security }, ids, systemClock }: Pick<Ports, 'storage' | 'ids' | 'systemClock'>,
  principals: Principals,
): LoginSessionOperations {
  return {
    async start(user, { tokenHash, host = null, idleMs = SESSION_IDLE_MS }) {
      const nowMs = systemClock.nowMs();
      await security.purgeSessions(nowMs - idleMs);
      const session = {
        id: ids.next(),
        tokenHash,
        userName: user.name,
        credentialVersion: user.credentialVersion,
        startedMs: nowMs,
        lastAccessMs: nowMs,
        host,
      };
      if (await security.insertSession(session)) return session;
      throw invalidField('tokenHash belongs to another session', { field: 'tokenHash' });
    },

    async find(tokenHash, idleMs = SESSION_IDLE_MS) {
      const session = await security.findSession(tokenHash);
      if (session === null) return null;
      const nowMs = systemClock.nowMs();
      const user = await principals.find(PrincipalKind.USER, session.userName);
      const isCurrent = user?.credentialVersion === session.credentialVersion;
      if (!isCurrent || nowMs - session.lastAccessMs >= idleMs) {
        await security.deleteSession(tokenHash);
        return null;
      }
      if (nowMs - session.lastAccessMs >= Math.min(SESSION_TOUCH_MS, idleMs / touchesPerIdleTime))
        await security.touchSession(session.id, nowMs);
      return { session: { ...session, lastAccessMs: nowMs }, user };
    },

    end: (tokenHash) => security.deleteSession(tokenHash),
  };
}
