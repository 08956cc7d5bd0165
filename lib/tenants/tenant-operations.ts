import type { Tenant, TenantRef } from '../records/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import type { NewTenantInput, TenantAuthor } from './service.ts';

/** Tenants of the deployment. */
export interface TenantOperations {
  /**
   * Creates a tenant; its secret is kept hashed.
   * @throws BillingError TENANT_ALREADY_EXISTS (20000), MISSING_OR_INVALID_FIELD, EXTERNAL_KEY_LIMIT_EXCEEDED (5).
   */
  create(author: TenantAuthor, input: NewTenantInput): Promise<Tenant>;

  /**
   * The tenant with this id.
   * @throws BillingError TENANT_DOES_NOT_EXIST_FOR_ID (20001).
   */
  get(tenantId: Uuid | string): Promise<Tenant>;

  /**
   * The tenant with this API key.
   * @throws BillingError TENANT_DOES_NOT_EXIST_FOR_API_KEY (20003).
   */
  getByApiKey(apiKey: string): Promise<Tenant>;

  /** The tenant behind an API key and secret, or null; an unknown key costs the same work as a wrong secret. */
  authenticate(apiKey: string, apiSecret: string): Promise<TenantRef | null>;

  /**
   * The reference of a tenant by its public id; calls for the tenant may use it in place of the id.
   * @throws BillingError TENANT_DOES_NOT_EXIST_FOR_ID (20001).
   */
  refOf(tenantId: Uuid | string): Promise<TenantRef>;
}
