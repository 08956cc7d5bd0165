import { Migration } from '@mikro-orm/migrations';

export class Migration20261121Initial extends Migration {

  override name = 'Migration20261121Initial';

  override up(): void | Promise<void> {
    this.addSql(`create table "bw_accounts" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "id" uuid not null, "external_key" text not null, "reference_time" bigint not null, "parent_account_id" uuid null, "is_payment_delegated_to_parent" boolean not null, "currency" text null, "bill_cycle_day_local" int not null, "payment_method_id" uuid null, "name" text null, "first_name_length" int null, "company" text null, "address1" text null, "address2" text null, "city" text null, "state" text null, "postal_code" text null, "country" text null, "locale" text null, "time_zone" text not null, "phone" text null, "email" text null, "notes" text null, "is_migrated" boolean null, "created_date" bigint not null, "updated_date" bigint not null);`);
    this.addSql(`create index "bw_accounts_page_index" on "bw_accounts" ("tenant_record_id", "record_id");`);
    this.addSql(`alter table "bw_accounts" add constraint "bw_accounts_id_unique" unique ("id");`);
    this.addSql(`alter table "bw_accounts" add constraint "bw_accounts_external_key_unique" unique ("tenant_record_id", "external_key");`);

    this.addSql(`create table "bw_audit_log" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "id" uuid not null, "table_name" text not null, "target_id" uuid not null, "target_record_id" bigint not null, "account_record_id" bigint null, "change_type" text not null, "change_date" bigint not null, "changed_by" text not null, "reason_code" text null, "comments" text null, "user_token" uuid not null, "snapshot" json null);`);
    this.addSql(`create index "bw_audit_log_target_index" on "bw_audit_log" ("tenant_record_id", "target_id", "record_id");`);
    this.addSql(`create index "bw_audit_log_account_index" on "bw_audit_log" ("tenant_record_id", "account_record_id", "record_id");`);

    this.addSql(`create table "bw_blocking_states" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "id" uuid not null, "blocked_id" uuid not null, "account_record_id" bigint not null, "type" text not null, "service" text not null, "state_name" text not null, "is_block_change" boolean not null, "is_block_entitlement" boolean not null, "is_block_billing" boolean not null, "effective" bigint not null, "effective_local" date not null, "sequence" int not null, "is_active" boolean not null, "caused_by" uuid null, "created_date" bigint not null);`);
    this.addSql(`create index "bw_blocking_states_blocked_index" on "bw_blocking_states" ("tenant_record_id", "blocked_id", "effective", "sequence");`);
    this.addSql(`alter table "bw_blocking_states" add constraint "bw_blocking_states_id_unique" unique ("id");`);
    this.addSql(`create unique index "bw_blocking_states_started_unique" on "bw_blocking_states" ("tenant_record_id", "blocked_id") where is_active and service = 'entitlement-service' and state_name = 'ENT_STARTED';`);

    this.addSql(`create table "bw_bundles" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "id" uuid not null, "account_id" uuid not null, "account_record_id" bigint not null, "external_key" text not null, "original_created_date" bigint not null, "created_date" bigint not null);`);
    this.addSql(`create index "bw_bundles_account_index" on "bw_bundles" ("tenant_record_id", "account_record_id", "record_id");`);
    this.addSql(`alter table "bw_bundles" add constraint "bw_bundles_id_unique" unique ("id");`);
    this.addSql(`alter table "bw_bundles" add constraint "bw_bundles_external_key_unique" unique ("tenant_record_id", "external_key");`);

    this.addSql(`create table "bw_catalog_versions" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "id" uuid not null, "effective_date" bigint not null, "upload_id" uuid not null, "canonical_xml" text not null, "source_text" text null, "content_hash" text not null, "created_date" bigint not null);`);
    this.addSql(`alter table "bw_catalog_versions" add constraint "bw_catalog_versions_id_unique" unique ("id");`);
    this.addSql(`alter table "bw_catalog_versions" add constraint "bw_catalog_versions_effective_date_unique" unique ("tenant_record_id", "effective_date");`);

    this.addSql(`create table "bw_counters" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "name" text not null, "value" bigint not null);`);
    this.addSql(`alter table "bw_counters" add constraint "bw_counters_name_unique" unique ("tenant_record_id", "name");`);

    this.addSql(`create table "bw_coverage" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "account_record_id" bigint not null, "kind" text not null, "subscription_id" uuid not null, "item_id" uuid not null, "start_date" date not null, "end_date" date null, "plan_name" text not null, "phase_name" text not null, "rate" numeric null, "amount" numeric not null);`);
    this.addSql(`create index "bw_coverage_end_index" on "bw_coverage" ("tenant_record_id", "subscription_id", "end_date");`);
    this.addSql(`create index "bw_coverage_start_index" on "bw_coverage" ("tenant_record_id", "subscription_id", "start_date");`);
    this.addSql(`create index "bw_coverage_item_index" on "bw_coverage" ("tenant_record_id", "item_id");`);
    this.addSql(`create unique index "bw_coverage_recurring_unique" on "bw_coverage" ("tenant_record_id", "subscription_id", "start_date") where kind = 'RECURRING';`);
    this.addSql(`create unique index "bw_coverage_fixed_unique" on "bw_coverage" ("tenant_record_id", "subscription_id", "start_date", "plan_name", "phase_name", "amount") where kind = 'FIXED';`);
    this.addSql(`create unique index "bw_coverage_free_unique" on "bw_coverage" ("tenant_record_id", "subscription_id", "start_date", "end_date", "plan_name", "phase_name") where kind = 'FREE';`);

    this.addSql(`create table "bw_invoice_items" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "id" uuid not null, "invoice_id" uuid not null, "account_id" uuid not null, "account_record_id" bigint not null, "item_type" text not null, "child_account_id" uuid null, "bundle_id" uuid null, "subscription_id" uuid null, "product_name" text null, "plan_name" text null, "phase_name" text null, "usage_name" text null, "description" text null, "start_date" date null, "end_date" date null, "amount" numeric not null, "rate" numeric null, "currency" text not null, "quantity" numeric null, "linked_item_id" uuid null, "item_details" text null, "catalog_effective_date" bigint null, "repairable" numeric not null, "created_date" bigint not null);`);
    this.addSql(`create index "bw_invoice_items_invoice_index" on "bw_invoice_items" ("tenant_record_id", "invoice_id", "record_id");`);
    this.addSql(`create index "bw_invoice_items_account_index" on "bw_invoice_items" ("tenant_record_id", "account_record_id", "record_id");`);
    this.addSql(`alter table "bw_invoice_items" add constraint "bw_invoice_items_id_unique" unique ("id");`);

    this.addSql(`create table "bw_invoice_payments" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "id" uuid not null, "account_record_id" bigint not null, "invoice_id" uuid not null, "type" text not null, "status" text not null, "payment_id" uuid null, "payment_date" bigint not null, "amount" numeric not null, "currency" text not null, "processed_currency" text not null, "transaction_external_key" text not null, "linked_invoice_payment_id" uuid null, "created_date" bigint not null);`);
    this.addSql(`create index "bw_invoice_payments_invoice_index" on "bw_invoice_payments" ("tenant_record_id", "invoice_id", "record_id");`);
    this.addSql(`create index "bw_invoice_payments_payment_index" on "bw_invoice_payments" ("tenant_record_id", "payment_id", "record_id");`);
    this.addSql(`alter table "bw_invoice_payments" add constraint "bw_invoice_payments_id_unique" unique ("id");`);
    this.addSql(`alter table "bw_invoice_payments" add constraint "bw_invoice_payments_key_unique" unique ("tenant_record_id", "type", "transaction_external_key");`);

    this.addSql(`create table "bw_invoices" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "id" uuid not null, "account_id" uuid not null, "account_record_id" bigint not null, "invoice_number" bigint not null, "invoice_date" date not null, "target_date" date null, "commit_date" date null, "currency" text not null, "status" text not null, "is_migration" boolean not null, "is_written_off" boolean not null, "is_parent_invoice" boolean not null, "group_id" uuid not null, "amount" numeric not null, "credit_adj" numeric not null, "refund_adj" numeric not null, "raw_balance" numeric not null, "created_date" bigint not null);`);
    this.addSql(`create index "bw_invoices_page_index" on "bw_invoices" ("tenant_record_id", "record_id");`);
    this.addSql(`create index "bw_invoices_account_index" on "bw_invoices" ("tenant_record_id", "account_record_id", "record_id");`);
    this.addSql(`alter table "bw_invoices" add constraint "bw_invoices_id_unique" unique ("id");`);
    this.addSql(`alter table "bw_invoices" add constraint "bw_invoices_number_unique" unique ("tenant_record_id", "invoice_number");`);

    this.addSql(`create table "bw_invoicing_cursors" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "account_record_id" bigint not null, "subscription_id" uuid not null, "settled_through" date null, "dirty_from" date null, "next_due_date" date null, "items_date" date null, "items_count" int not null);`);
    this.addSql(`create index "bw_invoicing_cursors_due_index" on "bw_invoicing_cursors" ("tenant_record_id", "account_record_id", "next_due_date");`);
    this.addSql(`alter table "bw_invoicing_cursors" add constraint "bw_invoicing_cursors_subscription_unique" unique ("tenant_record_id", "subscription_id");`);

    this.addSql(`create table "bw_invoicing_states" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "account_id" uuid not null, "account_record_id" bigint not null, "max_target_date" date null, "account_cba" numeric not null, "account_balance" numeric not null, "parked" boolean not null, "version" int not null);`);
    this.addSql(`alter table "bw_invoicing_states" add constraint "bw_invoicing_states_account_unique" unique ("tenant_record_id", "account_id");`);

    this.addSql(`create table "bw_payment_attempts" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "id" uuid not null, "account_id" uuid not null, "account_record_id" bigint not null, "payment_method_id" uuid null, "payment_external_key" text not null, "transaction_id" uuid null, "transaction_external_key" text not null, "transaction_type" text not null, "state_name" text not null, "amount" numeric null, "currency" text null, "plugin_names" json not null, "is_api_payment" boolean not null, "created_date" bigint not null);`);
    this.addSql(`create index "bw_payment_attempts_payment_key_index" on "bw_payment_attempts" ("tenant_record_id", "payment_external_key", "record_id");`);
    this.addSql(`alter table "bw_payment_attempts" add constraint "bw_payment_attempts_id_unique" unique ("id");`);

    this.addSql(`create table "bw_payment_methods" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "id" uuid not null, "external_key" text not null, "account_id" uuid not null, "account_record_id" bigint not null, "plugin_name" text not null, "is_active" boolean not null, "created_date" bigint not null);`);
    this.addSql(`create index "bw_payment_methods_account_index" on "bw_payment_methods" ("tenant_record_id", "account_record_id", "record_id");`);
    this.addSql(`alter table "bw_payment_methods" add constraint "bw_payment_methods_id_unique" unique ("id");`);
    this.addSql(`alter table "bw_payment_methods" add constraint "bw_payment_methods_external_key_unique" unique ("tenant_record_id", "external_key");`);

    this.addSql(`create table "bw_payment_transactions" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "id" uuid not null, "payment_id" uuid not null, "account_record_id" bigint not null, "attempt_id" uuid null, "external_key" text not null, "transaction_type" text not null, "effective_date" bigint not null, "status" text not null, "amount" numeric null, "currency" text null, "processed_amount" numeric null, "processed_currency" text null, "gateway_error_code" text null, "gateway_error_msg" text null, "lease_until" bigint null, "created_date" bigint not null);`);
    this.addSql(`create index "bw_payment_transactions_payment_index" on "bw_payment_transactions" ("tenant_record_id", "payment_id", "record_id");`);
    this.addSql(`create index "bw_payment_transactions_external_key_index" on "bw_payment_transactions" ("tenant_record_id", "external_key");`);
    this.addSql(`alter table "bw_payment_transactions" add constraint "bw_payment_transactions_id_unique" unique ("id");`);
    this.addSql(`create unique index "bw_payment_transactions_success_key_unique" on "bw_payment_transactions" ("tenant_record_id", "external_key") where status = 'SUCCESS' and transaction_type <> 'CHARGEBACK';`);
    this.addSql(`create unique index "bw_payment_transactions_leased_unique" on "bw_payment_transactions" ("tenant_record_id", "payment_id") where lease_until is not null;`);

    this.addSql(`create table "bw_payments" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "id" uuid not null, "account_id" uuid not null, "account_record_id" bigint not null, "payment_number" bigint not null, "external_key" text not null, "payment_method_id" uuid not null, "state_name" text null, "last_success_state_name" text null, "created_date" bigint not null);`);
    this.addSql(`create index "bw_payments_account_index" on "bw_payments" ("tenant_record_id", "account_record_id", "record_id");`);
    this.addSql(`alter table "bw_payments" add constraint "bw_payments_id_unique" unique ("id");`);
    this.addSql(`alter table "bw_payments" add constraint "bw_payments_external_key_unique" unique ("tenant_record_id", "external_key");`);
    this.addSql(`alter table "bw_payments" add constraint "bw_payments_number_unique" unique ("tenant_record_id", "payment_number");`);

    this.addSql(`create table "bw_queue_entries" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "account_record_id" bigint null, "kind" text not null, "topic" text not null, "payload" json not null, "user_token" uuid not null, "created_date" bigint not null, "effective_date" bigint not null, "due_order" bigint not null, "unique_key" text null, "error_count" int not null, "processing_state" text not null, "processing_owner" text null, "available_at_ms" bigint null, "claim_id" uuid null, "claimed_at_ms" bigint null, "done_handlers" json not null, "reason" text null);`);
    this.addSql(`create index "bw_queue_entries_due_index" on "bw_queue_entries" ("due_order", "record_id") where processing_state = 'AVAILABLE';`);
    this.addSql(`create index "bw_queue_entries_account_due_index" on "bw_queue_entries" ("tenant_record_id", "account_record_id", "due_order", "record_id") where processing_state = 'AVAILABLE';`);
    this.addSql(`create index "bw_queue_entries_claimed_index" on "bw_queue_entries" ("tenant_record_id", "account_record_id") where processing_state = 'IN_PROCESSING';`);
    this.addSql(`create unique index "bw_queue_entries_unique_key_unique" on "bw_queue_entries" ("tenant_record_id", "unique_key") where unique_key is not null;`);

    this.addSql(`create table "bw_queue_history" ("record_id" bigint not null, "tenant_record_id" bigint not null, "account_record_id" bigint null, "kind" text not null, "topic" text not null, "payload" json not null, "user_token" uuid not null, "created_date" bigint not null, "effective_date" bigint not null, "due_order" bigint not null, "unique_key" text null, "error_count" int not null, "processing_state" text not null, "processing_owner" text null, "available_at_ms" bigint null, "claim_id" uuid null, "claimed_at_ms" bigint null, "done_handlers" json not null, "reason" text null, primary key ("record_id"));`);
    this.addSql(`create index "bw_queue_history_account_index" on "bw_queue_history" ("tenant_record_id", "account_record_id", "record_id");`);
    this.addSql(`create index "bw_queue_history_age_index" on "bw_queue_history" ("effective_date", "record_id");`);

    this.addSql(`create table "bw_subscription_events" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "id" uuid not null, "subscription_id" uuid not null, "account_record_id" bigint not null, "type" text not null, "effective" bigint not null, "effective_local" date not null, "sequence" int not null, "plan_name" text null, "phase_name" text null, "price_list_name" text null, "phase_anchor" bigint null, "phase_anchor_local" date null, "phase_anchor_type" text null, "bill_cycle_day" int null, "quantity" int null, "is_active" boolean not null, "deactivated_by" uuid null, "created_date" bigint not null);`);
    this.addSql(`create index "bw_subscription_events_subscription_index" on "bw_subscription_events" ("tenant_record_id", "subscription_id", "effective", "sequence");`);
    this.addSql(`alter table "bw_subscription_events" add constraint "bw_subscription_events_id_unique" unique ("id");`);
    this.addSql(`create unique index "bw_subscription_events_start_unique" on "bw_subscription_events" ("tenant_record_id", "subscription_id") where is_active and type in ('CREATE', 'TRANSFER');`);

    this.addSql(`create table "bw_subscriptions" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "id" uuid not null, "bundle_id" uuid not null, "account_id" uuid not null, "account_record_id" bigint not null, "external_key" text not null, "category" text not null, "align_start" bigint not null, "align_start_local" date not null, "bundle_start" bigint not null, "bundle_start_local" date not null, "charged_through" bigint null, "charged_through_local" date null, "migrated" boolean not null, "created_date" bigint not null);`);
    this.addSql(`create index "bw_subscriptions_account_index" on "bw_subscriptions" ("tenant_record_id", "account_record_id", "record_id");`);
    this.addSql(`create index "bw_subscriptions_bundle_index" on "bw_subscriptions" ("tenant_record_id", "bundle_id", "record_id");`);
    this.addSql(`alter table "bw_subscriptions" add constraint "bw_subscriptions_id_unique" unique ("id");`);
    this.addSql(`alter table "bw_subscriptions" add constraint "bw_subscriptions_external_key_unique" unique ("tenant_record_id", "external_key");`);

    this.addSql(`create table "bw_tenants" ("record_id" bigserial primary key, "id" uuid not null, "external_key" text null, "api_key" text not null, "api_secret_hash" text not null, "use_global_default" boolean not null, "catalog_revision" int not null, "created_date" bigint not null);`);
    this.addSql(`alter table "bw_tenants" add constraint "bw_tenants_id_unique" unique ("id");`);
    this.addSql(`alter table "bw_tenants" add constraint "bw_tenants_api_key_unique" unique ("api_key");`);

    this.addSql(`create table "bw_test_clock" ("record_id" bigserial primary key, "name" text not null, "base" bigint not null, "set_at_ms" bigint not null);`);
    this.addSql(`alter table "bw_test_clock" add constraint "bw_test_clock_name_unique" unique ("name");`);

    this.addSql(`create table "bw_users" ("record_id" bigserial primary key, "id" uuid not null, "name" text not null, "password_hash" text not null, "credential_version" int not null, "permissions" json not null, "all_tenants" boolean not null, "is_active" boolean not null);`);
    this.addSql(`alter table "bw_users" add constraint "bw_users_id_unique" unique ("id");`);
    this.addSql(`alter table "bw_users" add constraint "bw_users_name_unique" unique ("name");`);
  }

}
