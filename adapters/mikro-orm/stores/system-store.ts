import type {
  IdempotencyStore,
  RequestClaim,
  SystemStore,
  TenantChoice,
} from '../../../lib/ports/storage/index.ts';
import { ChangeType, type Page, type PageRequest, type Tenant } from '../../../lib/records/index.ts';
import { MAX_COUNTED_RECORDS } from '../../../lib/values/limits.ts';
import { stringifyExactJson } from '../../../lib/values/money/index.ts';
import { formatLocalDate } from '../../../lib/values/time/index.ts';
import { WriteScope } from '../audit/audited-writes.ts';
import { idIn, numberIn, textIn } from '../sql/columns.ts';
import type { SystemAccess } from '../sql/runner.ts';
import { type Condition, isIn, nothing, orderedText, raw, type Sql, sql } from '../sql/sql.ts';
import { tenantTables } from '../tables/entities.ts';
import { insertInto, selectOfAll, TenantScope } from '../tables/record-access.ts';
import type { RecordTable } from '../tables/record-table.ts';
import { usersTable } from '../tables/security.ts';
import { idempotencyKeysTable as table, tenantsTable, testClockTable } from '../tables/system.ts';
import { raiseRevision } from './security-store.ts';

/** Tenant id of rows that do not belong to a tenant (platform §17 rule 2). */
const noTenant = 0;
const clockName = 'shared';

export function systemStore(access: SystemAccess): SystemStore {
  const { dialect } = access;
  const find = <R extends object>(table: RecordTable<R>, condition: Condition) =>
    selectOfAll(access, table, condition);
  const ofWorking = dialect.ofWorkingTenants('t.tenant_record_id');
  return {
    findTenantsByIds: async (ids) => find(tenantsTable, isIn('id', 'uuid', ids)),
    findTenantsByRecordIds: async (recordIds) => find(tenantsTable, isIn('record_id', 'bigint', recordIds)),
    findTenantByApiKey: async (apiKey) =>
      (await find(tenantsTable, isIn('api_key', 'text', [apiKey])))[0] ?? null,
    pageTenants: async (choice, request) => pageOfTenants(access, choice, request),
    insertTenant: async (tenant, authorship) =>
      access.transact(async (runner) => {
        const [recordId = 0] = await new TenantScope(runner, noTenant).insert(tenantsTable, [tenant]);
        const scope = new WriteScope(runner, recordId, { authorship });
        scope.noteBareChange('TENANT', { id: tenant.id, recordId, changeType: ChangeType.INSERT });
        await scope.changes.flush(scope, authorship);
        return { ...tenant, recordId };
      }),
    findUserByName: async (name) => (await find(usersTable, isIn('name', 'text', [name])))[0] ?? null,
    insertUserIfAbsent: async (user) => {
      const { affected } = await access.run(sql`
          ${insertInto(noTenant, usersTable, [user])} on conflict (name) do nothing`);
      return affected === 1;
    },
    updatePasswordHash: async (name, passwordHash) =>
      access.transact(async (runner) => {
        await raiseRevision(runner);
        const { affected } = await runner.run(sql`
          update ${raw(usersTable.name)}
          set password_hash = ${passwordHash}, credential_version = credential_version + 1 where name = ${name}`);
        return affected === 1;
      }),
    findOpenAttempts: async (createdBefore, limit) => {
      return access.readAs((row) => ({
        tenantRecordId: numberIn(row, 'tenant_record_id'),
        id: idIn(row, 'id'),
      }))`
        select a.tenant_record_id, a.id from bw_payment_attempts a
        where a.state_name = 'INIT' and a.created_date < ${createdBefore} and not exists (
          select 1 from bw_payment_transactions t
          where t.tenant_record_id = a.tenant_record_id and t.external_key = a.transaction_external_key
            and t.attempt_id = a.id and t.status = 'UNKNOWN')
          ${dialect.ofWorkingTenants('a.tenant_record_id')}
        order by a.created_date limit ${limit}`;
    },
    purgeInvoiceAnnouncements: async (before, limit) => {
      await access.run(sql`
        delete from bw_told_invoices where record_id in (
          select t.record_id from bw_told_invoices t where t.target_date < ${formatLocalDate(before)} ${ofWorking}
          order by t.target_date limit ${limit})`);
    },
    purgeQuotas: async ({ uses, counters }, limit) => {
      await access.run(sql`
        delete from bw_quota_uses where record_id in (
          select t.record_id from bw_quota_uses t where t.created_date < ${uses} ${ofWorking}
          order by t.created_date limit ${limit})`);
      await access.run(sql`
        delete from bw_quota_counters where record_id in (
          select t.record_id from bw_quota_counters t where t.keep_until < ${counters} ${ofWorking}
          order by t.keep_until limit ${limit})`);
    },
    purgeThresholdAnnouncements: async (before, limit) => {
      await access.run(sql`
        delete from bw_usage_thresholds where record_id in (
          select t.record_id from bw_usage_thresholds t where t.over_at < ${before} ${ofWorking}
          order by t.over_at limit ${limit})`);
    },
    readTestClock: async () => {
      const [clock] = await find(testClockTable, sql`name = ${clockName}`);
      return clock ? { base: clock.base, setAtMs: clock.setAtMs } : null;
    },
    writeTestClock: async (value) => {
      await access.run(
        value === null
          ? sql`delete from bw_test_clock where name = ${clockName}`
          : sql`${insertInto(noTenant, testClockTable, [{ name: clockName, ...value }])}
                on conflict (name) do update set base = excluded.base, set_at_ms = excluded.set_at_ms`,
      );
    },
    unboundRole: async () => {
      if (dialect.unboundRole === null) return null;
      const [row] = await access.rows(dialect.unboundRole(tenantTables()));
      return row === undefined ? null : textIn(row, 'role');
    },
    ping: async () => {
      const [row] = await access.rows(sql`select 1 as alive`);
      numberIn(row, 'alive');
    },
    nowMs: async () => {
      const [row] = await access.rows(sql`select ${dialect.nowMs} as now_ms`);
      return numberIn(row, 'now_ms');
    },
  };
}

async function pageOfTenants(
  { dialect, readAs, rows }: SystemAccess,
  { ids, apiKeyPrefix }: TenantChoice,
  { offset, limit }: PageRequest,
): Promise<Page<Tenant>> {
  const among = ids === null ? sql`1 = 1` : sql`${isIn('id', 'uuid', ids)}`;
  const within =
    apiKeyPrefix === ''
      ? among
      : sql`${among} and substr(api_key, 1, ${[...apiKeyPrefix].length}) = ${apiKeyPrefix}`;
  const found = await readAs(tenantsTable)`
    select ${raw(dialect.selectList(tenantsTable))} from bw_tenants where ${within}
    order by ${orderedText('api_key')} ${raw(limit < 0 ? 'desc' : 'asc')}
    limit ${Math.abs(limit)} offset ${offset}`;
  const count = (condition: Sql) => sql`
    (select count(*) from (select 1 from bw_tenants where ${condition} limit ${MAX_COUNTED_RECORDS + 1}) counted)`;
  const isAll = within === among;
  const [counted] = await rows(sql`
    select ${count(within)} as total ${isAll ? nothing : sql`, ${count(among)} as max`}`);
  const total = numberIn(counted, 'total');
  return { rows: found, total, max: isAll ? total : numberIn(counted, 'max') };
}

/** Assignments for a request that replaces an earlier request. They contain all columns except the key. */
const replacements = table.written
  .map(({ name }) => name)
  .filter((name) => name !== 'tenant_record_id' && name !== 'idempotency_key')
  .map((name) => `${name} = excluded.${name}`)
  .join(', ');

/**
 * @param runAs returns a function that runs statements with the tenant scope of one tenant, so that the fence of a
 * moving tenant rejects them instead of skipping the row (cells §3.2 rule 2).
 */
export function idempotencyStore(
  access: SystemAccess,
  runAs: (tenantRecordId: number) => SystemAccess['run'],
): IdempotencyStore {
  const { dialect } = access;
  return {
    claim: async ({ tenantRecordId, key, claimId, requestHash, nowMs }, bounds) => {
      const request = {
        key,
        requestHash,
        claimId,
        startedMs: nowMs,
        status: null,
        headers: null,
        body: null,
      };
      const run = runAs(tenantRecordId);
      const { rows } = await run(sql`
        ${insertInto(tenantRecordId, table, [request])}
        on conflict (tenant_record_id, idempotency_key) do update set ${raw(replacements)}
        where bw_idempotency_keys.started_ms < ${bounds.expiredBeforeMs}
          or (bw_idempotency_keys.status is null and bw_idempotency_keys.started_ms < ${bounds.abandonedBeforeMs}
            and bw_idempotency_keys.request_hash = excluded.request_hash)
        returning record_id`);
      if (rows.length > 0) return null;
      const found = await run(sql`
        select ${raw(dialect.selectList(table))} from bw_idempotency_keys
        where tenant_record_id = ${tenantRecordId} and ${isIn('idempotency_key', 'text', [key])}`);
      return found.rows[0] === undefined ? undefined : table.decode(found.rows[0]);
    },
    keep: async (claim, { status, headers, body }) => {
      const { affected } = await runAs(claim.tenantRecordId)(sql`
        update bw_idempotency_keys set status = ${status}, headers = ${stringifyExactJson(headers)}, body = ${body}
        where ${isHeldBy(claim)}`);
      return affected === 1;
    },
    release: async (claim) => {
      await runAs(claim.tenantRecordId)(sql`delete from bw_idempotency_keys where ${isHeldBy(claim)}`);
    },
    purge: async (startedBeforeMs, limit) => {
      const { affected } = await access.run(sql`
        delete from bw_idempotency_keys where record_id in (
          select record_id from bw_idempotency_keys where started_ms < ${startedBeforeMs} ${dialect.ofWorkingTenants('tenant_record_id')}
          order by started_ms limit ${limit})`);
      return affected;
    },
  };
}

function isHeldBy({ tenantRecordId, key, claimId }: RequestClaim) {
  return sql`tenant_record_id = ${tenantRecordId} and ${isIn('idempotency_key', 'text', [key])}
    and ${isIn('claim_id', 'uuid', [claimId])} and status is null`;
}
