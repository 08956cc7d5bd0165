import { Migration } from '@mikro-orm/migrations';

const schema = `
create table bw_tenants (
  record_id integer not null primary key autoincrement, id text not null, external_key text,
  api_key text not null, api_secret_hash text not null, use_global_default integer not null,
  catalog_revision integer not null, configuration_record_id integer, created_date integer not null
);
create unique index bw_tenants_id_unique on bw_tenants (id);
create unique index bw_tenants_api_key_unique on bw_tenants (api_key);

create table bw_users (
  record_id integer not null primary key autoincrement, id text not null, name text not null,
  password_hash text not null, credential_version integer not null, permissions text not null,
  all_tenants integer not null, is_active integer not null, roles text not null, tenant_ids text not null
);
create unique index bw_users_id_unique on bw_users (id);
create unique index bw_users_name_unique on bw_users (name);

create table bw_roles (
  record_id integer not null primary key autoincrement, id text not null, name text not null,
  permissions text not null
);
create unique index bw_roles_id_unique on bw_roles (id);
create unique index bw_roles_name_unique on bw_roles (name);

create table bw_api_clients (
  record_id integer not null primary key autoincrement, id text not null, name text not null,
  secret_hash text not null, credential_version integer not null, roles text not null,
  all_tenants integer not null, tenant_ids text not null, is_active integer not null
);
create unique index bw_api_clients_id_unique on bw_api_clients (id);
create unique index bw_api_clients_name_unique on bw_api_clients (name);

create table bw_login_sessions (
  record_id integer not null primary key autoincrement, id text not null, token_hash text not null,
  user_name text not null, credential_version integer not null, started_ms integer not null,
  last_access_ms integer not null, host text
);
create index bw_login_sessions_last_access_index on bw_login_sessions (last_access_ms);
create unique index bw_login_sessions_id_unique on bw_login_sessions (id);
create unique index bw_login_sessions_token_unique on bw_login_sessions (token_hash);

create table bw_login_failures (
  record_id integer not null primary key autoincrement, subject text not null, failed_at_ms text not null,
  last_failure_ms integer not null, locked_until_ms integer
);
create index bw_login_failures_last_failure_index on bw_login_failures (last_failure_ms);
create unique index bw_login_failures_subject_unique on bw_login_failures (subject);

create table bw_signing_keys (
  record_id integer not null primary key autoincrement, id text not null, kid text not null,
  public_key text not null, private_key text not null, created_ms integer not null
);
create unique index bw_signing_keys_id_unique on bw_signing_keys (id);
create unique index bw_signing_keys_kid_unique on bw_signing_keys (kid);

create table bw_idempotency_keys (
  record_id integer not null primary key autoincrement, tenant_record_id integer not null,
  idempotency_key text not null, request_hash text not null, claim_id text not null,
  started_ms integer not null, status integer, headers text, body text
);
create index bw_idempotency_keys_started_index on bw_idempotency_keys (started_ms);
create unique index bw_idempotency_keys_key_unique on bw_idempotency_keys (tenant_record_id, idempotency_key);

create table bw_test_clock (
  record_id integer not null primary key autoincrement, name text not null, base integer not null,
  set_at_ms integer not null
);
create unique index bw_test_clock_name_unique on bw_test_clock (name);

create table bw_counters (
  record_id integer not null primary key autoincrement, tenant_record_id integer not null,
  name text not null, value integer not null
);
create unique index bw_counters_name_unique on bw_counters (tenant_record_id, name);

create table bw_tenant_kvs (
  record_id integer not null primary key autoincrement, tenant_record_id integer not null, id text not null,
  key text not null, value text not null, is_single integer not null, is_active integer not null,
  created_date integer not null, updated_date integer not null
);
create index bw_tenant_kvs_key_index on bw_tenant_kvs (tenant_record_id, key) where is_active;
create unique index bw_tenant_kvs_id_unique on bw_tenant_kvs (id);
create unique index bw_tenant_kvs_single_unique on bw_tenant_kvs (tenant_record_id, key)
  where is_active and is_single;

create table bw_signing_secrets (
  record_id integer not null primary key autoincrement, tenant_record_id integer not null, id text not null,
  secret text not null, signs_until_ms integer, is_active integer not null, created_date integer not null
);
create index bw_signing_secrets_active_index on bw_signing_secrets (tenant_record_id) where is_active;
create unique index bw_signing_secrets_id_unique on bw_signing_secrets (id);
create unique index bw_signing_secrets_current_unique on bw_signing_secrets (tenant_record_id)
  where is_active and signs_until_ms is null;

create table bw_accounts (
  record_id integer not null primary key autoincrement, tenant_record_id integer not null, id text not null,
  external_key text not null, reference_time integer not null, parent_account_id text,
  is_payment_delegated_to_parent integer not null, currency text, bill_cycle_day_local integer not null,
  payment_method_id text, name text, first_name_length integer, company text, address1 text, address2 text,
  city text, state text, postal_code text, country text, locale text, time_zone text not null, phone text,
  email text, notes text, is_migrated integer, created_date integer not null, updated_date integer not null,
  folded_text text, created_by text, updated_by text
);
create index bw_accounts_page_index on bw_accounts (tenant_record_id, record_id);
create index bw_accounts_parent_index on bw_accounts (tenant_record_id, parent_account_id, record_id)
  where parent_account_id is not null;
create index bw_accounts_name_index on bw_accounts (tenant_record_id, name, record_id);
create index bw_accounts_email_index on bw_accounts (tenant_record_id, email, record_id);
create index bw_accounts_company_index on bw_accounts (tenant_record_id, company, record_id);
create index bw_accounts_text_index on bw_accounts (tenant_record_id, record_id, folded_text);
create unique index bw_accounts_id_unique on bw_accounts (id);
create unique index bw_accounts_external_key_unique on bw_accounts (tenant_record_id, external_key);

create table bw_account_emails (
  record_id integer not null primary key autoincrement, tenant_record_id integer not null, id text not null,
  account_id text not null, account_record_id integer not null, email text not null,
  is_active integer not null, created_date integer not null
);
create index bw_account_emails_account_index
  on bw_account_emails (tenant_record_id, account_record_id, record_id);
create unique index bw_account_emails_id_unique on bw_account_emails (id);
create unique index bw_account_emails_email_unique
  on bw_account_emails (tenant_record_id, account_record_id, email)
  where is_active;

create table bw_catalog_versions (
  record_id integer not null primary key autoincrement, tenant_record_id integer not null, id text not null,
  effective_date integer not null, upload_id text not null, canonical_xml text, composition text,
  source_text text, content_hash text not null, revision integer, created_date integer not null,
  removed_date integer
);
create unique index bw_catalog_versions_id_unique on bw_catalog_versions (id);
create unique index bw_catalog_versions_effective_date_unique
  on bw_catalog_versions (tenant_record_id, effective_date)
  where removed_date is null;

create table bw_catalog_parts (
  record_id integer not null primary key autoincrement, tenant_record_id integer not null,
  content_hash text not null, kind text not null, name text not null, for_existing integer,
  shape_record_id integer, text text not null
);
create unique index bw_catalog_parts_content_hash_unique on bw_catalog_parts (tenant_record_id, content_hash);

create table bw_override_plans (
  record_id integer not null primary key autoincrement, tenant_record_id integer not null, id text not null,
  number integer not null, plan_name text not null, parent_plan_name text not null, currency text not null,
  overrides text not null, override_hash text not null, created_date integer not null
);
create unique index bw_override_plans_id_unique on bw_override_plans (id);
create unique index bw_override_plans_number_unique on bw_override_plans (tenant_record_id, number);
create unique index bw_override_plans_plan_name_unique on bw_override_plans (tenant_record_id, plan_name);
create unique index bw_override_plans_overrides_unique
  on bw_override_plans (tenant_record_id, parent_plan_name, override_hash);

create table bw_catalog_entries (
  record_id integer not null primary key autoincrement, tenant_record_id integer not null, id text not null,
  kind text not null, name text not null, account_id text, account_record_id integer, parent_id text,
  product text, plan text, created_date integer not null
);
create index bw_catalog_entries_account_index
  on bw_catalog_entries (tenant_record_id, account_record_id, record_id);
create index bw_catalog_entries_named_index on bw_catalog_entries (tenant_record_id, name);
create index bw_catalog_entries_parent_index on bw_catalog_entries (tenant_record_id, parent_id);
create unique index bw_catalog_entries_id_unique on bw_catalog_entries (id);
create unique index bw_catalog_entries_name_unique on bw_catalog_entries (tenant_record_id, kind, name);

create table bw_catalog_plan_rows (
  record_id integer not null primary key autoincrement, tenant_record_id integer not null, id text not null,
  plan_name text not null, account_record_id integer, effective_date integer not null,
  created_order integer not null, effective_date_for_existing integer, retired integer not null,
  since_revision integer not null, phases text not null, created_date integer not null
);
create index bw_catalog_plan_rows_since_index on bw_catalog_plan_rows (tenant_record_id, since_revision);
create unique index bw_catalog_plan_rows_id_unique on bw_catalog_plan_rows (id);
create unique index bw_catalog_plan_rows_order_unique
  on bw_catalog_plan_rows (tenant_record_id, plan_name, effective_date, created_order);

create table bw_bundles (
  record_id integer not null primary key autoincrement, tenant_record_id integer not null, id text not null,
  account_id text not null, account_record_id integer not null, external_key text not null,
  retired_key text, original_created_date integer not null, created_by text, created_date integer not null,
  updated_by text, updated_date integer
);
create index bw_bundles_page_index on bw_bundles (tenant_record_id, record_id);
create index bw_bundles_account_index on bw_bundles (tenant_record_id, account_record_id, record_id);
create index bw_bundles_key_index on bw_bundles (tenant_record_id, external_key, record_id);
create unique index bw_bundles_id_unique on bw_bundles (id);
create unique index bw_bundles_external_key_unique on bw_bundles (tenant_record_id, external_key)
  where retired_key is null;

create table bw_former_bundle_keys (
  record_id integer not null primary key autoincrement, tenant_record_id integer not null,
  account_record_id integer not null, bundle_id text not null, external_key text not null
);
create index bw_former_bundle_keys_account_index
  on bw_former_bundle_keys (tenant_record_id, account_record_id, record_id);
create unique index bw_former_bundle_keys_key_unique
  on bw_former_bundle_keys (tenant_record_id, external_key, bundle_id);

create table bw_subscriptions (
  record_id integer not null primary key autoincrement, tenant_record_id integer not null, id text not null,
  bundle_id text not null, account_id text not null, account_record_id integer not null,
  external_key text not null, category text not null, align_start integer not null,
  align_start_local text not null, bundle_start integer not null, bundle_start_local text not null,
  charged_through integer, charged_through_local text, migrated integer not null,
  created_date integer not null
);
create index bw_subscriptions_account_index
  on bw_subscriptions (tenant_record_id, account_record_id, record_id);
create index bw_subscriptions_bundle_index on bw_subscriptions (tenant_record_id, bundle_id, record_id);
create unique index bw_subscriptions_id_unique on bw_subscriptions (id);
create unique index bw_subscriptions_external_key_unique on bw_subscriptions (tenant_record_id, external_key);

create table bw_subscription_events (
  record_id integer not null primary key autoincrement, tenant_record_id integer not null, id text not null,
  subscription_id text not null, account_record_id integer not null, type text not null,
  effective integer not null, effective_local text not null, sequence integer not null, plan_name text,
  phase_name text, price_list_name text, phase_anchor integer, phase_anchor_local text,
  phase_anchor_type text, bill_cycle_day integer, quantity integer, reason text, is_active integer not null,
  deactivated_by text, created_date integer not null
);
create index bw_subscription_events_subscription_index
  on bw_subscription_events (tenant_record_id, subscription_id, effective, sequence);
create index bw_subscription_events_of_plan_index
  on bw_subscription_events (tenant_record_id, plan_name, account_record_id);
create unique index bw_subscription_events_id_unique on bw_subscription_events (id);
create unique index bw_subscription_events_start_unique
  on bw_subscription_events (tenant_record_id, subscription_id)
  where is_active and type in ('CREATE', 'TRANSFER');

create table bw_blocking_states (
  record_id integer not null primary key autoincrement, tenant_record_id integer not null, id text not null,
  blocked_id text not null, account_record_id integer not null, type text not null, service text not null,
  state_name text not null, is_block_change integer not null, is_block_entitlement integer not null,
  is_block_billing integer not null, effective integer not null, effective_local text not null,
  sequence integer not null, is_active integer not null, caused_by text, created_date integer not null
);
create index bw_blocking_states_blocked_index
  on bw_blocking_states (tenant_record_id, blocked_id, effective, sequence);
create index bw_blocking_states_block_index on bw_blocking_states (tenant_record_id, account_record_id)
  where is_active and state_name <> 'ENT_STARTED' and state_name <> 'ENT_CANCELLED';
create unique index bw_blocking_states_id_unique on bw_blocking_states (id);
create unique index bw_blocking_states_started_unique on bw_blocking_states (tenant_record_id, blocked_id)
  where is_active and service = 'entitlement-service' and state_name = 'ENT_STARTED';

create table bw_invoices (
  record_id integer not null primary key autoincrement, tenant_record_id integer not null, id text not null,
  account_id text not null, account_record_id integer not null, invoice_number integer not null,
  invoice_date text not null, target_date text, commit_date text, currency text not null,
  status text not null, is_migration integer not null, is_written_off integer not null,
  is_parent_invoice integer not null, parent_invoice_id text, parent_account_id text,
  contributed_amount text, group_id text not null, amount text not null, credit_adj text not null,
  refund_adj text not null, raw_balance text not null, created_date integer not null
);
create index bw_invoices_page_index on bw_invoices (tenant_record_id, record_id);
create index bw_invoices_account_index on bw_invoices (tenant_record_id, account_record_id, record_id);
create index bw_invoices_open_index on bw_invoices (tenant_record_id, account_record_id)
  where raw_balance <> '0';
create index bw_invoices_linked_index on bw_invoices (tenant_record_id, parent_invoice_id)
  where parent_invoice_id is not null;
create index bw_invoices_delegated_index on bw_invoices (tenant_record_id, account_record_id)
  where contributed_amount is not null;
create index bw_invoices_draft_index on bw_invoices (tenant_record_id, account_record_id)
  where status = 'DRAFT';
create unique index bw_invoices_id_unique on bw_invoices (id);
create unique index bw_invoices_number_unique on bw_invoices (tenant_record_id, invoice_number);
create unique index bw_invoices_summary_unique on bw_invoices (tenant_record_id, account_record_id)
  where status = 'DRAFT' and is_parent_invoice;

create table bw_invoice_items (
  record_id integer not null primary key autoincrement, tenant_record_id integer not null, id text not null,
  invoice_id text not null, account_id text not null, account_record_id integer not null,
  item_type text not null, child_account_id text, bundle_id text, subscription_id text, product_name text,
  plan_name text, phase_name text, usage_name text, description text, start_date text, end_date text,
  amount text not null, rate text, currency text not null, quantity text, linked_item_id text,
  item_details text, catalog_effective_date integer, repairable text not null,
  created_date integer not null, basis text
);
create index bw_invoice_items_invoice_index on bw_invoice_items (tenant_record_id, invoice_id, record_id);
create index bw_invoice_items_linked_index on bw_invoice_items (tenant_record_id, linked_item_id)
  where linked_item_id is not null;
create index bw_invoice_items_account_index
  on bw_invoice_items (tenant_record_id, account_record_id, record_id);
create unique index bw_invoice_items_id_unique on bw_invoice_items (id);

create table bw_coverage (
  record_id integer not null primary key autoincrement, tenant_record_id integer not null,
  account_record_id integer not null, kind text not null, subscription_id text not null,
  item_id text not null, start_date text not null, end_date text, plan_name text not null,
  phase_name text not null, rate text, amount text not null
);
create unique index bw_coverage_recurring_unique
  on bw_coverage (tenant_record_id, subscription_id, start_date)
  where kind = 'RECURRING';
create unique index bw_coverage_fixed_unique
  on bw_coverage (tenant_record_id, subscription_id, start_date, plan_name, phase_name, amount)
  where kind = 'FIXED';
create unique index bw_coverage_free_unique
  on bw_coverage (tenant_record_id, subscription_id, start_date, end_date, plan_name, phase_name)
  where kind = 'FREE';

create table bw_invoicing_cursors (
  record_id integer not null primary key autoincrement, tenant_record_id integer not null,
  account_record_id integer not null, subscription_id text not null, settled_through text, dirty_from text,
  next_due_date text, catalog_revision integer, items_date text, items_count integer not null,
  ongoing_bundle_id text, ongoing_event_record_id integer,
  ongoing_event text
);
create index bw_invoicing_cursors_due_index on bw_invoicing_cursors (tenant_record_id, account_record_id);
create unique index bw_invoicing_cursors_subscription_unique
  on bw_invoicing_cursors (tenant_record_id, subscription_id);

create table bw_invoicing_states (
  record_id integer not null primary key autoincrement, tenant_record_id integer not null,
  account_id text not null, account_record_id integer not null, max_target_date text,
  account_cba text not null, account_balance text not null, version integer not null
);
create unique index bw_invoicing_states_account_unique on bw_invoicing_states (tenant_record_id, account_id);

create table bw_payment_methods (
  record_id integer not null primary key autoincrement, tenant_record_id integer not null, id text not null,
  external_key text not null, account_id text not null, account_record_id integer not null,
  plugin_name text not null, is_active integer not null, created_date integer not null
);
create index bw_payment_methods_account_index
  on bw_payment_methods (tenant_record_id, account_record_id, record_id);
create unique index bw_payment_methods_id_unique on bw_payment_methods (id);
create unique index bw_payment_methods_external_key_unique
  on bw_payment_methods (tenant_record_id, external_key);

create table bw_payments (
  record_id integer not null primary key autoincrement, tenant_record_id integer not null, id text not null,
  account_id text not null, account_record_id integer not null, payment_number integer not null,
  external_key text not null, payment_method_id text not null, state_name text,
  last_success_state_name text, created_date integer not null
);
create index bw_payments_account_index on bw_payments (tenant_record_id, account_record_id, record_id);
create unique index bw_payments_id_unique on bw_payments (id);
create unique index bw_payments_external_key_unique on bw_payments (tenant_record_id, external_key);
create unique index bw_payments_number_unique on bw_payments (tenant_record_id, payment_number);

create table bw_payment_transactions (
  record_id integer not null primary key autoincrement, tenant_record_id integer not null, id text not null,
  payment_id text not null, account_record_id integer not null, attempt_id text, external_key text not null,
  transaction_type text not null, effective_date integer not null, status text not null, amount text,
  currency text, processed_amount text, processed_currency text, gateway_error_code text,
  gateway_error_msg text, lease_until integer, created_date integer not null
);
create index bw_payment_transactions_payment_index
  on bw_payment_transactions (tenant_record_id, payment_id, record_id);
create index bw_payment_transactions_external_key_index
  on bw_payment_transactions (tenant_record_id, external_key);
create unique index bw_payment_transactions_id_unique on bw_payment_transactions (id);
create unique index bw_payment_transactions_success_key_unique
  on bw_payment_transactions (tenant_record_id, external_key)
  where status = 'SUCCESS' and transaction_type <> 'CHARGEBACK';
create unique index bw_payment_transactions_leased_unique
  on bw_payment_transactions (tenant_record_id, payment_id)
  where lease_until is not null;

create table bw_payment_attempts (
  record_id integer not null primary key autoincrement, tenant_record_id integer not null, id text not null,
  account_id text not null, account_record_id integer not null, payment_method_id text,
  payment_external_key text not null, transaction_id text, transaction_external_key text not null,
  transaction_type text not null, state_name text not null, amount text, currency text,
  plugin_names text not null, is_api_payment integer not null, created_date integer not null
);
create index bw_payment_attempts_payment_key_index
  on bw_payment_attempts (tenant_record_id, payment_external_key, record_id);
create unique index bw_payment_attempts_id_unique on bw_payment_attempts (id);

create table bw_invoice_payments (
  record_id integer not null primary key autoincrement, tenant_record_id integer not null, id text not null,
  account_record_id integer not null, invoice_id text not null, type text not null, status text not null,
  payment_id text, payment_date integer not null, amount text not null, currency text not null,
  processed_currency text not null, transaction_external_key text not null, linked_invoice_payment_id text,
  created_date integer not null
);
create index bw_invoice_payments_invoice_index
  on bw_invoice_payments (tenant_record_id, invoice_id, record_id);
create index bw_invoice_payments_payment_index
  on bw_invoice_payments (tenant_record_id, payment_id, record_id);
create unique index bw_invoice_payments_id_unique on bw_invoice_payments (id);
create unique index bw_invoice_payments_key_unique
  on bw_invoice_payments (tenant_record_id, type, transaction_external_key);

create table bw_auto_pay_holds (
  record_id integer not null primary key autoincrement, tenant_record_id integer not null, id text not null,
  account_id text not null, account_record_id integer not null, invoice_id text not null,
  attempt_id text not null, amount text not null, currency text not null, is_active integer not null,
  created_date integer not null
);
create index bw_auto_pay_holds_account_index
  on bw_auto_pay_holds (tenant_record_id, account_record_id, record_id);
create unique index bw_auto_pay_holds_id_unique on bw_auto_pay_holds (id);
create unique index bw_auto_pay_holds_invoice_unique on bw_auto_pay_holds (tenant_record_id, invoice_id)
  where is_active;

create table bw_tag_definitions (
  record_id integer not null primary key autoincrement, tenant_record_id integer not null, id text not null,
  name text not null, description text not null, folded_description text not null,
  applicable_object_types text not null, is_active integer not null, created_date integer not null
);
create index bw_tag_definitions_page_index on bw_tag_definitions (tenant_record_id, record_id);
create unique index bw_tag_definitions_id_unique on bw_tag_definitions (id);
create unique index bw_tag_definitions_name_unique on bw_tag_definitions (tenant_record_id, name)
  where is_active;

create table bw_tags (
  record_id integer not null primary key autoincrement, tenant_record_id integer not null, id text not null,
  object_type text not null, object_id text not null, tag_definition_id text not null,
  account_record_id integer not null, is_active integer not null, created_date integer not null
);
create index bw_tags_page_index on bw_tags (tenant_record_id, record_id) where is_active;
create index bw_tags_object_index on bw_tags (tenant_record_id, object_id, record_id);
create index bw_tags_account_index on bw_tags (tenant_record_id, account_record_id, record_id);
create index bw_tags_definition_index on bw_tags (tenant_record_id, tag_definition_id, account_record_id)
  where is_active;
create unique index bw_tags_id_unique on bw_tags (id);
create unique index bw_tags_active_unique
  on bw_tags (tenant_record_id, object_type, object_id, tag_definition_id)
  where is_active;

create table bw_custom_fields (
  record_id integer not null primary key autoincrement, tenant_record_id integer not null, id text not null,
  object_type text not null, object_id text not null, name text not null, value text not null,
  folded_name text not null, folded_value text not null, account_record_id integer not null,
  is_active integer not null, created_by text not null, created_date integer not null,
  updated_by text not null, updated_date integer not null
);
create index bw_custom_fields_page_index on bw_custom_fields (tenant_record_id, record_id) where is_active;
create index bw_custom_fields_object_index on bw_custom_fields (tenant_record_id, object_id, record_id);
create index bw_custom_fields_account_index
  on bw_custom_fields (tenant_record_id, account_record_id, record_id);
create index bw_custom_fields_name_index on bw_custom_fields (tenant_record_id, name, record_id)
  where is_active;
create unique index bw_custom_fields_id_unique on bw_custom_fields (id);
create unique index bw_custom_fields_active_unique
  on bw_custom_fields (tenant_record_id, object_type, object_id, name, value)
  where is_active;

create table bw_queue_entries (
  record_id integer not null primary key autoincrement, tenant_record_id integer not null,
  account_record_id integer, kind text not null, topic text not null, payload text not null,
  user_token text not null, created_date integer not null, effective_date integer not null,
  due_order integer not null, unique_key text, error_count integer not null, processing_state text not null,
  processing_owner text, available_at_ms integer, claim_id text, claimed_at_ms integer, lapses integer,
  done_handlers text not null, reason text
);
create index bw_queue_entries_due_index on bw_queue_entries (due_order, record_id)
  where processing_state = 'AVAILABLE';
create index bw_queue_entries_account_due_index
  on bw_queue_entries (tenant_record_id, account_record_id, due_order, record_id)
  where processing_state = 'AVAILABLE';
create index bw_queue_entries_claimed_index on bw_queue_entries (tenant_record_id, account_record_id)
  where processing_state = 'IN_PROCESSING';
create index bw_queue_entries_lapsed_index on bw_queue_entries (record_id) where lapses > 0;
create unique index bw_queue_entries_unique_key_unique on bw_queue_entries (tenant_record_id, unique_key)
  where unique_key is not null;

create table bw_queue_history (
  record_id integer not null primary key, tenant_record_id integer not null, account_record_id integer,
  kind text not null, topic text not null, payload text not null, user_token text not null,
  created_date integer not null, effective_date integer not null, due_order integer not null,
  unique_key text, error_count integer not null, processing_state text not null, processing_owner text,
  available_at_ms integer, claim_id text, claimed_at_ms integer, lapses integer,
  done_handlers text not null, reason text
);
create index bw_queue_history_account_index
  on bw_queue_history (tenant_record_id, account_record_id, record_id);
create index bw_queue_history_age_index on bw_queue_history (effective_date, record_id);

create table bw_audit_log (
  record_id integer not null primary key autoincrement, tenant_record_id integer not null, id text not null,
  table_name text not null, target_id text not null, target_record_id integer not null,
  account_record_id integer, change_type text not null, change_date integer not null,
  changed_by text not null, reason_code text, comments text, user_token text not null, snapshot text
);
create index bw_audit_log_target_index on bw_audit_log (tenant_record_id, target_id, record_id);
create index bw_audit_log_account_index on bw_audit_log (tenant_record_id, account_record_id, record_id);
`;

export class Migration20261123000000Initial extends Migration {
  override up(): void {
    // The driver takes one statement at a time.
    for (const statement of schema.split(/(?<=;)\n/)) this.addSql(statement);
  }
}
