import type { Ports } from '../ports/index.ts';
import {
  type ApiClient,
  type Principal,
  PrincipalKind,
  type TenantGrants,
  type User,
} from '../records/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { isStorable } from '../values/text/index.ts';
import { joinPermissions, permissionsOfRoles } from './permissions.ts';

const MAX_CACHED_PRINCIPALS = 10_000;

/**
 * Active users and clients with permissions and grants, cached but never stale: each change raises a revision that
 * readers compare first (platform §8 rule 5), by one small shared statement if there are several nodes.
 */
export class Principals {
  readonly #ports: Pick<Ports, 'storage'>;
  #revision = -1;
  #known = new Map<string, Promise<unknown>>();
  #reading: Promise<void> | null = null;
  #next: Promise<void> | null = null;

  constructor(ports: Pick<Ports, 'storage'>) {
    this.#ports = ports;
  }

  async find(kind: 'USER' | 'CLIENT', name: string): Promise<Principal | null> {
    if (!isStorable(name)) return null;
    return this.#cached(`${kind} ${name}`, () => this.#load(kind, name));
  }

  /** Unknown roles have no permissions. */
  async permissionsOf(roles: readonly string[]): Promise<readonly string[]> {
    const names = roles.filter(isStorable);
    return (
      (await this.#cached(`ROLES ${JSON.stringify(names)}`, () =>
        permissionsOfRoles(this.#ports.storage.security, names),
      )) ?? []
    );
  }

  /** Call it after every committed change of users, roles, clients or grants. */
  forget(): void {
    this.#known = new Map();
  }

  async #cached<T>(key: string, load: () => Promise<T | null>): Promise<T | null> {
    if (!this.#ports.storage.singleNode) await this.#refresh();
    const known = this.#known;
    const found = known.get(key) as Promise<T | null> | undefined;
    if (found !== undefined) return found;
    // Maps keep insertion order: the first key is the oldest.
    const [oldest] = known.size >= MAX_CACHED_PRINCIPALS ? known.keys() : [];
    if (oldest !== undefined) known.delete(oldest);
    const loading = load();
    known.set(key, loading);
    try {
      const value = await loading;
      // Unknown names are not cached, since a stranger can invent any number.
      if (value === null) known.delete(key);
      return value;
    } catch (error) {
      known.delete(key);
      throw error;
    }
  }

  #refresh(): Promise<void> {
    if (this.#reading === null) return this.#read();
    this.#next ??= this.#reading.then(
      () => this.#read(),
      () => this.#read(),
    );
    return this.#next;
  }

  #read(): Promise<void> {
    this.#next = null;
    const reading = this.#compare().finally(() => {
      if (this.#reading === reading) this.#reading = null;
    });
    this.#reading = reading;
    return reading;
  }

  async #compare(): Promise<void> {
    const revision = await this.#ports.storage.security.revision();
    if (revision === this.#revision) return;
    this.#revision = revision;
    this.forget();
  }

  async #load(kind: 'USER' | 'CLIENT', name: string): Promise<Principal | null> {
    const { security, system } = this.#ports.storage;
    if (kind === PrincipalKind.CLIENT) {
      const client = await security.findClientByName(name);
      return client?.isActive ? this.#principal(kind, client, []) : null;
    }
    const user = await system.findUserByName(name);
    return user?.isActive ? this.#principal(kind, user, user.permissions) : null;
  }

  async #principal(
    kind: 'USER' | 'CLIENT',
    subject: User | ApiClient,
    direct: readonly string[],
  ): Promise<Principal> {
    const { name, credentialVersion, allTenants, tenantIds } = subject;
    const permissions = joinPermissions([
      direct,
      await permissionsOfRoles(this.#ports.storage.security, subject.roles),
    ]);
    return { kind, name, credentialVersion, permissions, allTenants, tenantIds };
  }
}

export function isGranted(grants: TenantGrants, tenantId: Uuid): boolean {
  return grants.allTenants || grants.tenantIds.includes(tenantId);
}
