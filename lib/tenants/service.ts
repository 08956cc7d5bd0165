import type { Ports } from '../ports/index.ts';
import type { Storage } from '../ports/storage/index.ts';
import type { Authorship, Leading, Tenant, TenantRef } from '../records/index.ts';
import { billingError, ErrorCode, invalidField } from '../values/errors/index.ts';
import type { Plain } from '../values/given/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { checkStorable, isStorable, shortened } from '../values/text/index.ts';
import type { TenantSettings } from './configuration/settings.ts';

/** Who creates a tenant: a call that belongs to no tenant yet. */
export interface TenantAuthor {
  readonly userName: string;
  readonly reasonCode?: string | null;
  readonly comments?: string | null;
  /** Default: a new id. */
  readonly userToken?: Uuid;
}

export interface NewTenantInput {
  readonly externalKey?: string | null;
  /** 1–128 characters, unique in the deployment. */
  readonly apiKey: string;
  readonly apiSecret: string;
  /** True: the tenant uses the default catalog until it uploads its own (catalog §14). Default false. */
  readonly useGlobalDefault?: boolean;
}

const MAX_API_KEY_LENGTH = 128;
const MAX_EXTERNAL_KEY_LENGTH = 255;

/** Tenants of the deployment (platform §2). They are never changed or deleted, so references are cached for good. */
export class TenantService {
  readonly #ports: Pick<Ports, 'storage' | 'ids' | 'hasher' | 'clock'>;
  readonly #refsByRecordId = new Map<number, TenantRef>();
  readonly #refsById = new Map<Uuid, TenantRef>();

  constructor(ports: Pick<Ports, 'storage' | 'ids' | 'hasher' | 'clock'>) {
    this.#ports = ports;
  }

  async create(author: TenantAuthor, input: NewTenantInput): Promise<Tenant> {
    checkInput(input);
    const { storage, ids, hasher } = this.#ports;
    const authorship = this.#authorshipOf(author);
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

  async get(tenantId: Uuid): Promise<Tenant> {
    return this.#find(tenantId, this.#ports.storage);
  }

  async #find(tenantId: Uuid, { system }: Pick<Storage, 'system'>): Promise<Tenant> {
    const [tenant] = await system.findTenantsByIds([tenantId]);
    if (tenant) return tenant;
    throw billingError(ErrorCode.TENANT_DOES_NOT_EXIST_FOR_ID, `Tenant does not exist for id ${tenantId}`, {
      tenantId,
    });
  }

  async getByApiKey(apiKey: string): Promise<Tenant> {
    checkStorable('Tenant apiKey', apiKey);
    const tenant = await this.#ports.storage.system.findTenantByApiKey(apiKey);
    if (tenant) return tenant;
    throw billingError(
      ErrorCode.TENANT_DOES_NOT_EXIST_FOR_API_KEY,
      `Tenant does not exist for api key ${shortened(apiKey)}`,
      { apiKey },
    );
  }

  async authenticate(apiKey: string, apiSecret: string): Promise<TenantRef | null> {
    const { storage, hasher } = this.#ports;
    const tenant = isStorable(apiKey) ? await storage.system.findTenantByApiKey(apiKey) : null;
    const matches = await hasher.verify(apiSecret, tenant?.apiSecretHash ?? null);
    if (!tenant || !matches) return null;
    if (hasher.isWeaker(tenant.apiSecretHash)) {
      const to = await hasher.hash(apiSecret);
      await storage.security.rehashTenant(apiKey, { from: tenant.apiSecretHash, to });
    }
    return this.#remember(tenant);
  }

  async refOf(tenantId: Uuid, storage: Pick<Storage, 'system'> = this.#ports.storage): Promise<TenantRef> {
    return this.#refsById.get(tenantId) ?? this.#remember(await this.#find(tenantId, storage));
  }

  /** The ids of these tenants by their record ids. */
  async idsOfRecords(recordIds: readonly number[]): Promise<ReadonlyMap<number, Uuid>> {
    const unknown = recordIds.filter((recordId) => !this.#refsByRecordId.has(recordId));
    if (unknown.length > 0) {
      for (const tenant of await this.#ports.storage.system.findTenantsByRecordIds(unknown))
        this.#remember(tenant);
    }
    return new Map(
      recordIds.flatMap((recordId) => {
        const ref = this.#refsByRecordId.get(recordId);
        return ref === undefined ? [] : [[recordId, ref.id] as const];
      }),
    );
  }

  /** The reference of a tenant by record id, as queue entries carry it. */
  async refOfRecord(recordId: number): Promise<TenantRef> {
    const known = this.#refsByRecordId.get(recordId);
    if (known) return known;
    const [tenant] = await this.#ports.storage.system.findTenantsByRecordIds([recordId]);
    if (!tenant) throw new Error(`queue entry names tenant record ${recordId}, which does not exist`);
    return this.#remember(tenant);
  }

  #authorshipOf(author: TenantAuthor): Authorship {
    checkStorable('User', author.userName);
    checkStorable('Reason', author.reasonCode);
    checkStorable('Comment', author.comments);
    const userToken = author.userToken ?? this.#ports.ids.next();
    return {
      userName: author.userName,
      reasonCode: author.reasonCode ?? null,
      comments: author.comments ?? null,
      createdDate: this.#ports.clock.now(),
      userTokenOf: () => userToken,
    };
  }

  #remember(tenant: Tenant): TenantRef {
    const ref: TenantRef = { id: tenant.id, recordId: tenant.recordId };
    this.#refsById.set(ref.id, ref);
    this.#refsByRecordId.set(ref.recordId, ref);
    return ref;
  }
}

function checkInput(input: NewTenantInput): void {
  for (const field of ['apiKey', 'apiSecret'] as const) {
    if (!input[field]) throw invalidField(`TenantJson ${field} needs to be set`, { field });
  }
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
   * Creates a tenant; its secret is kept hashed.
   * @throws BillingError TENANT_ALREADY_EXISTS (20000), MISSING_OR_INVALID_FIELD, EXTERNAL_KEY_LIMIT_EXCEEDED (5).
   */
  create(author: TenantAuthor, input: NewTenantInput): Promise<Plain<Tenant>>;

  /** The tenant with this id. @throws BillingError TENANT_DOES_NOT_EXIST_FOR_ID (20001). */
  get(tenantId: Uuid | string): Promise<Plain<Tenant>>;

  /** The tenant with this API key. @throws BillingError TENANT_DOES_NOT_EXIST_FOR_API_KEY (20003). */
  getByApiKey(apiKey: string): Promise<Plain<Tenant>>;

  /** The tenant behind an API key and secret, or null; an unknown key costs the same work as a wrong secret. */
  authenticate(apiKey: string, apiSecret: string): Promise<TenantRef | null>;

  /**
   * The reference of a tenant by its public id; calls for the tenant may use it in place of the id.
   * @throws BillingError TENANT_DOES_NOT_EXIST_FOR_ID (20001).
   */
  refOf(tenantId: Uuid | string): Promise<TenantRef>;
}

/** The settings in force for a tenant. */
export interface ConfigurationOperations<C extends Leading = []> {
  /**
   * The settings by property name without prefix, such as `payment.retry.days` (platform §4.1): the tenant's or the
   * server's.
   */
  settings(...given: C): Promise<TenantSettings>;
}
