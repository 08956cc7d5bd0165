import type { AuditRow, New, Tenant } from '../../../lib/records/index.ts';
import { ErrorCode } from '../../../lib/values/errors/index.ts';
import type { Instant } from '../../../lib/values/time/index.ts';
import {
  bigint,
  bigintOrNull,
  boolean,
  instantAt,
  integer,
  jsonOrNull,
  oneOf,
  text,
  textOrNull,
  uuid,
} from '../sql/columns.ts';
import { RecordTable } from './record-table.ts';

export const tenantsTable = new RecordTable<New<Tenant>>(
  {
    name: 'tenants',
    ofTenant: false,
    uniques: [
      { name: 'id', columns: ['id'] },
      {
        name: 'api_key',
        columns: ['api_key'],
        violation: {
          code: ErrorCode.TENANT_ALREADY_EXISTS,
          message: 'A tenant with this API key exists already; choose another key',
        },
      },
    ],
  },
  {
    id: uuid('id'),
    externalKey: textOrNull('external_key'),
    apiKey: text('api_key'),
    apiSecretHash: text('api_secret_hash'),
    useGlobalDefault: boolean('use_global_default'),
    catalogRevision: integer('catalog_revision'),
    configurationRecordId: bigintOrNull('configuration_record_id'),
    overdueConfigRecordId: bigintOrNull('overdue_config_record_id'),
    callbackRecordId: bigintOrNull('callback_record_id'),
    stateMachineRevision: bigintOrNull('state_machine_revision'),
    usageThresholdsRecordId: bigintOrNull('usage_thresholds_record_id'),
    createdDate: instantAt('created_date'),
  },
);

/** At most one row: the shared test clock (platform §14.1). */
export const testClockTable = new RecordTable<{
  readonly name: string;
  readonly base: Instant;
  readonly setAtMs: number;
}>(
  { name: 'test_clock', ofTenant: false, uniques: [{ name: 'name', columns: ['name'] }] },
  { name: text('name'), base: instantAt('base'), setAtMs: bigint('set_at_ms') },
);

/** Counters that must not leave gaps when a transaction rolls back, hence rows and not sequences. */
export const countersTable = new RecordTable<{ readonly name: string; readonly value: number }>(
  { name: 'counters', ofTenant: true, uniques: [{ name: 'name', columns: ['tenant_record_id', 'name'] }] },
  { name: text('name'), value: bigint('value') },
);

export const auditLogTable = new RecordTable<New<AuditRow>>(
  {
    name: 'audit_log',
    ofTenant: true,
    indexes: [
      { name: 'target', columns: ['tenant_record_id', 'target_id', 'record_id'] },
      { name: 'account', columns: ['tenant_record_id', 'account_record_id', 'record_id'] },
    ],
  },
  {
    id: uuid('id'),
    tableName: text('table_name'),
    targetId: uuid('target_id'),
    targetRecordId: bigint('target_record_id'),
    accountRecordId: bigintOrNull('account_record_id'),
    changeType: oneOf('change_type'),
    changeDate: instantAt('change_date'),
    changedBy: text('changed_by'),
    reasonCode: textOrNull('reason_code'),
    comments: textOrNull('comments'),
    userToken: uuid('user_token'),
    snapshot: jsonOrNull<Readonly<Record<string, unknown>>>('snapshot'),
  },
);
