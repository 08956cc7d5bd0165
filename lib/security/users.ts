import type { Ports } from '../ports/index.ts';
import type { UserChange } from '../ports/storage/index.ts';
import { type ApiClient, PrincipalKind, type SystemAuthor } from '../records/index.ts';
import { systemAuthorshipOf } from '../runtime/index.ts';
import { type BillingError, billingError, ErrorCode, invalidField } from '../values/errors/index.ts';
import { isStorable, shortenText } from '../values/text/index.ts';
import {
  checkBy,
  checkGrantable,
  checkManaged,
  checkName,
  checkRolesHeld,
  checkSecret,
  existingRoles,
  existingTenants,
  isVisibleTo,
  possibleRoles,
} from './managing.ts';
import type { Principals } from './principals.ts';
import type {
  ApiClientOperations,
  NewUserInput,
  UserOperations,
  UserRolesInput,
} from './security-operations.ts';

type UserPorts = Pick<Ports, 'storage' | 'ids' | 'hasher' | 'clock'>;

/**
 * Creates the operations on users of the server and their permissions (platform §8). Changes take effect immediately on
 * every node.
 */
export function userOperations(ports: UserPorts, principals: Principals): UserOperations {
  const { storage, ids, hasher } = ports;

  /**
   * Checks that a user can be changed.
   * @throws BillingError SECURITY_INVALID_USER for an unknown user or the configured administrator.
   */
  async function checkChangeable({ principal }: SystemAuthor, name: string): Promise<void> {
    const { permissions } = await operations.get(name, principal);
    if (permissions.length === 0) return;
    throw billingError(
      ErrorCode.SECURITY_INVALID_USER,
      `User "${shortenText(name)}" is defined by the server's configuration and cannot be changed here`,
      { user: name },
    );
  }

  async function change(
    author: SystemAuthor,
    name: string,
    changed: { readonly values: Partial<UserChange>; readonly isCredential: boolean },
  ): Promise<void> {
    const authorship = systemAuthorshipOf(author, ports);
    const check = checkBy(author, async (manager, now) => {
      const managed = { kind: PrincipalKind.USER, record: await now.findUser(name) };
      await checkManaged(manager, managed, { now, unknown: noSuchUser });
      await checkRolesHeld(manager, changed.values.roles ?? [], now);
    });
    const stored = await storage.security.updateUser(name, { ...changed, check }, authorship);
    if (stored === null) throw noSuchUser(name);
    principals.forget();
  }

  const operations: UserOperations = {
    async create(author, input, policy) {
      const authorship = systemAuthorshipOf(author, ports);
      checkUserName(input.name);
      checkSecret('UserRolesJson password', input.password, policy);
      const granted = await checkedGrants(ports, author, input);
      const user = {
        ...granted,
        id: ids.next(),
        name: input.name,
        passwordHash: await hasher.hash(input.password),
        credentialVersion: 1,
        permissions: [],
        isActive: true,
      };
      const check = checkBy(author, (manager, now) => checkRolesHeld(manager, granted.roles, now));
      if (await storage.security.insertUser(user, authorship, check)) return principals.forget();
      throw alreadyExists('user', input.name);
    },

    async get(name, viewer) {
      const user = isStorable(name) ? await storage.system.findUserByName(name) : null;
      if (!user?.isActive || !isVisibleTo(viewer, PrincipalKind.USER, user)) throw noSuchUser(name);
      return user;
    },

    async page({ offset, limit }, viewer) {
      const users = await storage.security.listUsers();
      const visible = users.filter((user) => isVisibleTo(viewer, PrincipalKind.USER, user));
      const ordered = limit < 0 ? visible.toReversed() : visible;
      const rows = ordered.slice(offset, offset + Math.abs(limit));
      return { rows, total: visible.length, max: visible.length };
    },

    async changePassword(author, { name, password }, policy) {
      checkSecret('UserRolesJson password', password, policy);
      await checkChangeable(author, name);
      const passwordHash = await hasher.hash(password);
      await change(author, name, { values: { passwordHash }, isCredential: true });
    },

    async setRoles(author, input) {
      await checkChangeable(author, input.name);
      const roles = await checkedRoles(ports, input);
      await change(author, input.name, { values: { roles }, isCredential: true });
    },

    async setGrants(author, input) {
      await checkChangeable(author, input.name);
      checkGrantable(author.principal, input);
      const tenantIds = await existingTenants(ports, input.tenantIds);
      const values = { allTenants: input.allTenants, tenantIds };
      await change(author, input.name, { values, isCredential: false });
    },

    async deactivate(author, name) {
      await checkChangeable(author, name);
      await change(author, name, { values: { isActive: false }, isCredential: true });
    },
  };
  return operations;
}

/** Creates the operations on applications that get tokens with their own secret (platform §6.5 rule 4). */
export function apiClientOperations(ports: UserPorts, principals: Principals): ApiClientOperations {
  const { hasher, ids, storage } = ports;
  const { security } = storage;

  async function find(name: string): Promise<ApiClient | null> {
    const client = isStorable(name) ? await security.findClientByName(name) : null;
    return client?.isActive ? client : null;
  }

  return {
    async create(author, input, policy) {
      const authorship = systemAuthorshipOf(author, ports);
      checkName('ApiClientJson clientId', input.name);
      checkSecret('ApiClientJson clientSecret', input.secret, policy);
      const granted = await checkedGrants(ports, author, input);
      const client = {
        ...granted,
        id: ids.next(),
        name: input.name,
        secretHash: await hasher.hash(input.secret),
        credentialVersion: 1,
        isActive: true,
      };
      const check = checkBy(author, (manager, now) => checkRolesHeld(manager, granted.roles, now));
      if (await security.insertClient(client, authorship, check)) return principals.forget();
      throw alreadyExists('client', input.name);
    },

    async get(name, viewer) {
      const client = await find(name);
      if (client === null || !isVisibleTo(viewer, PrincipalKind.CLIENT, client)) throw noSuchClient(name);
      return client;
    },

    async authenticate(name, secret) {
      const client = await find(name);
      const rehash = security.rehashClient.bind(security, name);
      return (await hasSecret(hasher, secret, { hash: client?.secretHash, rehash })) ? client : null;
    },

    async deactivate(author, name) {
      const authorship = systemAuthorshipOf(author, ports);
      const check = checkBy(author, async (manager, now) => {
        const managed = { kind: PrincipalKind.CLIENT, record: await now.findClient(name) };
        await checkManaged(manager, managed, { now, unknown: noSuchClient });
      });
      const isDone = isStorable(name) && (await security.deactivateClient(name, authorship, check));
      if (!isDone) throw noSuchClient(name);
      principals.forget();
    },
  };
}

/**
 * Checks a password or secret, and replaces a weak hash. The check takes as much time for a missing hash as for a wrong
 * secret.
 */
export async function hasSecret(
  hasher: Ports['hasher'],
  secret: string,
  stored: {
    readonly hash: string | undefined;
    readonly rehash: (change: { readonly from: string; readonly to: string }) => Promise<unknown>;
  },
): Promise<boolean> {
  const { hash: from } = stored;
  const matches = await hasher.verify(secret, from ?? null);
  if (from === undefined || !matches) return false;
  if (hasher.isWeaker(from)) await stored.rehash({ from, to: await hasher.hash(secret) });
  return true;
}

function checkedRoles(
  ports: UserPorts,
  { roles, allowsUndefinedRoles = false }: Pick<UserRolesInput, 'roles' | 'allowsUndefinedRoles'>,
) {
  return allowsUndefinedRoles ? possibleRoles(roles) : existingRoles(ports, roles);
}

/** Checks the roles and tenants of a new user or client, and returns them. */
async function checkedGrants(
  ports: UserPorts,
  { principal }: SystemAuthor,
  input: Pick<NewUserInput, 'roles' | 'allowsUndefinedRoles' | 'tenantIds'>,
) {
  const { tenantIds = [] } = input;
  const allTenants = input.tenantIds === undefined;
  checkGrantable(principal, { allTenants, tenantIds });
  const roles = await checkedRoles(ports, input);
  return { roles, allTenants, tenantIds: await existingTenants(ports, tenantIds) };
}

/**
 * Rejects names that contain a colon. A user with such a name could never log in with Basic authentication (RFC 7617
 * §2).
 */
function checkUserName(name: string): void {
  checkName('UserRolesJson username', name);
  if (!name.includes(':')) return;
  throw invalidField('UserRolesJson username must not contain a colon', { field: 'username' });
}

function alreadyExists(kind: 'user' | 'client', name: string): BillingError {
  const message = `A ${kind} "${shortenText(name)}" already exists`;
  return billingError(ErrorCode.SECURITY_USER_ALREADY_EXISTS, message, { [kind]: name });
}

export function noSuchUser(name: string): BillingError {
  return unknown('user', name);
}

function noSuchClient(name: string): BillingError {
  return unknown('client', name);
}

function unknown(kind: 'user' | 'client', name: string): BillingError {
  const message = `There is no ${kind} "${shortenText(name)}"`;
  return billingError(ErrorCode.SECURITY_INVALID_USER, message, { [kind]: name });
}
