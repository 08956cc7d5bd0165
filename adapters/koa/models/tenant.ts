import type { Tenant as TenantRecord } from '../../../lib/records/index.ts';
import { field, model, shown } from '../wire/model.ts';
import { externalKey, text, uuid } from '../wire/scalars.ts';
import { listOf } from '../wire/wire-type.ts';
import { auditLogs } from './audit-log.ts';

const maxApiKeyCharacters = 128;

/** A tenant. Responses never contain the secret, and the audit of tenants is not shown (accounts §14.1). */
export const Tenant = model('Tenant', {
  tenantId: shown(uuid, ({ id }: TenantRecord) => id),
  externalKey: field(externalKey, 'C', { nullable: true }),
  apiKey: field(text(maxApiKeyCharacters), 'C', { required: true }),
  apiSecret: field(text(), 'C', { required: true, nullable: true, from: () => null }),
  auditLogs,
});

export const TenantKeyValue = model('TenantKeyValue', {
  key: text(),
  values: listOf(text()),
  auditLogs,
});

/** A signing secret: `whsec_` followed by 32 bytes in base64 (platform §10.3). */
export const NotificationSigningSecret = model('NotificationSigningSecret', { secret: text() });
