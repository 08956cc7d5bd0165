import type { Ports } from '../ports/index.ts';
import type { New } from '../records/index.ts';
import { type LoginSession, type Principal, PrincipalKind } from '../records/index.ts';
import { SESSION_IDLE_MS } from '../values/limits.ts';
import type { Principals } from './principals.ts';

/** Precision of the stored time of a session's last use. */
const SESSION_TOUCH_MS = 60_000;

/** The last use is written at most so many times per idle time, so that most reads write nothing. */
const touchesPerIdleTime = 60;

/**
 * Login sessions (platform §6.2), in the database for all nodes, stored by the hash of their token only. A session ends
 * when it was idle for `rbac.globalSessionTimeout`, or when password, roles or activity of its user change.
 */
export class LoginSessions {
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
