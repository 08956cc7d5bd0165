import type { Ports } from '../ports/index.ts';
import type { Storage } from '../ports/storage/index.ts';
import type { Authorship, Leading, Page, PageRequest, Tenant, TenantRef } from '../records/index.ts';
import { BillingError, billingError, ErrorCode, invalidField } from '../values/errors/index.ts';
import type { Plain } from '../values/host-values/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { checkStorable, isStorable, shortenText } from '../values/text/index.ts';
import type { SettingDescription } from './configuration/property-texts.ts';
import type { TenantSettings } from './configuration/settings.ts';

/** The author of a new tenant. */
export interface TenantAuthor {
  readonly userName: string;
  readonly reasonCode?: string | null;
  readonly comments?: string | null;
  /** Token of the call. Defaults to a new id. */
  readonly userToken?: Uuid;
}

export interface NewTenantInput {
  readonly externalKey?: string | null;
  /** The API key, which has 1–128 characters and is unique in the deployment. */
  readonly apiKey: string;
  readonly apiSecret: string;
  /** If true, the tenant uses the default catalog until it uploads its own catalog (catalog §14). Defaults to false. */
  readonly useGlobalDefault?: boolean;
  /**
   * Name of the tenant's cell, in a deployment with cells. Defaults to the cell with the fewest accounts among the cells
   * that respond. `ensure` leaves an existing tenant in its cell.
   */
  readonly cell?: string | null;
}

/** Conditions on the tenants of a list. */
export interface TenantListChoice {
  /** Ids of the tenants to return. By default, all tenants are returned. */
  readonly ids?: readonly Uuid[] | null;
  /**
   * The characters with which the API key must start. The comparison is case-sensitive. By default, tenants with any
   * key are returned.
   */
  readonly apiKeyPrefix?: string | null;
}

const MAX_API_KEY_LENGTH = 128;
const MAX_EXTERNAL_KEY_LENGTH = 255;

/**
 * Creates the operations on tenants (platform §2). Tenants are never changed or deleted, so their references can be
 * cached without a time limit.
 */
export function tenantService(ports: Pick<Ports, 'storage' | 'ids' | 'hasher' | 'clock'>) {
  const refsByRecordId = new Map<number, TenantRef>();
  const refsById = new Map<Uuid, TenantRef>();

  async function find(tenantId: Uuid, { system }: Pick<Storage, 'system'>): Promise<Tenant> {
    const [tenant] = await system.findTenantsByIds([tenantId]);
    if (tenant) return tenant;
    throw billingError(ErrorCode.TENANT_DOES_NOT_EXIST_FOR_ID, `Tenant does not exist for id ${tenantId}`, {
      tenantId,
    });
  }

  function authorshipOf(author: TenantAuthor): Authorship {
    checkStorable('User', author.userName);
    checkStorable('Reason', author.reasonCode);
    checkStorable('Comment', author.comments);
    const userToken = author.userToken ?? ports.ids.next();
    return {
      userName: author.userName,
      reasonCode: author.reasonCode ?? null,
      comments: author.comments ?? null,
      createdDate: ports.clock.now(),
      userTokenOf: () => userToken,
    };
  }

  function remember(tenant: Tenant): TenantRef {
    const ref: TenantRef = { id: tenant.id, recordId: tenant.recordId };
    refsById.set(ref.id, ref);
    refsByRecordId.set(ref.recordId, ref);
    return ref;
  }

  async function create(author: TenantAuthor, input: NewTenantInput): Promise<Tenant> {
    checkInput(input);
    const { storage, ids, hasher } = ports;
    const authorship = authorshipOf(author);
    const tenant = {
      id: ids.next(),
      externalKey: input.externalKey || null,
      apiKey: input.apiKey,
      apiSecretHash: await hasher.hash(input.apiSecret),
      useGlobalDefault: input.useGlobalDefault ?? false,
      catalogRevision: 0,
      configurationRecordId: null,
      overdueConfigRecordId: null,
      callbackRecordId: null,
      stateMachineRevision: null,
      usageThresholdsRecordId: null,
      createdDate: authorship.createdDate,
    };
    return storage.system.insertTenant(tenant, authorship);
  }

  /**
   * Returns the tenant with this API key if it was created with the same input. Returns null if no tenant has the API
   * key.
   */
  async function findExistingTenant(input: NewTenantInput): Promise<Tenant | null> {
    const { storage, hasher } = ports;
    const tenant = await storage.system.findTenantByApiKey(input.apiKey);
    if (!tenant) return null;
    const different = (field: string) =>
      billingError(
        ErrorCode.TENANT_ALREADY_EXISTS,
        `Tenant with api key ${shortenText(input.apiKey)} exists with another ${field}`,
        { apiKey: input.apiKey, field },
      );
    if (!(await hasher.verify(input.apiSecret, tenant.apiSecretHash))) throw different('apiSecret');
    const { externalKey = tenant.externalKey, useGlobalDefault = tenant.useGlobalDefault } = input;
    if ((externalKey || null) !== tenant.externalKey) throw different('externalKey');
    if (useGlobalDefault !== tenant.useGlobalDefault) throw different('useGlobalDefault');
    return tenant;
  }

  return {
    create,

    async ensure(author: TenantAuthor, input: NewTenantInput): Promise<Tenant> {
      checkInput(input);
      const known = await findExistingTenant(input);
      if (known) return known;
      try {
        return await create(author, input);
      } catch (error) {
        // Another process may have created the tenant in the meantime.
        if (!(error instanceof BillingError) || error.code !== ErrorCode.TENANT_ALREADY_EXISTS) throw error;
        const created = await findExistingTenant(input);
        if (created === null) throw error;
        return created;
      }
    },

    async get(tenantId: Uuid): Promise<Tenant> {
      return find(tenantId, ports.storage);
    },

    async getByApiKey(apiKey: string): Promise<Tenant> {
      checkStorable('Tenant apiKey', apiKey);
      const tenant = await ports.storage.system.findTenantByApiKey(apiKey);
      if (tenant) return tenant;
      throw billingError(
        ErrorCode.TENANT_DOES_NOT_EXIST_FOR_API_KEY,
        `Tenant does not exist for api key ${shortenText(apiKey)}`,
        { apiKey },
      );
    },

    async page(request: PageRequest, choice: TenantListChoice = {}): Promise<Page<Tenant>> {
      const { ids = null, apiKeyPrefix } = choice;
      checkStorable('Tenant apiKey', apiKeyPrefix);
      return ports.storage.system.pageTenants({ ids, apiKeyPrefix: apiKeyPrefix ?? '' }, request);
    },

    async authenticate(apiKey: string, apiSecret: string): Promise<TenantRef | null> {
      const { storage, hasher } = ports;
      const tenant = isStorable(apiKey) ? await storage.system.findTenantByApiKey(apiKey) : null;
      const matches = await hasher.verify(apiSecret, tenant?.apiSecretHash ?? null);
      if (!tenant || !matches) return null;
      if (hasher.isWeaker(tenant.apiSecretHash)) {
        const to = await hasher.hash(apiSecret);
        await storage.security.rehashTenant(apiKey, { from: tenant.apiSecretHash, to });
      }
      return remember(tenant);
    },

    async refOf(tenantId: Uuid, storage: Pick<Storage, 'system'> = ports.storage): Promise<TenantRef> {
      return refsById.get(tenantId) ?? remember(await find(tenantId, storage));
    },

    /** Returns the ids of the tenants with these record ids. */
    async idsOfRecords(recordIds: readonly number[]): Promise<ReadonlyMap<number, Uuid>> {
      const unknown = recordIds.filter((recordId) => !refsByRecordId.has(recordId));
      if (unknown.length > 0) {
        for (const tenant of await ports.storage.system.findTenantsByRecordIds(unknown)) remember(tenant);
      }
      return new Map(
        recordIds.flatMap((recordId) => {
          const ref = refsByRecordId.get(recordId);
          return ref === undefined ? [] : [[recordId, ref.id] as const];
        }),
      );
    },

    /** Returns the tenant with this record id. Queue entries contain the record id of their tenant. */
    async refOfRecord(recordId: number): Promise<TenantRef> {
      const known = refsByRecordId.get(recordId);
      if (known) return known;
      const [tenant] = await ports.storage.system.findTenantsByRecordIds([recordId]);
      if (!tenant) throw new Error(`queue entry names tenant record ${recordId}, which does not exist`);
      return remember(tenant);
    },
  };
}

export type TenantService = ReturnType<typeof tenantService>;

function checkInput(input: NewTenantInput): void {
  for (const field of ['apiKey', 'apiSecret'] as const) {
    if (!input[field]) throw invalidField(`TenantJson ${field} needs to be set`, { field });
  }
  if (input.cell != null)
    throw invalidField(`There is no cell "${input.cell}", because this deployment has no cells`, {
      field: 'cell',
    });
  checkStorable('Tenant apiKey', input.apiKey);
  checkStorable('Tenant externalKey', input.externalKey);
  if (input.apiKey.length > MAX_API_KEY_LENGTH) {
    throw invalidField(`Tenant apiKey is longer than ${MAX_API_KEY_LENGTH} characters`, { field: 'apiKey' });
  }
  if ((input.externalKey?.length ?? 0) > MAX_EXTERNAL_KEY_LENGTH) {
    throw billingError(
      ErrorCode.EXTERNAL_KEY_LIMIT_EXCEEDED,
      `External key is longer than ${MAX_EXTERNAL_KEY_LENGTH} characters`,
    );
  }
}

/** Tenants of the deployment. */
export interface TenantOperations {
  /**
   * Creates a tenant. Only a hash of the secret is stored.
   * @throws BillingError TENANT_ALREADY_EXISTS (20000), MISSING_OR_INVALID_FIELD, EXTERNAL_KEY_LIMIT_EXCEEDED (5).
   */
  create(author: TenantAuthor, input: NewTenantInput): Promise<Plain<Tenant>>;

  /**
   * Returns the tenant with this API key. Creates the tenant if it does not exist. Applications call this function at
   * each start.
   * @throws BillingError TENANT_ALREADY_EXISTS (20000) if the tenant exists with another secret or external key, or
   * with another `useGlobalDefault` (if specified). Also throws the errors of `create`.
   */
  ensure(author: TenantAuthor, input: NewTenantInput): Promise<Plain<Tenant>>;

  /** Returns the tenant with this id. @throws BillingError TENANT_DOES_NOT_EXIST_FOR_ID (20001). */
  get(tenantId: Uuid | string): Promise<Plain<Tenant>>;

  /** Returns the tenant with this API key. @throws BillingError TENANT_DOES_NOT_EXIST_FOR_API_KEY (20003). */
  getByApiKey(apiKey: string): Promise<Plain<Tenant>>;

  /** Returns a page of tenants, sorted by API key. @throws BillingError MISSING_OR_INVALID_FIELD (60003). */
  page(request: PageRequest, choice?: TenantListChoice): Promise<Page<Plain<Tenant>>>;

  /**
   * Returns the tenant with this API key and secret, or null. The check takes as long for an unknown key as for a wrong
   * secret.
   */
  authenticate(apiKey: string, apiSecret: string): Promise<TenantRef | null>;

  /**
   * Returns the reference of a tenant. Other operations accept the reference instead of the id.
   * @throws BillingError TENANT_DOES_NOT_EXIST_FOR_ID (20001).
   */
  refOf(tenantId: Uuid | string): Promise<TenantRef>;
}

/** Operations that return a tenant's current settings. */
export interface ConfigurationOperations<C extends Leading = []> {
  /** Returns the current settings by property name without prefix, such as `payment.retry.days` (platform §4.1). */
  settings(...given: C): Promise<TenantSettings>;

  /** Returns a description of each property in `settings`: its effect and its valid values (platform §4.2). */
  describe(...given: C): Promise<readonly SettingDescription[]>;
}
