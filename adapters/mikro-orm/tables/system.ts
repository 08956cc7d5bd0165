import {
  type AuditRow,
  auditRowFields,
  type New,
  type Tenant,
  tenantFields,
} from '../../../lib/records/index.ts';
import { ErrorCode } from '../../../lib/values/errors/index.ts';
import type { Instant } from '../../../lib/values/time/index.ts';
import { bigint, instantAt, text } from '../sql/columns.ts';
import { columnsOf } from './described-columns.ts';
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
  columnsOf(tenantFields),
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
  columnsOf(auditRowFields),
);
