import type { Ports } from '../ports/index.ts';
import { type Principal, PrincipalKind, type TenantGrants } from '../records/index.ts';
import { SharedRead } from '../runtime/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { isStorable } from '../values/text/index.ts';
import { ALL_PERMISSIONS, joinPermissions, permissionsOfRoles } from './permissions.ts';

const MAX_CACHED_PRINCIPALS = 10_000;

/**
 * Caches active users and clients with their permissions and tenants. The cache is never outdated: each change
 * increases a revision, which is checked first (platform §8 rule 5). With several nodes, the check takes one small
 * shared query.
 */
export function principalCache({ storage, systemClock }: Pick<Ports, 'storage' | 'systemClock'>) {
  let cachedRevision = -1;
  let known = new Map<string, Promise<unknown>>();
  const comparison = new SharedRead(systemClock, compare);

  /** Clears the cache. Call this after each committed change to users, roles, clients or their tenants. */
  function forget(): void {
    known = new Map();
  }

  async function loadThroughCache<T>(key: string, load: () => Promise<T | null>): Promise<T | null> {
    if (!storage.singleNode) await comparison.run();
    const entries = known;
    const found = entries.get(key) as Promise<T | null> | undefined;
    if (found !== undefined) return found;
    // Maps keep insertion order, so the first key is the oldest.
    const [oldest] = entries.size >= MAX_CACHED_PRINCIPALS ? entries.keys() : [];
    if (oldest !== undefined) entries.delete(oldest);
    const loading = load();
    entries.set(key, loading);
    let value: T | null = null;
    try {
      value = await loading;
      return value;
    } finally {
      // Errors and unknown names are not cached, because a stranger can invent any number of names.
      if (value === null) entries.delete(key);
    }
  }

  async function compare(): Promise<void> {
    const revision = await storage.security.revision();
    if (revision === cachedRevision) return;
    cachedRevision = revision;
    forget();
  }

  async function load(kind: 'USER' | 'CLIENT', name: string): Promise<Principal | null> {
    const { security, system } = storage;
    const isClient = kind === PrincipalKind.CLIENT;
    const found = await (isClient ? security.findClientByName(name) : system.findUserByName(name));
    if (!found?.isActive) return null;
    const { credentialVersion, allTenants, tenantIds } = found;
    const direct = 'permissions' in found ? found.permissions : [];
    const permissions = joinPermissions([direct, await permissionsOfRoles(security, found.roles)]);
    return { kind, name: found.name, credentialVersion, permissions, allTenants, tenantIds };
  }

  return {
    forget,

    async find(kind: 'USER' | 'CLIENT', name: string): Promise<Principal | null> {
      return isStorable(name) ? await loadThroughCache(`${kind} ${name}`, () => load(kind, name)) : null;
    },

    /** Returns the permissions of roles. Unknown roles have no permissions. */
    async permissionsOf(roles: readonly string[]): Promise<readonly string[]> {
      const names = roles.filter(isStorable);
      return (
        (await loadThroughCache(`ROLES ${JSON.stringify(names)}`, () =>
          permissionsOfRoles(storage.security, names),
        )) ?? []
      );
    },
  };
}

export type Principals = ReturnType<typeof principalCache>;

export function isGranted(grants: TenantGrants, tenantId: Uuid): boolean {
  return grants.allTenants || grants.tenantIds.includes(tenantId);
}

/**
 * Returns the ids of the tenants that a login session can access without the tenant's secret (platform §6.2 rule 4).
 * Null means all tenants. For users who have access to all tenants but are not administrators, only the secret
 * separates tenants. The sessions of these users therefore cannot access any tenant without its secret.
 */
export function tenantsOfSession({
  permissions,
  allTenants,
  tenantIds,
}: Pick<Principal, 'permissions' | keyof TenantGrants>): readonly Uuid[] | null {
  if (!allTenants) return tenantIds;
  return permissions.some((each) => each === '*' || each === ALL_PERMISSIONS) ? null : [];
}
