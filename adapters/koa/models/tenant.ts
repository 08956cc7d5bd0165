import type { Tenant as TenantRecord } from '../../../lib/tenants/model.ts';
import { field, model } from '../wire/model.ts';
import { externalKey, text, uuid } from '../wire/scalars.ts';
import { auditLogs } from './audit-log.ts';

const maxApiKeyCharacters = 128;

export const Tenant = model('Tenant', {
  tenantId: field(uuid, 'R'),
  externalKey: field(externalKey, 'C', { nullable: true }),
  apiKey: field(text(maxApiKeyCharacters), 'C', { required: true }),
  apiSecret: field(text(), 'C', { required: true, nullable: true }),
  auditLogs,
});

/** The secret never leaves the engine; tenants' audit is no part of the interface (accounts.md §14.1). */
export function tenantJson(tenant: TenantRecord) {
  return {
    tenantId: tenant.id,
    externalKey: tenant.externalKey,
    apiKey: tenant.apiKey,
    apiSecret: null,
    auditLogs: [],
  };
}
