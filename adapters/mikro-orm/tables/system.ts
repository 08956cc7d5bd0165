import {
  type AuditRow,
  auditRowFields,
  type New,
  type Tenant,
  tenantFields,
} from '../../../lib/records/index.ts';
import { ErrorCode } from '../../../lib/values/errors/index.ts';
import { bigint, fieldsOf, instantAt, text, type ValuesOf } from '../sql/columns.ts';
import { columnsOf } from './described-columns.ts';
import { RecordTable } from './record-table.ts';

export const tenantsTable = new RecordTable<New<Tenant>>('tenants', columnsOf(tenantFields), {
  ofTenant: false,
  uniques: { id: 'id', api_key: 'api_key' },
  violations: {
    api_key: {
      code: ErrorCode.TENANT_ALREADY_EXISTS,
      message: 'A tenant with this API key exists already; choose another key',
    },
  },
});

const clockFields = fieldsOf({ name: text, base: instantAt, setAtMs: bigint });

/** The shared test clock (platform §14.1): one row at most. */
export const testClockTable = new RecordTable<ValuesOf<typeof clockFields>>('test_clock', clockFields, {
  ofTenant: false,
  uniques: { name: 'name' },
});

const counterFields = fieldsOf({ name: text, value: bigint });

/** Rows, not sequences: these counters must not leave gaps when a transaction rolls back. */
export const countersTable = new RecordTable<ValuesOf<typeof counterFields>>('counters', counterFields, {
  uniques: { name: 'tenant_record_id, name' },
});

export const auditLogTable = new RecordTable<New<AuditRow>>('audit_log', columnsOf(auditRowFields), {
  indexes: {
    target: 'tenant_record_id, target_id, record_id',
    account: 'tenant_record_id, account_record_id, record_id',
  },
});
