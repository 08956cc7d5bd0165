import type { Ports } from '../ports/index.ts';
import type { UserChange } from '../ports/storage/index.ts';
import {
  type Principal,
  PrincipalKind,
  type SystemAuthor,
  type TenantGrants,
  type User,
} from '../records/index.ts';
import { systemAuthorshipOf } from '../runtime/index.ts';
import { type BillingError, billingError, ErrorCode, invalidField } from '../values/errors/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { isStorable, shortened } from '../values/text/index.ts';
import {
  checkBy,
  checkGiven,
  checkManaged,
  checkName,
  checkRolesHeld,
  checkSecret,
  existingRoles,
  existingTenants,
  isManagedBy,
  isSelf,
  possibleRoles,
} from './managing.ts';
import type { Principals } from './principals.ts';

export interface NewUserInput {
  /** 1–128 characters. */
  readonly name: string;
  readonly password: string;
  /** Existing roles, unless `allowsUndefinedRoles`. */
  readonly roles: readonly string[];
  /** Allows undefined roles, which grant nothing until they exist (R63). Default false. */
  readonly allowsUndefinedRoles?: boolean;
  /** Absent = all tenants. */
  readonly tenantIds?: readonly Uuid[];
}

export type UserRolesInput = Pick<NewUserInput, 'name' | 'roles' | 'allowsUndefinedRoles'>;

export interface PasswordPolicy {
  /** True: accepts passwords of fewer than 8 characters, as in test mode. */
  readonly allowShort: boolean;
}

type UserPorts = Pick<Ports, 'storage' | 'ids' | 'hasher' | 'clock'>;

/** Users of the server and their permissions (platform §8). Changes take effect at once on every node. */
export class Users {
  readonly #ports: UserPorts;
  readonly #principals: Principals;

  constructor(ports: UserPorts, principals: Principals) {
    this.#ports = ports;
    this.#principals = principals;
  }

  async create(author: SystemAuthor, input: NewUserInput, policy: PasswordPolicy): Promise<void> {
    const authorship = systemAuthorshipOf(author, this.#ports);
    checkUserName(input.name);
    checkSecret('UserRolesJson password', input.password, policy);
    const allTenants = input.tenantIds === undefined;
    checkGiven(author.principal, { allTenants, tenantIds: input.tenantIds ?? [] });
    const roles = await this.#rolesOf(input);
    const tenantIds = await existingTenants(this.#ports, input.tenantIds ?? []);
    const { storage, ids, hasher } = this.#ports;
    const user = {
      id: ids.next(),
      name: input.name,
      passwordHash: await hasher.hash(input.password),
      credentialVersion: 1,
      permissions: [],
      roles,
      allTenants,
      tenantIds,
      isActive: true,
    };
    const check = checkBy(author, (manager, now) => checkRolesHeld(manager, roles, now));
    if (await storage.security.insertUser(user, authorship, check)) return this.#principals.forget();
    throw billingError(
      ErrorCode.SECURITY_USER_ALREADY_EXISTS,
      `There is a user "${shortened(input.name)}" already`,
      { user: input.name },
    );
  }

  async get(name: string, viewer?: Principal | null): Promise<User> {
    const user = isStorable(name) ? await this.#ports.storage.system.findUserByName(name) : null;
    if (!user?.isActive) throw noSuchUser(name);
    if (viewer && !isSelf(viewer, PrincipalKind.USER, name) && !isManagedBy(viewer, user))
      throw noSuchUser(name);
    return user;
  }

  async changePassword(
    author: SystemAuthor,
    input: { readonly name: string; readonly password: string },
    policy: PasswordPolicy,
  ): Promise<void> {
    checkSecret('UserRolesJson password', input.password, policy);
    await this.#changeable(author, input.name);
    const passwordHash = await this.#ports.hasher.hash(input.password);
    await this.#change(author, input.name, { values: { passwordHash }, isCredential: true });
  }

  async setRoles(author: SystemAuthor, input: UserRolesInput): Promise<void> {
    await this.#changeable(author, input.name);
    const roles = await this.#rolesOf(input);
    await this.#change(author, input.name, { values: { roles }, isCredential: true });
  }

  async setGrants(author: SystemAuthor, input: TenantGrants & { readonly name: string }): Promise<void> {
    await this.#changeable(author, input.name);
    checkGiven(author.principal, input);
    const tenantIds = await existingTenants(this.#ports, input.tenantIds);
    const values = { allTenants: input.allTenants, tenantIds };
    await this.#change(author, input.name, { values, isCredential: false });
  }

  async deactivate(author: SystemAuthor, name: string): Promise<void> {
    await this.#changeable(author, name);
    await this.#change(author, name, { values: { isActive: false }, isCredential: true });
  }

  async #rolesOf({ roles, allowsUndefinedRoles = false }: UserRolesInput): Promise<readonly string[]> {
    return allowsUndefinedRoles ? possibleRoles(roles) : existingRoles(this.#ports, roles);
  }

  /** @throws BillingError SECURITY_INVALID_USER for an unknown user and the configured administrator. */
  async #changeable(author: SystemAuthor, name: string): Promise<void> {
    const user = await this.get(name, author.principal);
    if (user.permissions.length === 0) return;
    throw billingError(
      ErrorCode.SECURITY_INVALID_USER,
      `User "${shortened(name)}" is set up by the server's configuration and is not changed here`,
      { user: name },
    );
  }

  async #change(
    author: SystemAuthor,
    name: string,
    change: { readonly values: Partial<UserChange>; readonly isCredential: boolean },
  ): Promise<void> {
    const authorship = systemAuthorshipOf(author, this.#ports);
    const check = checkBy(author, async (manager, now) => {
      const managed = { kind: PrincipalKind.USER, record: await now.findUser(name) };
      await checkManaged(manager, managed, { now, unknown: noSuchUser });
      await checkRolesHeld(manager, change.values.roles ?? [], now);
    });
    const { security } = this.#ports.storage;
    const changed = await security.updateUser(name, { ...change, check }, authorship);
    if (changed === null) throw noSuchUser(name);
    this.#principals.forget();
  }
}

/** A name with a colon could never log in by Basic (RFC 7617 §2). */
function checkUserName(name: string): void {
  checkName('UserRolesJson username', name);
  if (!name.includes(':')) return;
  throw invalidField('UserRolesJson username must not hold a colon', { field: 'username' });
}

export function noSuchUser(name: string): BillingError {
  return billingError(ErrorCode.SECURITY_INVALID_USER, `There is no user "${shortened(name)}"`, {
    user: name,
  });
}
