import {
  auditRowFields,
  keyValueFields,
  type LogoMediaType,
  type New,
  type Seller,
  sellerFields,
  signingSecretFields,
  tenantFields,
} from '../../../lib/records/index.ts';
import { ErrorCode } from '../../../lib/values/errors/index.ts';
import {
  bigint,
  type Field,
  fieldsOf,
  instantAt,
  integerOrNull,
  jsonOrNull,
  text,
  textOrNull,
  uuid,
} from '../sql/columns.ts';
import { columnsOf } from './described-columns.ts';
import { RecordTable } from './record-table.ts';

export const tenantsTable = new RecordTable('tenants', columnsOf(tenantFields), {
  ofTenant: false,
  uniques: { id: 'id', api_key: 'api_key' },
  violations: {
    api_key: {
      code: ErrorCode.TENANT_ALREADY_EXISTS,
      // The key is part of the tenant's credentials, so the message does not repeat it.
      message: () => 'A tenant with this API key already exists; choose a different key',
    },
  },
});

/** The test clock, which all nodes share (platform §14.1). The table has at most one row. */
export const testClockTable = new RecordTable(
  'test_clock',
  fieldsOf({ name: text, base: instantAt, setAtMs: bigint }),
  {
    ofTenant: false,
    uniques: { name: 'name' },
  },
);

/**
 * Counters. They are rows and not sequences, because a counter must not have a gap after a transaction is rolled back.
 */
export const countersTable = new RecordTable('counters', fieldsOf({ name: text, value: bigint }), {
  uniques: { name: 'tenant_record_id, name' },
});

export const auditLogTable = new RecordTable('audit_log', columnsOf(auditRowFields), {
  indexes: {
    target: 'tenant_record_id, target_id, record_id',
    account: 'tenant_record_id, account_record_id, record_id',
  },
});

export const keyValuesTable = new RecordTable('tenant_kvs', columnsOf(keyValueFields), {
  uniques: { id: 'id', single: 'tenant_record_id, key where is_active and is_single' },
  indexes: { key: 'tenant_record_id, key where is_active' },
});

export const signingSecretsTable = new RecordTable('signing_secrets', columnsOf(signingSecretFields), {
  uniques: { id: 'id', current: 'tenant_record_id where is_active and signs_until_ms is null' },
  indexes: { active: 'tenant_record_id where is_active' },
});

/** Columns for the type and the Base64 text of the logo. Lists of versions read only the type. */
function logoColumns(): Field<Seller['logo']> {
  const mediaType = textOrNull('logo_media_type');
  const bytes = textOrNull('logo_bytes');
  return {
    columns: [...mediaType.columns, ...bytes.columns],
    isSearchOnly: true,
    write: (logo, cells) => {
      mediaType.write(logo?.mediaType ?? null, cells);
      bytes.write(logo === null ? null : Buffer.from(logo.bytes).toString('base64'), cells);
    },
    read: (row) => {
      const [type, stored] = [mediaType.read(row), bytes.read(row)];
      return type === null || stored === null
        ? null
        : { mediaType: type as LogoMediaType, bytes: new Uint8Array(Buffer.from(stored, 'base64')) };
    },
  };
}

export const sellersTable = new RecordTable<New<Seller>>(
  'sellers',
  { ...columnsOf(sellerFields), logo: logoColumns() },
  { uniques: { id: 'id' }, indexes: { created: 'tenant_record_id, created_date, record_id' } },
);

const fields = {
  key: text('idempotency_key'),
  ...fieldsOf({
    requestHash: text,
    claimId: uuid,
    startedMs: bigint,
    status: integerOrNull,
    headers: jsonOrNull<Readonly<Record<string, string>>>,
    body: textOrNull,
  }),
};

export const idempotencyKeysTable = new RecordTable('idempotency_keys', fields, {
  uniques: { key: 'tenant_record_id, idempotency_key' },
  indexes: { started: 'started_ms' },
});
