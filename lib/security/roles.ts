import type { Ports } from '../ports/index.ts';
import { systemAuthorshipOf } from '../runtime/index.ts';
import { type BillingError, billingError, ErrorCode } from '../values/errors/index.ts';
import { isStorable, shortenText } from '../values/text/index.ts';
import { checkBy, checkHeld, checkName, checkNewRole, checkRoleManaged } from './managing.ts';
import { BUILT_IN_ROLES, checkKnownPermissions, normalisePermissions } from './permissions.ts';
import type { Principals } from './principals.ts';
import type { RoleDefinition, RoleOperations } from './security-operations.ts';

type RolePorts = Pick<Ports, 'storage' | 'ids' | 'clock'>;

/**
 * Operations on roles, which are named sets of permissions (platform §8). Changes take effect immediately on every
 * node.
 */
export function roleOperations(ports: RolePorts, principals: Principals): RoleOperations {
  function roleOf({ name, permissions }: RoleDefinition) {
    checkName('RoleDefinitionJson role', name);
    const normalised = normalisePermissions(permissions);
    checkKnownPermissions(normalised);
    return { id: ports.ids.next(), name, permissions: normalised };
  }

  return {
    async list() {
      const stored = await ports.storage.security.listRoles();
      const builtIn = [...BUILT_IN_ROLES].map(([name, permissions]) => ({ name, permissions }));
      return [...builtIn, ...stored].toSorted((one, other) => (one.name < other.name ? -1 : 1));
    },

    async get(name) {
      const builtIn = BUILT_IN_ROLES.get(name);
      if (builtIn !== undefined) return { name, permissions: builtIn };
      const [role] = isStorable(name) ? await ports.storage.security.findRoles([name]) : [];
      return role ?? { name, permissions: [] };
    },

    async create(author, definition) {
      const role = roleOf(definition);
      const authorship = systemAuthorshipOf(author, ports);
      const { security } = ports.storage;
      const check = checkBy(author, async (manager, now) => {
        checkHeld(manager, role.permissions);
        const [known] = await now.findRoles([role.name]);
        if (known === undefined) await checkNewRole(manager, role.name, now);
      });
      const isNew = !BUILT_IN_ROLES.has(role.name) && (await security.insertRole(role, authorship, check));
      if (!isNew) throw alreadyExists(role.name);
      principals.forget();
    },

    async put(author, definition) {
      const role = roleOf(definition);
      if (BUILT_IN_ROLES.has(role.name)) throw alreadyExists(role.name);
      const check = checkBy(author, async (manager, now) => {
        checkHeld(manager, role.permissions);
        await checkRoleManaged(manager, role.name, now);
      });
      await ports.storage.security.putRole(role, systemAuthorshipOf(author, ports), check);
      principals.forget();
    },
  };
}

function alreadyExists(name: string): BillingError {
  const isBuiltIn = BUILT_IN_ROLES.has(name);
  return billingError(
    ErrorCode.SECURITY_ROLE_ALREADY_EXISTS,
    isBuiltIn
      ? `The role "${name}" is built in and cannot be changed`
      : `A role "${shortenText(name)}" already exists`,
    { role: name },
  );
}
