import type { PaymentSearch } from '../../../../lib/ports/storage/index.ts';
import { clauseConditions, containsInAnyCase } from '../../sql/search-conditions.ts';
import { isIn, nothing, type Sql, sql } from '../../sql/sql.ts';
import { ofAccount, type TenantScope } from '../../tables/record-access.ts';

/** Who has written a payment first and last stands in its audit rows alone. */
const written = (column: string, order: 'asc' | 'desc'): string =>
  `(select a.${column} from bw_audit_log a where a.target_id = bw_payments.id
    and a.tenant_record_id = bw_payments.tenant_record_id order by a.record_id ${order} limit 1)`;

const places = {
  createdBy: { column: written('changed_by', 'asc') },
  updatedBy: { column: written('changed_by', 'desc') },
  updatedDate: { column: written('change_date', 'desc') },
};

/** `and` with the condition of the search. */
export function paymentSearchCondition(scope: TenantScope, search: PaymentSearch): Sql {
  switch (search.kind) {
    case 'clauses':
      return clauseConditions(search.clauses, places);
    case 'states':
      return sql`and ${isIn('state_name', 'text', search.stateNames)}`;
    case 'text': {
      const { id, text } = search;
      const named =
        id === null ? nothing : sql`or id = ${id} or payment_method_id = ${id} or ${ofAccount(scope, id)}`;
      return sql`and (${containsInAnyCase('external_key', text)} ${named})`;
    }
  }
}

/** `and` with: the payment's method is one of this gateway. */
export function ofGateway(scope: TenantScope, pluginName: string): Sql {
  return sql`and payment_method_id in (
    select id from bw_payment_methods
    where tenant_record_id = ${scope.tenantRecordId} and plugin_name = ${pluginName})`;
}
