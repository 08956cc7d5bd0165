import { Migration } from '@mikro-orm/migrations';

export class Migration20261121Initial extends Migration {

  override name = 'Migration20261121Initial';

  override up(): void | Promise<void> {
    this.addSql(`create table \`bw_accounts\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`id\` text not null, \`external_key\` text not null, \`reference_time\` integer not null, \`parent_account_id\` text null, \`is_payment_delegated_to_parent\` integer not null, \`currency\` text null, \`bill_cycle_day_local\` integer not null, \`payment_method_id\` text null, \`name\` text null, \`first_name_length\` integer null, \`company\` text null, \`address1\` text null, \`address2\` text null, \`city\` text null, \`state\` text null, \`postal_code\` text null, \`country\` text null, \`locale\` text null, \`time_zone\` text not null, \`phone\` text null, \`email\` text null, \`notes\` text null, \`is_migrated\` integer null, \`created_date\` integer not null, \`updated_date\` integer not null);`);
    this.addSql(`create index \`bw_accounts_page_index\` on \`bw_accounts\` (\`tenant_record_id\`, \`record_id\`);`);
    this.addSql(`create unique index \`bw_accounts_id_unique\` on \`bw_accounts\` (\`id\`);`);
    this.addSql(`create unique index \`bw_accounts_external_key_unique\` on \`bw_accounts\` (\`tenant_record_id\`, \`external_key\`);`);

    this.addSql(`create table \`bw_audit_log\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`id\` text not null, \`table_name\` text not null, \`target_id\` text not null, \`target_record_id\` integer not null, \`account_record_id\` integer null, \`change_type\` text not null, \`change_date\` integer not null, \`changed_by\` text not null, \`reason_code\` text null, \`comments\` text null, \`user_token\` text not null, \`snapshot\` text null);`);
    this.addSql(`create index \`bw_audit_log_target_index\` on \`bw_audit_log\` (\`tenant_record_id\`, \`target_id\`, \`record_id\`);`);
    this.addSql(`create index \`bw_audit_log_account_index\` on \`bw_audit_log\` (\`tenant_record_id\`, \`account_record_id\`, \`record_id\`);`);

    this.addSql(`create table \`bw_blocking_states\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`id\` text not null, \`blocked_id\` text not null, \`account_record_id\` integer not null, \`type\` text not null, \`service\` text not null, \`state_name\` text not null, \`is_block_change\` integer not null, \`is_block_entitlement\` integer not null, \`is_block_billing\` integer not null, \`effective\` integer not null, \`effective_local\` text not null, \`sequence\` integer not null, \`is_active\` integer not null, \`caused_by\` text null, \`created_date\` integer not null);`);
    this.addSql(`create index \`bw_blocking_states_blocked_index\` on \`bw_blocking_states\` (\`tenant_record_id\`, \`blocked_id\`, \`effective\`, \`sequence\`);`);
    this.addSql(`create unique index \`bw_blocking_states_id_unique\` on \`bw_blocking_states\` (\`id\`);`);
    this.addSql(`create unique index \`bw_blocking_states_started_unique\` on \`bw_blocking_states\` (\`tenant_record_id\`, \`blocked_id\`) where is_active and service = 'entitlement-service' and state_name = 'ENT_STARTED';`);

    this.addSql(`create table \`bw_bundles\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`id\` text not null, \`account_id\` text not null, \`account_record_id\` integer not null, \`external_key\` text not null, \`original_created_date\` integer not null, \`created_date\` integer not null);`);
    this.addSql(`create index \`bw_bundles_account_index\` on \`bw_bundles\` (\`tenant_record_id\`, \`account_record_id\`, \`record_id\`);`);
    this.addSql(`create unique index \`bw_bundles_id_unique\` on \`bw_bundles\` (\`id\`);`);
    this.addSql(`create unique index \`bw_bundles_external_key_unique\` on \`bw_bundles\` (\`tenant_record_id\`, \`external_key\`);`);

    this.addSql(`create table \`bw_catalog_versions\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`id\` text not null, \`effective_date\` integer not null, \`upload_id\` text not null, \`canonical_xml\` text not null, \`source_text\` text null, \`content_hash\` text not null, \`created_date\` integer not null);`);
    this.addSql(`create unique index \`bw_catalog_versions_id_unique\` on \`bw_catalog_versions\` (\`id\`);`);
    this.addSql(`create unique index \`bw_catalog_versions_effective_date_unique\` on \`bw_catalog_versions\` (\`tenant_record_id\`, \`effective_date\`);`);

    this.addSql(`create table \`bw_counters\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`name\` text not null, \`value\` integer not null);`);
    this.addSql(`create unique index \`bw_counters_name_unique\` on \`bw_counters\` (\`tenant_record_id\`, \`name\`);`);

    this.addSql(`create table \`bw_coverage\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`account_record_id\` integer not null, \`kind\` text not null, \`subscription_id\` text not null, \`item_id\` text not null, \`start_date\` text not null, \`end_date\` text null, \`plan_name\` text not null, \`phase_name\` text not null, \`rate\` text null, \`amount\` text not null);`);
    this.addSql(`create index \`bw_coverage_end_index\` on \`bw_coverage\` (\`tenant_record_id\`, \`subscription_id\`, \`end_date\`);`);
    this.addSql(`create index \`bw_coverage_start_index\` on \`bw_coverage\` (\`tenant_record_id\`, \`subscription_id\`, \`start_date\`);`);
    this.addSql(`create index \`bw_coverage_item_index\` on \`bw_coverage\` (\`tenant_record_id\`, \`item_id\`);`);
    this.addSql(`create unique index \`bw_coverage_recurring_unique\` on \`bw_coverage\` (\`tenant_record_id\`, \`subscription_id\`, \`start_date\`) where kind = 'RECURRING';`);
    this.addSql(`create unique index \`bw_coverage_fixed_unique\` on \`bw_coverage\` (\`tenant_record_id\`, \`subscription_id\`, \`start_date\`, \`plan_name\`, \`phase_name\`, \`amount\`) where kind = 'FIXED';`);
    this.addSql(`create unique index \`bw_coverage_free_unique\` on \`bw_coverage\` (\`tenant_record_id\`, \`subscription_id\`, \`start_date\`, \`end_date\`, \`plan_name\`, \`phase_name\`) where kind = 'FREE';`);

    this.addSql(`create table \`bw_invoice_items\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`id\` text not null, \`invoice_id\` text not null, \`account_id\` text not null, \`account_record_id\` integer not null, \`item_type\` text not null, \`child_account_id\` text null, \`bundle_id\` text null, \`subscription_id\` text null, \`product_name\` text null, \`plan_name\` text null, \`phase_name\` text null, \`usage_name\` text null, \`description\` text null, \`start_date\` text null, \`end_date\` text null, \`amount\` text not null, \`rate\` text null, \`currency\` text not null, \`quantity\` text null, \`linked_item_id\` text null, \`item_details\` text null, \`catalog_effective_date\` integer null, \`repairable\` text not null, \`created_date\` integer not null);`);
    this.addSql(`create index \`bw_invoice_items_invoice_index\` on \`bw_invoice_items\` (\`tenant_record_id\`, \`invoice_id\`, \`record_id\`);`);
    this.addSql(`create index \`bw_invoice_items_account_index\` on \`bw_invoice_items\` (\`tenant_record_id\`, \`account_record_id\`, \`record_id\`);`);
    this.addSql(`create unique index \`bw_invoice_items_id_unique\` on \`bw_invoice_items\` (\`id\`);`);

    this.addSql(`create table \`bw_invoice_payments\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`id\` text not null, \`account_record_id\` integer not null, \`invoice_id\` text not null, \`type\` text not null, \`status\` text not null, \`payment_id\` text null, \`payment_date\` integer not null, \`amount\` text not null, \`currency\` text not null, \`processed_currency\` text not null, \`transaction_external_key\` text not null, \`linked_invoice_payment_id\` text null, \`created_date\` integer not null);`);
    this.addSql(`create index \`bw_invoice_payments_invoice_index\` on \`bw_invoice_payments\` (\`tenant_record_id\`, \`invoice_id\`, \`record_id\`);`);
    this.addSql(`create index \`bw_invoice_payments_payment_index\` on \`bw_invoice_payments\` (\`tenant_record_id\`, \`payment_id\`, \`record_id\`);`);
    this.addSql(`create unique index \`bw_invoice_payments_id_unique\` on \`bw_invoice_payments\` (\`id\`);`);
    this.addSql(`create unique index \`bw_invoice_payments_key_unique\` on \`bw_invoice_payments\` (\`tenant_record_id\`, \`type\`, \`transaction_external_key\`);`);

    this.addSql(`create table \`bw_invoices\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`id\` text not null, \`account_id\` text not null, \`account_record_id\` integer not null, \`invoice_number\` integer not null, \`invoice_date\` text not null, \`target_date\` text null, \`commit_date\` text null, \`currency\` text not null, \`status\` text not null, \`is_migration\` integer not null, \`is_written_off\` integer not null, \`is_parent_invoice\` integer not null, \`group_id\` text not null, \`amount\` text not null, \`credit_adj\` text not null, \`refund_adj\` text not null, \`raw_balance\` text not null, \`created_date\` integer not null);`);
    this.addSql(`create index \`bw_invoices_page_index\` on \`bw_invoices\` (\`tenant_record_id\`, \`record_id\`);`);
    this.addSql(`create index \`bw_invoices_account_index\` on \`bw_invoices\` (\`tenant_record_id\`, \`account_record_id\`, \`record_id\`);`);
    this.addSql(`create unique index \`bw_invoices_id_unique\` on \`bw_invoices\` (\`id\`);`);
    this.addSql(`create unique index \`bw_invoices_number_unique\` on \`bw_invoices\` (\`tenant_record_id\`, \`invoice_number\`);`);

    this.addSql(`create table \`bw_invoicing_cursors\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`account_record_id\` integer not null, \`subscription_id\` text not null, \`settled_through\` text null, \`dirty_from\` text null, \`next_due_date\` text null, \`items_date\` text null, \`items_count\` integer not null);`);
    this.addSql(`create index \`bw_invoicing_cursors_due_index\` on \`bw_invoicing_cursors\` (\`tenant_record_id\`, \`account_record_id\`, \`next_due_date\`);`);
    this.addSql(`create unique index \`bw_invoicing_cursors_subscription_unique\` on \`bw_invoicing_cursors\` (\`tenant_record_id\`, \`subscription_id\`);`);

    this.addSql(`create table \`bw_invoicing_states\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`account_id\` text not null, \`account_record_id\` integer not null, \`max_target_date\` text null, \`account_cba\` text not null, \`account_balance\` text not null, \`parked\` integer not null, \`version\` integer not null);`);
    this.addSql(`create unique index \`bw_invoicing_states_account_unique\` on \`bw_invoicing_states\` (\`tenant_record_id\`, \`account_id\`);`);

    this.addSql(`create table \`bw_payment_attempts\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`id\` text not null, \`account_id\` text not null, \`account_record_id\` integer not null, \`payment_method_id\` text null, \`payment_external_key\` text not null, \`transaction_id\` text null, \`transaction_external_key\` text not null, \`transaction_type\` text not null, \`state_name\` text not null, \`amount\` text null, \`currency\` text null, \`plugin_names\` text not null, \`is_api_payment\` integer not null, \`created_date\` integer not null);`);
    this.addSql(`create index \`bw_payment_attempts_payment_key_index\` on \`bw_payment_attempts\` (\`tenant_record_id\`, \`payment_external_key\`, \`record_id\`);`);
    this.addSql(`create unique index \`bw_payment_attempts_id_unique\` on \`bw_payment_attempts\` (\`id\`);`);

    this.addSql(`create table \`bw_payment_methods\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`id\` text not null, \`external_key\` text not null, \`account_id\` text not null, \`account_record_id\` integer not null, \`plugin_name\` text not null, \`is_active\` integer not null, \`created_date\` integer not null);`);
    this.addSql(`create index \`bw_payment_methods_account_index\` on \`bw_payment_methods\` (\`tenant_record_id\`, \`account_record_id\`, \`record_id\`);`);
    this.addSql(`create unique index \`bw_payment_methods_id_unique\` on \`bw_payment_methods\` (\`id\`);`);
    this.addSql(`create unique index \`bw_payment_methods_external_key_unique\` on \`bw_payment_methods\` (\`tenant_record_id\`, \`external_key\`);`);

    this.addSql(`create table \`bw_payment_transactions\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`id\` text not null, \`payment_id\` text not null, \`account_record_id\` integer not null, \`attempt_id\` text null, \`external_key\` text not null, \`transaction_type\` text not null, \`effective_date\` integer not null, \`status\` text not null, \`amount\` text null, \`currency\` text null, \`processed_amount\` text null, \`processed_currency\` text null, \`gateway_error_code\` text null, \`gateway_error_msg\` text null, \`lease_until\` integer null, \`created_date\` integer not null);`);
    this.addSql(`create index \`bw_payment_transactions_payment_index\` on \`bw_payment_transactions\` (\`tenant_record_id\`, \`payment_id\`, \`record_id\`);`);
    this.addSql(`create index \`bw_payment_transactions_external_key_index\` on \`bw_payment_transactions\` (\`tenant_record_id\`, \`external_key\`);`);
    this.addSql(`create unique index \`bw_payment_transactions_id_unique\` on \`bw_payment_transactions\` (\`id\`);`);
    this.addSql(`create unique index \`bw_payment_transactions_success_key_unique\` on \`bw_payment_transactions\` (\`tenant_record_id\`, \`external_key\`) where status = 'SUCCESS' and transaction_type <> 'CHARGEBACK';`);
    this.addSql(`create unique index \`bw_payment_transactions_leased_unique\` on \`bw_payment_transactions\` (\`tenant_record_id\`, \`payment_id\`) where lease_until is not null;`);

    this.addSql(`create table \`bw_payments\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`id\` text not null, \`account_id\` text not null, \`account_record_id\` integer not null, \`payment_number\` integer not null, \`external_key\` text not null, \`payment_method_id\` text not null, \`state_name\` text null, \`last_success_state_name\` text null, \`created_date\` integer not null);`);
    this.addSql(`create index \`bw_payments_account_index\` on \`bw_payments\` (\`tenant_record_id\`, \`account_record_id\`, \`record_id\`);`);
    this.addSql(`create unique index \`bw_payments_id_unique\` on \`bw_payments\` (\`id\`);`);
    this.addSql(`create unique index \`bw_payments_external_key_unique\` on \`bw_payments\` (\`tenant_record_id\`, \`external_key\`);`);
    this.addSql(`create unique index \`bw_payments_number_unique\` on \`bw_payments\` (\`tenant_record_id\`, \`payment_number\`);`);

    this.addSql(`create table \`bw_queue_entries\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`account_record_id\` integer null, \`kind\` text not null, \`topic\` text not null, \`payload\` text not null, \`user_token\` text not null, \`created_date\` integer not null, \`effective_date\` integer not null, \`due_order\` integer not null, \`unique_key\` text null, \`error_count\` integer not null, \`processing_state\` text not null, \`processing_owner\` text null, \`available_at_ms\` integer null, \`claim_id\` text null, \`claimed_at_ms\` integer null, \`done_handlers\` text not null, \`reason\` text null);`);
    this.addSql(`create index \`bw_queue_entries_due_index\` on \`bw_queue_entries\` (\`due_order\`, \`record_id\`) where processing_state = 'AVAILABLE';`);
    this.addSql(`create index \`bw_queue_entries_account_due_index\` on \`bw_queue_entries\` (\`tenant_record_id\`, \`account_record_id\`, \`due_order\`, \`record_id\`) where processing_state = 'AVAILABLE';`);
    this.addSql(`create index \`bw_queue_entries_claimed_index\` on \`bw_queue_entries\` (\`tenant_record_id\`, \`account_record_id\`) where processing_state = 'IN_PROCESSING';`);
    this.addSql(`create unique index \`bw_queue_entries_unique_key_unique\` on \`bw_queue_entries\` (\`tenant_record_id\`, \`unique_key\`) where unique_key is not null;`);

    this.addSql(`create table \`bw_queue_history\` (\`record_id\` integer not null primary key, \`tenant_record_id\` integer not null, \`account_record_id\` integer null, \`kind\` text not null, \`topic\` text not null, \`payload\` text not null, \`user_token\` text not null, \`created_date\` integer not null, \`effective_date\` integer not null, \`due_order\` integer not null, \`unique_key\` text null, \`error_count\` integer not null, \`processing_state\` text not null, \`processing_owner\` text null, \`available_at_ms\` integer null, \`claim_id\` text null, \`claimed_at_ms\` integer null, \`done_handlers\` text not null, \`reason\` text null);`);
    this.addSql(`create index \`bw_queue_history_account_index\` on \`bw_queue_history\` (\`tenant_record_id\`, \`account_record_id\`, \`record_id\`);`);
    this.addSql(`create index \`bw_queue_history_age_index\` on \`bw_queue_history\` (\`effective_date\`, \`record_id\`);`);

    this.addSql(`create table \`bw_subscription_events\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`id\` text not null, \`subscription_id\` text not null, \`account_record_id\` integer not null, \`type\` text not null, \`effective\` integer not null, \`effective_local\` text not null, \`sequence\` integer not null, \`plan_name\` text null, \`phase_name\` text null, \`price_list_name\` text null, \`phase_anchor\` integer null, \`phase_anchor_local\` text null, \`phase_anchor_type\` text null, \`bill_cycle_day\` integer null, \`quantity\` integer null, \`is_active\` integer not null, \`deactivated_by\` text null, \`created_date\` integer not null);`);
    this.addSql(`create index \`bw_subscription_events_subscription_index\` on \`bw_subscription_events\` (\`tenant_record_id\`, \`subscription_id\`, \`effective\`, \`sequence\`);`);
    this.addSql(`create unique index \`bw_subscription_events_id_unique\` on \`bw_subscription_events\` (\`id\`);`);
    this.addSql(`create unique index \`bw_subscription_events_start_unique\` on \`bw_subscription_events\` (\`tenant_record_id\`, \`subscription_id\`) where is_active and type in ('CREATE', 'TRANSFER');`);

    this.addSql(`create table \`bw_subscriptions\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`id\` text not null, \`bundle_id\` text not null, \`account_id\` text not null, \`account_record_id\` integer not null, \`external_key\` text not null, \`category\` text not null, \`align_start\` integer not null, \`align_start_local\` text not null, \`bundle_start\` integer not null, \`bundle_start_local\` text not null, \`charged_through\` integer null, \`charged_through_local\` text null, \`migrated\` integer not null, \`created_date\` integer not null);`);
    this.addSql(`create index \`bw_subscriptions_account_index\` on \`bw_subscriptions\` (\`tenant_record_id\`, \`account_record_id\`, \`record_id\`);`);
    this.addSql(`create index \`bw_subscriptions_bundle_index\` on \`bw_subscriptions\` (\`tenant_record_id\`, \`bundle_id\`, \`record_id\`);`);
    this.addSql(`create unique index \`bw_subscriptions_id_unique\` on \`bw_subscriptions\` (\`id\`);`);
    this.addSql(`create unique index \`bw_subscriptions_external_key_unique\` on \`bw_subscriptions\` (\`tenant_record_id\`, \`external_key\`);`);

    this.addSql(`create table \`bw_tenants\` (\`record_id\` integer not null primary key autoincrement, \`id\` text not null, \`external_key\` text null, \`api_key\` text not null, \`api_secret_hash\` text not null, \`use_global_default\` integer not null, \`catalog_revision\` integer not null, \`created_date\` integer not null);`);
    this.addSql(`create unique index \`bw_tenants_id_unique\` on \`bw_tenants\` (\`id\`);`);
    this.addSql(`create unique index \`bw_tenants_api_key_unique\` on \`bw_tenants\` (\`api_key\`);`);

    this.addSql(`create table \`bw_test_clock\` (\`record_id\` integer not null primary key autoincrement, \`name\` text not null, \`base\` integer not null, \`set_at_ms\` integer not null);`);
    this.addSql(`create unique index \`bw_test_clock_name_unique\` on \`bw_test_clock\` (\`name\`);`);

    this.addSql(`create table \`bw_users\` (\`record_id\` integer not null primary key autoincrement, \`id\` text not null, \`name\` text not null, \`password_hash\` text not null, \`credential_version\` integer not null, \`permissions\` text not null, \`all_tenants\` integer not null, \`is_active\` integer not null);`);
    this.addSql(`create unique index \`bw_users_id_unique\` on \`bw_users\` (\`id\`);`);
    this.addSql(`create unique index \`bw_users_name_unique\` on \`bw_users\` (\`name\`);`);
  }

}
