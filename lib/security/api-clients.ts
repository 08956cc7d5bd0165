import type { Ports } from '../ports/index.ts';
import { type ApiClient, type Principal, PrincipalKind, type SystemAuthor } from '../records/index.ts';
import { systemAuthorshipOf } from '../runtime/index.ts';
import { type BillingError, billingError, ErrorCode } from '../values/errors/index.ts';
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
} from './managing.ts';
import type { Principals } from './principals.ts';
import type { PasswordPolicy } from './users.ts';

export interface NewApiClientInput {
  /** 1–128 characters. */
  readonly name: string;
  readonly secret: string;
  readonly roles: readonly string[];
  /** Absent = all tenants. */
  readonly tenantIds?: readonly Uuid[];
}

type ClientPorts = Pick<Ports, 'storage' | 'ids' | 'hasher' | 'clock'>;

/** Applications that get tokens by their own secret (platform §6.5 rule 4). */
export class ApiClients {
  readonly #ports: ClientPorts;
  readonly #principals: Principals;

  constructor(ports: ClientPorts, principals: Principals) {
    this.#ports = ports;
    this.#principals = principals;
  }

  async create(author: SystemAuthor, input: NewApiClientInput, policy: PasswordPolicy): Promise<void> {
    const authorship = systemAuthorshipOf(author, this.#ports);
    checkName('ApiClientJson clientId', input.name);
    checkSecret('ApiClientJson clientSecret', input.secret, policy);
    const allTenants = input.tenantIds === undefined;
    checkGiven(author.principal, { allTenants, tenantIds: input.tenantIds ?? [] });
    const roles = await existingRoles(this.#ports, input.roles);
    const tenantIds = await existingTenants(this.#ports, input.tenantIds ?? []);
    const { storage, ids, hasher } = this.#ports;
    const client = {
      id: ids.next(),
      name: input.name,
      secretHash: await hasher.hash(input.secret),
      credentialVersion: 1,
      roles,
      allTenants,
      tenantIds,
      isActive: true,
    };
    const check = checkBy(author, (manager, now) => checkRolesHeld(manager, roles, now));
    if (await storage.security.insertClient(client, authorship, check)) return this.#principals.forget();
    throw billingError(
      ErrorCode.SECURITY_USER_ALREADY_EXISTS,
      `There is a client "${shortened(input.name)}" already`,
      { client: input.name },
    );
  }

  async get(name: string, viewer?: Principal | null): Promise<ApiClient> {
    const client = isStorable(name) ? await this.#ports.storage.security.findClientByName(name) : null;
    if (!client?.isActive) throw noSuchClient(name);
    if (viewer && !isSelf(viewer, PrincipalKind.CLIENT, name) && !isManagedBy(viewer, client))
      throw noSuchClient(name);
    return client;
  }

  async authenticate(name: string, secret: string): Promise<ApiClient | null> {
    const { storage, hasher } = this.#ports;
    const found = isStorable(name) ? await storage.security.findClientByName(name) : null;
    const client = found?.isActive ? found : null;
    const matches = await hasher.verify(secret, client?.secretHash ?? null);
    if (!client || !matches) return null;
    if (hasher.isWeaker(client.secretHash)) {
      const to = await hasher.hash(secret);
      await storage.security.rehashClient(name, { from: client.secretHash, to });
    }
    return client;
  }

  async deactivate(author: SystemAuthor, name: string): Promise<void> {
    const { storage } = this.#ports;
    const authorship = systemAuthorshipOf(author, this.#ports);
    const check = checkBy(author, async (manager, now) => {
      const managed = { kind: PrincipalKind.CLIENT, record: await now.findClient(name) };
      await checkManaged(manager, managed, { now, unknown: noSuchClient });
    });
    const isDone = isStorable(name) && (await storage.security.deactivateClient(name, authorship, check));
    if (!isDone) throw noSuchClient(name);
    this.#principals.forget();
  }
}

function noSuchClient(name: string): BillingError {
  return billingError(ErrorCode.SECURITY_INVALID_USER, `There is no client "${shortened(name)}"`, {
    client: name,
  });
}
