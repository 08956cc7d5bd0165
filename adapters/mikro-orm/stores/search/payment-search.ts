import type { PaymentColumn, PaymentSearch } from '../../../../lib/ports/storage/index.ts';
import { clauseConditions, containsInAnyCase, type SearchedColumn } from '../../sql/search-conditions.ts';
import { isIn, nothing, type Sql, sql } from '../../sql/sql.ts';
import { ofAccount, type TenantScope } from '../../tables/record-access.ts';

/** Who has written a payment first and last stands in its audit rows alone. */
const written = (column: string, order: 'asc' | 'desc'): string =>
  `(select a.${column} from bw_audit_log a where a.target_id = bw_payments.id
    and a.tenant_record_id = bw_payments.tenant_record_id order by a.record_id ${order} limit 1)`;

const searched: Readonly<Record<PaymentColumn, SearchedColumn>> = {
  id: { column: 'id', type: 'uuid' },
  account_id: { column: 'account_id', type: 'uuid' },
  payment_method_id: { column: 'payment_method_id', type: 'uuid' },
  external_key: { column: 'external_key', type: 'text' },
  state_name: { column: 'state_name', type: 'text' },
  last_success_state_name: { column: 'last_success_state_name', type: 'text' },
  created_by: { column: written('changed_by', 'asc'), type: 'text' },
  created_date: { column: 'created_date', type: 'instant' },
  updated_by: { column: written('changed_by', 'desc'), type: 'text' },
  updated_date: { column: written('change_date', 'desc'), type: 'instant' },
};

/** `and` with the condition of the search. */
export function paymentSearchCondition(scope: TenantScope, search: PaymentSearch): Sql {
  switch (search.kind) {
    case 'clauses':
      return clauseConditions(search.clauses, searched);
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
