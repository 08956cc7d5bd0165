import { assertInvariant } from '../../../lib/values/errors/index.ts';
import { numberOf } from '../sql/columns.ts';
import { sql } from '../sql/sql.ts';
import type { TenantScope } from '../tables/record-access.ts';

export type CounterName = 'invoice_number' | 'credit_note_number' | 'payment_number';

/**
 * Takes `count` consecutive numbers and returns the first. The row stays locked until the transaction ends, which
 * keeps the numbers free of gaps; hence take them last, or alone where gaps are allowed.
 */
export async function takeNumbers(scope: TenantScope, name: CounterName, count: number): Promise<number> {
  assertInvariant(Number.isSafeInteger(count) && count > 0, `${count} numbers cannot be taken`);
  const [row] = await scope.runner.rows(sql`
    insert into bw_counters (tenant_record_id, name, value) values (${scope.tenantRecordId}, ${name}, ${count})
    on conflict (tenant_record_id, name) do update set value = bw_counters.value + excluded.value
    returning value`);
  return numberOf(row?.value, 'value') - count + 1;
}

/** Keeps others from taking numbers until the transaction ends, without taking any. */
export async function lockNumbers(scope: TenantScope, name: CounterName): Promise<void> {
  await skipNumbers(scope, name, 0);
}

/** Lets the next number be greater than `last`; the row stays locked until the transaction ends. */
export async function skipNumbers(scope: TenantScope, name: CounterName, last: number): Promise<void> {
  await scope.runner.rows(sql`
    insert into bw_counters (tenant_record_id, name, value) values (${scope.tenantRecordId}, ${name}, ${last})
    on conflict (tenant_record_id, name) do update
    set value = case when bw_counters.value < excluded.value then excluded.value else bw_counters.value end
    returning value`);
}
