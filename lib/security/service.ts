import { BillingError, ErrorCode } from '../errors/index.ts';
import type { Ports } from '../ports/index.ts';
import { isStorable, shortened } from '../text/index.ts';
import type { User } from './model.ts';

/** Everything; the permission of the bootstrap administrator (platform.md §8). */
export const ALL_PERMISSIONS = '*:*';

/** Users of the server (platform.md §6, §8). */
export class SecurityService {
  readonly #ports: Pick<Ports, 'storage' | 'ids' | 'hasher'>;

  constructor(ports: Pick<Ports, 'storage' | 'ids' | 'hasher'>) {
    this.#ports = ports;
  }

  /** The active user behind a name and password, or null; an unknown name costs the same work as a wrong password. */
  async authenticate(name: string, password: string): Promise<User | null> {
    const user = await this.find(name);
    const active = user?.isActive ? user : null;
    const matches = await this.#ports.hasher.verify(password, active?.passwordHash ?? null);
    return active && matches ? active : null;
  }

  async find(name: string): Promise<User | null> {
    return isStorable(name) ? this.#ports.storage.system.findUserByName(name) : null;
  }

  /** Creates the administrator unless a user of that name exists; true if it was created. */
  async ensureAdministrator(name: string, password: string): Promise<boolean> {
    const { storage, ids, hasher } = this.#ports;
    if (await storage.system.findUserByName(name)) return false;
    return storage.system.insertUserIfAbsent({
      id: ids.next(),
      name,
      passwordHash: await hasher.hash(password),
      credentialVersion: 1,
      permissions: [ALL_PERMISSIONS],
      allTenants: true,
      isActive: true,
    });
  }

  /**
   * Gives the user a new password; the old one is refused at once on every node, remembered or not.
   * @throws BillingError SECURITY_INVALID_USER (40001) if there is no user of that name.
   */
  async setPassword(name: string, password: string): Promise<void> {
    const { storage, hasher } = this.#ports;
    const isKnown = isStorable(name);
    if (isKnown && (await storage.system.updatePasswordHash(name, await hasher.hash(password)))) return;
    throw new BillingError({
      code: ErrorCode.SECURITY_INVALID_USER,
      message: `There is no user "${shortened(name)}"`,
      facts: { user: name },
    });
  }
}

/** Whether granted permissions cover a needed one: `*`, `*:*`, `group:*` or equality (platform.md §8 rule 4). */
export function isPermitted(granted: readonly string[], needed: string): boolean {
  const group = needed.split(':', 1)[0] ?? '';
  return granted.some(
    (each) => each === '*' || each === ALL_PERMISSIONS || each === needed || each === `${group}:*`,
  );
}
