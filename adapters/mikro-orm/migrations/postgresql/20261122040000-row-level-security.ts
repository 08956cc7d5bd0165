import { Migration } from '@mikro-orm/migrations';

const tables = [
  'bw_account_emails',
  'bw_accounts',
  'bw_audit_log',
  'bw_auto_pay_holds',
  'bw_blocking_states',
  'bw_bundles',
  'bw_catalog_entries',
  'bw_catalog_parts',
  'bw_catalog_plan_rows',
  'bw_catalog_versions',
  'bw_counters',
  'bw_coverage',
  'bw_custom_fields',
  'bw_idempotency_keys',
  'bw_invoice_item_bases',
  'bw_invoice_items',
  'bw_invoice_payments',
  'bw_invoices',
  'bw_invoicing_cursors',
  'bw_invoicing_states',
  'bw_override_plans',
  'bw_payment_attempts',
  'bw_payment_methods',
  'bw_payment_transactions',
  'bw_payments',
  'bw_queue_entries',
  'bw_queue_history',
  'bw_signing_secrets',
  'bw_subscription_events',
  'bw_subscriptions',
  'bw_tag_definitions',
  'bw_tags',
  'bw_tenant_kvs',
];

const setting = `current_setting('billwright.tenant_record_id', true)`;

/** Rows of the tenant that the setting names, or all rows where it says so; none where nothing was set. */
function reached(column: string): string {
  return `${column} = (select nullif(nullif(${setting}, ''), '*')::bigint) or (select ${setting} = '*')`;
}

const sought = `folded_text like (select current_setting('billwright.account_text', true))`;

function guard(table: string, condition: string): readonly string[] {
  return [
    `alter table ${table} enable row level security`,
    `alter table ${table} force row level security`,
    `create policy ${table}_tenant on ${table} using (${condition}) with check (${condition})`,
  ];
}

/**
 * Row-level security on every table of tenants, for the owner of the tables too.
 *
 * Behind it no condition of a statement is looked up in an index that could tell of other rows, and `like` is one. What a
 * text search finds is therefore a condition of the policy: on a table of no rows that accounts belong to as well, so
 * that it holds for those who read accounts by that name only.
 */
export class Migration20261122040000RowLevelSecurity extends Migration {
  override up(): void {
    const statements = [
      ...tables.flatMap((table) => guard(table, reached('tenant_record_id'))),
      ...guard('bw_tenants', reached('record_id')),
      'create table bw_account_texts (record_id bigint, tenant_record_id bigint, folded_text text)',
      ...guard('bw_account_texts', `(${reached('tenant_record_id')}) and ${sought}`),
      'alter table bw_accounts inherit bw_account_texts',
    ];
    // In one message: there are a hundred.
    this.addSql(statements.join(';\n'));
  }
}
