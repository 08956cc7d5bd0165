import type { EntryStore, KeptDelivery } from '../../../lib/ports/storage/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { numberOf, type Row } from '../sql/columns.ts';
import type { Dialect } from '../sql/dialect.ts';
import type { SystemAccess } from '../sql/runner.ts';
import { isIn, nothing, raw, type Sql, sql } from '../sql/sql.ts';
import { pushDeliveriesTable as deliveries } from '../tables/queue.ts';
import { textOrNull } from './kept-entry.ts';
import { ofTenants } from './of-tenants.ts';

type DeliveryLooks = Pick<
  EntryStore,
  'lateDeliveries' | 'recentDeliveries' | 'failedDeliveries' | 'clearDeliveries' | 'resendDeliveries'
>;

/** Pushes, as the entries of a queue (platform §10.2 rule 1). */
export function deliveryLooks(access: SystemAccess, dialect: Dialect, onReady: () => void): DeliveryLooks {
  const columns = sql`${raw(dialect.selectList(deliveries))},
    (select t.id from bw_tenants t where t.record_id = bw_push_deliveries.tenant_record_id) as tenant_id`;
  const read = async (statement: Sql): Promise<readonly KeptDelivery[]> =>
    (await access.run(statement)).rows.map(keptDelivery);
  /** Changes pushes, and wakes who sends them. */
  const change = async (statement: Sql): Promise<number> => {
    const { affected } = await access.run(statement);
    onReady();
    return affected;
  };
  return {
    lateDeliveries: async ({ before, limit, ...of }) =>
      read(sql`
        select ${columns} from bw_push_deliveries where ${dueBefore(before)} ${ofTenants(of)}
        order by ${due}, record_id limit ${limit}`),
    recentDeliveries: async ({ limit, among, ...of }) =>
      read(sql`
        select ${columns} from bw_push_deliveries
        where record_id > (select max(record_id) from bw_push_deliveries) - ${among}
          and ended_date is not null ${ofTenants(of)}
        order by record_id desc limit ${limit}`),
    failedDeliveries: async ({ from, to, limit, accountId, ...of }) =>
      read(sql`
        select ${columns} from bw_push_deliveries
        where ended_date is not null and state = 'FAILED' ${ofTenants(of)} and ${due} >= ${from} and ${due} < ${to}
          ${ofAccount(accountId)}
        order by record_id limit ${limit}`),
    clearDeliveries: async ({ recordIds, before, ...of }) => {
      if (recordIds.length === 0) return 0;
      return change(sql`
        update bw_push_deliveries set failures = 0
        where ${isIn('record_id', 'bigint', recordIds)} ${ofTenants(of)} and ${dueBefore(before)}`);
    },
    resendDeliveries: async ({ recordIds, now, ...of }) => {
      if (recordIds.length === 0) return 0;
      // Not among the first attempts of its account, which come in order.
      return change(sql`
        update bw_push_deliveries
        set state = 'AVAILABLE', failures = 0, ended_date = null, due_order = ${Math.max(1, now)}
        where ${isIn('record_id', 'bigint', recordIds)} ${ofTenants(of)} and state = 'FAILED'`);
    },
  };
}

function ofAccount(accountId: Uuid | null): Sql {
  if (accountId === null) return nothing;
  return sql`and account_record_id in (select a.record_id from bw_accounts a where ${isIn('a.id', 'uuid', [accountId])})`;
}

/** When it was due: a first attempt at once. */
const due = sql`case when due_order = 0 then created_date else due_order end`;

function dueBefore(before: number): Sql {
  return sql`state = 'AVAILABLE' and due_order < ${Math.max(1, before)} and ${due} < ${before}`;
}

function keptDelivery(row: Row): KeptDelivery {
  return {
    ...deliveries.decode(row),
    tenantRecordId: numberOf(row.tenant_record_id, 'tenant_record_id'),
    tenantId: textOrNull(row, 'tenant_id') as Uuid | null,
  };
}
