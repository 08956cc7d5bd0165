import type { KeyValueReads, KeyValueWrites } from '../../../lib/ports/storage/index.ts';
import type { TenantKeyValue } from '../../../lib/records/index.ts';
import { ChangeType } from '../../../lib/records/index.ts';
import { assertInvariant } from '../../../lib/values/errors/index.ts';
import type { WriteScope } from '../audit/audited-writes.ts';
import { beginPushes } from '../queue/push-deliveries.ts';
import { textOf } from '../sql/columns.ts';
import { isIn, sql } from '../sql/sql.ts';
import { keyValuesTable } from '../tables/key-values.ts';
import { insert, select, type TenantScope, update } from '../tables/record-access.ts';
import type { RevisionsOfSession } from './tenant-revisions.ts';

export function keyValueReads(scope: TenantScope): KeyValueReads {
  return {
    find: async (keys) =>
      keys.length === 0 ? [] : select(scope, keyValuesTable, sql`is_active and ${isIn('key', 'text', keys)}`),
    findByPrefix: async (prefix) =>
      select(scope, keyValuesTable, sql`is_active and substr(key, 1, ${[...prefix].length}) = ${prefix}`),
    valueOf: async (recordId) => {
      const [row] = await scope.runner.rows(sql`
        select value from bw_tenant_kvs
        where tenant_record_id = ${scope.tenantRecordId} and record_id = ${recordId}`);
      assertInvariant(row, `Tenant ${scope.tenantRecordId} has no value ${recordId}`);
      return textOf(row.value, 'value');
    },
  };
}

export function keyValueWrites(scope: WriteScope, revisions: RevisionsOfSession): KeyValueWrites {
  const note = (value: TenantKeyValue, changeType: ChangeType): void =>
    scope.changes.add({
      tableName: 'TENANT_KVS',
      changeType,
      targetId: value.id,
      targetRecordId: value.recordId,
      accountRecordId: null,
      // accounts §14 rule 1: tenant values have no history.
      snapshot: null,
    });
  return {
    lock: () => revisions.lock(),
    insert: async (values) => {
      if (values.length === 0) return [];
      const recordIds = await insert(scope, keyValuesTable, values);
      values.forEach((value, index) => {
        note({ ...value, recordId: recordIds[index] ?? 0 }, ChangeType.INSERT);
      });
      return recordIds;
    },
    deactivate: async (values) => {
      if (values.length === 0) return;
      const updatedDate = scope.authorship.createdDate;
      const records = values.map(({ id }) => ({ id, isActive: false, updatedDate }));
      await update(scope, keyValuesTable, { key: 'id', properties: ['isActive', 'updatedDate'], records });
      for (const value of values) note(value, ChangeType.DELETE);
    },
    setConfiguration: (recordId) => revisions.set(sql`configuration_record_id = ${recordId}`),
    setOverdueConfig: (recordId) => revisions.set(sql`overdue_config_record_id = ${recordId}`),
    setUsageThresholds: (recordId) => revisions.set(sql`usage_thresholds_record_id = ${recordId}`),
    setCallback: async (recordId) => {
      await revisions.set(sql`callback_record_id = ${recordId}`);
      await beginPushes(scope, recordId);
    },
    raiseStateMachineRevision: () =>
      revisions.set(sql`state_machine_revision = coalesce(state_machine_revision, 0) + 1`),
  };
}
