import { EncryptedKind, type SecretStore } from '../../../lib/ports/storage/index.ts';
import { billingError, ErrorCode } from '../../../lib/values/errors/index.ts';
import { numberIn, textIn } from '../sql/columns.ts';
import type { Runner, SystemAccess } from '../sql/runner.ts';
import { raw, type Sql, sql } from '../sql/sql.ts';

interface EncryptedColumn {
  readonly table: string;
  readonly column: string;
  /** SQL for the secret's name as shown to operators. */
  readonly name: Sql;
  readonly condition: Sql;
}

const columnsOf = (nowMs: Sql): Readonly<Record<EncryptedKind, EncryptedColumn>> => ({
  [EncryptedKind.SIGNING_SECRET]: {
    table: 'bw_signing_secrets',
    column: 'secret',
    name: sql`(select 'signing secret of tenant ' || t.api_key from bw_tenants t where t.record_id = e.tenant_record_id)`,
    condition: sql`e.is_active and (e.signs_until_ms is null or e.signs_until_ms > ${nowMs})`,
  },
  [EncryptedKind.TOKEN_KEY]: {
    table: 'bw_signing_keys',
    column: 'private_key',
    name: sql`'signing key of tokens ' || e.kid`,
    condition: sql`1 = 1`,
  },
  [EncryptedKind.STORED_ANSWER]: {
    table: 'bw_idempotency_keys',
    column: 'body',
    name: sql`'answer under an idempotency key'`,
    condition: sql`e.body is not null`,
  },
});

export function secretStore(access: SystemAccess): SecretStore {
  const columns = columnsOf(access.dialect.nowMs);
  return {
    list: async (kind, { after, limit }) => {
      const { table, column, name, condition } = columns[kind];
      return access.readAs((row) => ({
        recordId: numberIn(row, 'record_id'),
        name: textIn(row, 'name'),
        text: textIn(row, 'text'),
      }))`
        select e.record_id, ${name} as name, e.${raw(column)} as text from ${raw(table)} e
        where e.record_id > ${after} and ${condition} order by e.record_id limit ${limit}`;
    },
    replace: async (kind, texts) =>
      access.transact(async (runner) => {
        const { table, column } = columns[kind];
        let replaced = 0;
        for (const { recordId, before, after } of texts) {
          const { affected } = await runner.run(sql`
            update ${raw(table)} set ${raw(column)} = ${after}
            where record_id = ${recordId} and ${raw(column)} = ${before}`);
          if (affected === 0) await rejectFenced(runner, table, recordId);
          replaced += affected;
        }
        return replaced;
      }),
  };
}

/**
 * Rejects a write that would be skipped silently because of the fence of a moving tenant.
 * @throws BillingError BUSY if the tenant of the row has a fence.
 */
async function rejectFenced(runner: Runner, table: string, recordId: number): Promise<void> {
  const fenced = await runner.rows(sql`
    select 1 as fenced from ${raw(table)} e join bw_tenant_moves m on m.tenant_record_id = e.tenant_record_id
    where e.record_id = ${recordId} and m.state in ('STOPPED', 'ARRIVING')`);
  if (fenced.length === 0) return;
  throw billingError(
    ErrorCode.BUSY,
    'A tenant is being moved to another cell, so its secrets cannot be encrypted with the new key now; rotate the key ' +
      'again after the move',
    { isMoving: true },
  );
}
