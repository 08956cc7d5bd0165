import type { IdempotencyStore, RequestClaim } from '../../../lib/ports/storage/index.ts';
import { stringifyExactJson } from '../../../lib/values/money/index.ts';
import type { Dialect } from '../sql/dialect.ts';
import type { SystemAccess } from '../sql/runner.ts';
import { isIn, raw, type Sql, sql } from '../sql/sql.ts';
import { idempotencyKeysTable as table } from '../tables/idempotency.ts';
import { insertInto } from '../tables/record-access.ts';

/** The columns that a request replaces when it takes the place of another one: all but the key. */
const replacements = table.written
  .map(({ name }) => name)
  .filter((name) => name !== 'tenant_record_id' && name !== 'idempotency_key')
  .map((name) => `${name} = excluded.${name}`)
  .join(', ');

/** Each call is a statement, and so a transaction, of its own. */
export function idempotencyStore(access: SystemAccess, dialect: Dialect): IdempotencyStore {
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
      const { rows } = await access.run(sql`
        ${insertInto({ tenantRecordId }, table, [request])}
        on conflict (tenant_record_id, idempotency_key) do update set ${raw(replacements)}
        where bw_idempotency_keys.started_ms < ${bounds.expiredBeforeMs}
          or (bw_idempotency_keys.status is null and bw_idempotency_keys.started_ms < ${bounds.abandonedBeforeMs}
            and bw_idempotency_keys.request_hash = excluded.request_hash)
        returning record_id`);
      if (rows.length > 0) return null;
      const found = await access.run(sql`
        select ${raw(dialect.selectList(table))} from bw_idempotency_keys
        where tenant_record_id = ${tenantRecordId} and ${isIn('idempotency_key', 'text', [key])}`);
      return found.rows[0] === undefined ? undefined : table.decode(found.rows[0]);
    },
    keep: async (claim, { status, headers, body }) => {
      const { affected } = await access.run(sql`
        update bw_idempotency_keys set status = ${status}, headers = ${stringifyExactJson(headers)}, body = ${body}
        where ${isHeldBy(claim)}`);
      return affected === 1;
    },
    release: async (claim) => {
      await access.run(sql`delete from bw_idempotency_keys where ${isHeldBy(claim)}`);
    },
    purge: async (startedBeforeMs, limit) => {
      const { affected } = await access.run(sql`
        delete from bw_idempotency_keys where record_id in (
          select record_id from bw_idempotency_keys where started_ms < ${startedBeforeMs}
          order by started_ms limit ${limit})`);
      return affected;
    },
  };
}

function isHeldBy({ tenantRecordId, key, claimId }: RequestClaim): Sql {
  return sql`tenant_record_id = ${tenantRecordId} and ${isIn('idempotency_key', 'text', [key])}
    and ${isIn('claim_id', 'uuid', [claimId])} and status is null`;
}
