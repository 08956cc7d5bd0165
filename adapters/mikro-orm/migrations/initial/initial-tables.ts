/** All tables of the first release, as PostgreSQL reads them (`generate.ts initial`). */
export const initialTables = `
create table bw_tenants (
  record_id bigserial primary key, id uuid not null, external_key text, api_key text not null,
  api_secret_hash text not null, use_global_default boolean not null, catalog_revision int not null,
  configuration_record_id bigint, overdue_config_record_id bigint, callback_record_id bigint,
  state_machine_revision bigint, usage_thresholds_record_id bigint, created_date bigint not null,
  constraint bw_tenants_id_unique unique (id),
  constraint bw_tenants_api_key_unique unique (api_key)
);

create table bw_cells (
  record_id bigserial primary key, name text not null, number int not null, record_id_floor bigint not null,
  constraint bw_cells_name_unique unique (name),
  constraint bw_cells_number_unique unique (number)
);

create table bw_tenant_places (
  record_id bigserial primary key, tenant_record_id bigint not null, cell text not null, other_cell text,
  state text not null, revision bigint not null, mover_seen_ms bigint,
  constraint bw_tenant_places_tenant_unique unique (tenant_record_id)
);
create index bw_tenant_places_revision_index on bw_tenant_places (revision);
create index bw_tenant_places_state_index on bw_tenant_places (state);

create table bw_tenant_moves (
  record_id bigserial primary key, tenant_record_id bigint not null, state text not null,
  revision bigint not null,
  constraint bw_tenant_moves_tenant_unique unique (tenant_record_id)
);
create index bw_tenant_moves_closed_index
  on bw_tenant_moves (tenant_record_id)
  where state in ('HOLDING', 'STOPPED', 'ARRIVING', 'AWAY');

create table bw_tenant_move_log (
  record_id bigserial primary key, tenant_record_id bigint not null, table_name text not null,
  row_key text not null
);
create index bw_tenant_move_log_listed_index on bw_tenant_move_log (tenant_record_id, record_id);

create table bw_users (
  record_id bigserial primary key, id uuid not null, name text not null, password_hash text not null,
  credential_version int not null, permissions json not null, roles json not null, is_active boolean not null,
  all_tenants boolean not null, tenant_ids json not null,
  constraint bw_users_id_unique unique (id),
  constraint bw_users_name_unique unique (name)
);

create table bw_roles (
  record_id bigserial primary key, id uuid not null, name text not null, permissions json not null,
  constraint bw_roles_id_unique unique (id),
  constraint bw_roles_name_unique unique (name)
);

create table bw_api_clients (
  record_id bigserial primary key, id uuid not null, name text not null, secret_hash text not null,
  credential_version int not null, roles json not null, is_active boolean not null,
  all_tenants boolean not null, tenant_ids json not null,
  constraint bw_api_clients_id_unique unique (id),
  constraint bw_api_clients_name_unique unique (name)
);

create table bw_login_sessions (
  record_id bigserial primary key, id uuid not null, token_hash text not null, user_name text not null,
  credential_version int not null, started_ms bigint not null, last_access_ms bigint not null, host text,
  constraint bw_login_sessions_id_unique unique (id),
  constraint bw_login_sessions_token_unique unique (token_hash)
);
create index bw_login_sessions_last_access_index on bw_login_sessions (last_access_ms);

create table bw_login_failures (
  record_id bigserial primary key, subject text not null, failed_at_ms json not null,
  last_failure_ms bigint not null, locked_until_ms bigint,
  constraint bw_login_failures_subject_unique unique (subject)
);
create index bw_login_failures_last_failure_index on bw_login_failures (last_failure_ms);

create table bw_signing_keys (
  record_id bigserial primary key, id uuid not null, kid text not null, public_key json not null,
  private_key text not null, created_ms bigint not null,
  constraint bw_signing_keys_id_unique unique (id),
  constraint bw_signing_keys_kid_unique unique (kid)
);

create table bw_idempotency_keys (
  record_id bigserial primary key, tenant_record_id bigint not null, idempotency_key text not null,
  request_hash text not null, claim_id uuid not null, started_ms bigint not null, status int, headers json,
  body text,
  constraint bw_idempotency_keys_key_unique unique (tenant_record_id, idempotency_key)
);
create index bw_idempotency_keys_started_index on bw_idempotency_keys (started_ms);

create table bw_test_clock (
  record_id bigserial primary key, name text not null, base bigint not null, set_at_ms bigint not null,
  constraint bw_test_clock_name_unique unique (name)
);

create table bw_counters (
  record_id bigserial primary key, tenant_record_id bigint not null, name text not null,
  value bigint not null,
  constraint bw_counters_name_unique unique (tenant_record_id, name)
);

create table bw_tenant_kvs (
  record_id bigserial primary key, tenant_record_id bigint not null, id uuid not null, key text not null,
  value text not null, is_single boolean not null, is_active boolean not null, created_date bigint not null,
  updated_date bigint not null,
  constraint bw_tenant_kvs_id_unique unique (id)
);
create index bw_tenant_kvs_key_index on bw_tenant_kvs (tenant_record_id, key) where is_active;
create unique index bw_tenant_kvs_single_unique
  on bw_tenant_kvs (tenant_record_id, key)
  where is_active and is_single;

create table bw_signing_secrets (
  record_id bigserial primary key, tenant_record_id bigint not null, id uuid not null, secret text not null,
  signs_until_ms bigint, is_active boolean not null, created_date bigint not null,
  constraint bw_signing_secrets_id_unique unique (id)
);
create index bw_signing_secrets_active_index on bw_signing_secrets (tenant_record_id) where is_active;
create unique index bw_signing_secrets_current_unique
  on bw_signing_secrets (tenant_record_id)
  where is_active and signs_until_ms is null;

create table bw_sellers (
  record_id bigserial primary key, tenant_record_id bigint not null, id uuid not null, name text not null,
  legal_name text, address1 text, address2 text, city text, state text, postal_code text, country text,
  tax_id text, registration_number text, email text, phone text, bank_name text, iban text, bic text,
  payment_terms_days int, notes json, accent_color text, created_date bigint not null, logo_media_type text,
  logo_bytes text,
  constraint bw_sellers_id_unique unique (id)
);
create index bw_sellers_created_index on bw_sellers (tenant_record_id, created_date, record_id);

create table bw_accounts (
  record_id bigserial primary key, tenant_record_id bigint not null, id uuid not null,
  external_key text not null, reference_time bigint not null, parent_account_id uuid,
  is_payment_delegated_to_parent boolean not null, currency text, bill_cycle_day_local int not null,
  payment_method_id uuid, name text, first_name_length int, company text, legal_name text, tax_id text,
  address1 text, address2 text, city text, state text, postal_code text, country text, locale text,
  time_zone text not null, phone text, email text, notes text, is_migrated boolean,
  created_date bigint not null, updated_date bigint not null, folded_text text, created_by text,
  updated_by text,
  constraint bw_accounts_id_unique unique (id),
  constraint bw_accounts_external_key_unique unique (tenant_record_id, external_key)
);
create index bw_accounts_page_index on bw_accounts (tenant_record_id, record_id);
create index bw_accounts_parent_index
  on bw_accounts (tenant_record_id, parent_account_id, record_id)
  where parent_account_id is not null;
create index bw_accounts_name_index on bw_accounts (tenant_record_id, name, record_id);
create index bw_accounts_email_index on bw_accounts (tenant_record_id, email, record_id);
create index bw_accounts_company_index on bw_accounts (tenant_record_id, company, record_id);

create table bw_account_emails (
  record_id bigserial primary key, tenant_record_id bigint not null, id uuid not null,
  account_id uuid not null, account_record_id bigint not null, email text not null,
  is_active boolean not null, created_date bigint not null,
  constraint bw_account_emails_id_unique unique (id)
);
create index bw_account_emails_account_index
  on bw_account_emails (tenant_record_id, account_record_id, record_id);
create unique index bw_account_emails_email_unique
  on bw_account_emails (tenant_record_id, account_record_id, email)
  where is_active;

create table bw_catalog_versions (
  record_id bigserial primary key, tenant_record_id bigint not null, id uuid not null,
  effective_date bigint not null, upload_id uuid not null, canonical_xml text, composition text,
  source_text text, content_hash text not null, revision int, created_date bigint not null,
  removed_date bigint,
  constraint bw_catalog_versions_id_unique unique (id)
);
create unique index bw_catalog_versions_effective_date_unique
  on bw_catalog_versions (tenant_record_id, effective_date)
  where removed_date is null;

create table bw_catalog_parts (
  record_id bigserial primary key, tenant_record_id bigint not null, content_hash text not null,
  kind text not null, name text not null, for_existing bigint, shape_record_id bigint, text text not null,
  constraint bw_catalog_parts_content_hash_unique unique (tenant_record_id, content_hash)
);

create table bw_override_plans (
  record_id bigserial primary key, tenant_record_id bigint not null, id uuid not null, number int not null,
  plan_name text not null, parent_plan_name text not null, currency text not null, overrides text not null,
  override_hash text not null, created_date bigint not null,
  constraint bw_override_plans_id_unique unique (id),
  constraint bw_override_plans_number_unique unique (tenant_record_id, number),
  constraint bw_override_plans_plan_name_unique unique (tenant_record_id, plan_name),
  constraint bw_override_plans_overrides_unique unique (tenant_record_id, parent_plan_name, override_hash)
);

create table bw_catalog_entries (
  record_id bigserial primary key, tenant_record_id bigint not null, id uuid not null, kind text not null,
  name text not null, account_id uuid, account_record_id bigint, parent_id uuid, product json, plan json,
  created_date bigint not null,
  constraint bw_catalog_entries_id_unique unique (id),
  constraint bw_catalog_entries_name_unique unique (tenant_record_id, kind, name)
);
create index bw_catalog_entries_account_index
  on bw_catalog_entries (tenant_record_id, account_record_id, record_id);
create index bw_catalog_entries_named_index on bw_catalog_entries (tenant_record_id, name);
create index bw_catalog_entries_parent_index on bw_catalog_entries (tenant_record_id, parent_id);

create table bw_catalog_plan_rows (
  record_id bigserial primary key, tenant_record_id bigint not null, id uuid not null,
  plan_name text not null, account_record_id bigint, effective_date bigint not null,
  created_order int not null, effective_date_for_existing bigint, retired boolean not null,
  since_revision int not null, phases json not null, created_date bigint not null,
  constraint bw_catalog_plan_rows_id_unique unique (id),
  constraint bw_catalog_plan_rows_order_unique
    unique (tenant_record_id, plan_name, effective_date, created_order)
);
create index bw_catalog_plan_rows_since_index on bw_catalog_plan_rows (tenant_record_id, since_revision);

create table bw_bundles (
  record_id bigserial primary key, tenant_record_id bigint not null, id uuid not null,
  account_id uuid not null, account_record_id bigint not null, external_key text not null, retired_key text,
  original_created_date bigint not null, created_date bigint not null, created_by text, updated_by text,
  updated_date bigint,
  constraint bw_bundles_id_unique unique (id)
);
create index bw_bundles_page_index on bw_bundles (tenant_record_id, record_id);
create index bw_bundles_account_index on bw_bundles (tenant_record_id, account_record_id, record_id);
create index bw_bundles_key_index on bw_bundles (tenant_record_id, external_key, record_id);
create unique index bw_bundles_external_key_unique
  on bw_bundles (tenant_record_id, external_key)
  where retired_key is null;

create table bw_former_bundle_keys (
  record_id bigserial primary key, tenant_record_id bigint not null, account_record_id bigint not null,
  bundle_id uuid not null, external_key text not null,
  constraint bw_former_bundle_keys_key_unique unique (tenant_record_id, external_key, bundle_id)
);
create index bw_former_bundle_keys_account_index
  on bw_former_bundle_keys (tenant_record_id, account_record_id, record_id);

create table bw_subscriptions (
  record_id bigserial primary key, tenant_record_id bigint not null, id uuid not null,
  bundle_id uuid not null, account_id uuid not null, account_record_id bigint not null,
  external_key text not null, category text not null, align_start bigint not null,
  align_start_local date not null, bundle_start bigint not null, bundle_start_local date not null,
  charged_through bigint, charged_through_local date, migrated boolean not null, announced_trial_end bigint,
  created_date bigint not null,
  constraint bw_subscriptions_id_unique unique (id),
  constraint bw_subscriptions_external_key_unique unique (tenant_record_id, external_key)
);
create index bw_subscriptions_account_index
  on bw_subscriptions (tenant_record_id, account_record_id, record_id);
create index bw_subscriptions_bundle_index on bw_subscriptions (tenant_record_id, bundle_id, record_id);

create table bw_subscription_events (
  record_id bigserial primary key, tenant_record_id bigint not null, id uuid not null,
  subscription_id uuid not null, account_record_id bigint not null, type text not null,
  effective bigint not null, effective_local date not null, sequence int not null, plan_name text,
  phase_name text, price_list_name text, phase_anchor bigint, phase_anchor_local date, phase_anchor_type text,
  bill_cycle_day int, quantity int, reason text, is_active boolean not null, deactivated_by uuid,
  created_date bigint not null,
  constraint bw_subscription_events_id_unique unique (id)
);
create index bw_subscription_events_subscription_index
  on bw_subscription_events (tenant_record_id, subscription_id, effective, sequence);
create index bw_subscription_events_of_plan_index
  on bw_subscription_events (tenant_record_id, plan_name, account_record_id);
create unique index bw_subscription_events_start_unique
  on bw_subscription_events (tenant_record_id, subscription_id)
  where is_active and type in ('CREATE', 'TRANSFER');

create table bw_blocking_states (
  record_id bigserial primary key, tenant_record_id bigint not null, id uuid not null,
  blocked_id uuid not null, account_record_id bigint not null, type text not null, service text not null,
  state_name text not null, is_block_change boolean not null, is_block_entitlement boolean not null,
  is_block_billing boolean not null, effective bigint not null, effective_local date not null,
  sequence int not null, is_active boolean not null, caused_by uuid, created_date bigint not null,
  constraint bw_blocking_states_id_unique unique (id)
);
create index bw_blocking_states_blocked_index
  on bw_blocking_states (tenant_record_id, blocked_id, effective, sequence);
create index bw_blocking_states_block_index
  on bw_blocking_states (tenant_record_id, account_record_id)
  where is_active and state_name <> 'ENT_STARTED' and state_name <> 'ENT_CANCELLED';
create unique index bw_blocking_states_started_unique
  on bw_blocking_states (tenant_record_id, blocked_id)
  where is_active and service = 'entitlement-service' and state_name = 'ENT_STARTED';

create table bw_coupons (
  record_id bigserial primary key, tenant_record_id bigint not null, id uuid not null, code text not null,
  name text not null, percent_off numeric, amount_off json, per_quantity boolean not null,
  duration json not null, plans json, products json, applies_to text not null, redeem_by bigint,
  max_redemptions int, redeemed_count int not null, once_per_account boolean not null,
  is_active boolean not null, created_date bigint not null, updated_date bigint not null,
  folded_code text not null,
  constraint bw_coupons_id_unique unique (id),
  constraint bw_coupons_code_unique unique (tenant_record_id, folded_code)
);
create index bw_coupons_page_index on bw_coupons (tenant_record_id, record_id);

create table bw_coupon_redemptions (
  record_id bigserial primary key, tenant_record_id bigint not null, id uuid not null,
  coupon_id uuid not null, account_id uuid not null, account_record_id bigint not null, subscription_id uuid,
  code text not null, name text not null, percent_off numeric, amount_off json, per_quantity boolean not null,
  duration json not null, plans json, products json, applies_to text not null, redeemed bigint not null,
  redeemed_local date not null, is_of_plan_change boolean not null, ended bigint, ended_local date,
  is_over boolean not null, created_date bigint not null, updated_date bigint not null,
  constraint bw_coupon_redemptions_id_unique unique (id)
);
create index bw_coupon_redemptions_account_index
  on bw_coupon_redemptions (tenant_record_id, account_record_id, record_id);

create table bw_feature_overrides (
  record_id bigserial primary key, tenant_record_id bigint not null, id uuid not null,
  account_id uuid not null, account_record_id bigint not null, subscription_id uuid, feature text not null,
  kind text not null, value json not null, reason text, starts_at bigint not null, ends_at bigint,
  created_date bigint not null, updated_date bigint not null,
  constraint bw_feature_overrides_id_unique unique (id)
);
create index bw_feature_overrides_account_index
  on bw_feature_overrides (tenant_record_id, account_record_id, record_id);

create table bw_quota_counters (
  record_id bigserial primary key, tenant_record_id bigint not null, account_record_id bigint not null,
  owner_id uuid not null, feature text not null, period_start date not null, used_whole bigint not null,
  used_fraction bigint not null, announced int not null, keep_until bigint,
  constraint bw_quota_counters_period_unique unique (tenant_record_id, owner_id, feature, period_start)
);
create index bw_quota_counters_age_index on bw_quota_counters (keep_until);

create table bw_quota_uses (
  record_id bigserial primary key, tenant_record_id bigint not null, id uuid not null,
  account_record_id bigint not null, feature text not null, use_key text not null, amount numeric not null,
  outcome json not null, is_released boolean not null, created_date bigint not null,
  constraint bw_quota_uses_id_unique unique (id),
  constraint bw_quota_uses_key_unique unique (tenant_record_id, account_record_id, feature, use_key)
);
create index bw_quota_uses_age_index on bw_quota_uses (created_date);

create table bw_feature_states (
  record_id bigserial primary key, tenant_record_id bigint not null, account_record_id bigint not null,
  feature_values json not null,
  constraint bw_feature_states_account_unique unique (tenant_record_id, account_record_id)
);

create table bw_invoices (
  record_id bigserial primary key, tenant_record_id bigint not null, id uuid not null,
  account_id uuid not null, account_record_id bigint not null, invoice_number bigint not null,
  invoice_date date not null, target_date date, commit_date date, issued_date bigint, currency text not null,
  status text not null, is_migration boolean not null, is_written_off boolean not null,
  is_parent_invoice boolean not null, parent_invoice_id uuid, parent_account_id uuid,
  contributed_amount numeric, note text, group_id uuid not null, created_date bigint not null,
  amount numeric not null, credit_adj numeric not null, refund_adj numeric not null,
  raw_balance numeric not null, created_by text, created_day int,
  constraint bw_invoices_id_unique unique (id),
  constraint bw_invoices_number_unique unique (tenant_record_id, invoice_number)
);
create index bw_invoices_page_index on bw_invoices (tenant_record_id, record_id);
create index bw_invoices_account_index on bw_invoices (tenant_record_id, account_record_id, record_id);
create index bw_invoices_open_index
  on bw_invoices (tenant_record_id, account_record_id)
  where raw_balance <> '0';
create index bw_invoices_linked_index
  on bw_invoices (tenant_record_id, parent_invoice_id)
  where parent_invoice_id is not null;
create index bw_invoices_delegated_index
  on bw_invoices (tenant_record_id, account_record_id)
  where contributed_amount is not null;
create index bw_invoices_draft_index
  on bw_invoices (tenant_record_id, account_record_id)
  where status = 'DRAFT';
create index bw_invoices_invoice_date_index on bw_invoices (tenant_record_id, invoice_date, record_id);
create index bw_invoices_target_date_index on bw_invoices (tenant_record_id, target_date, record_id);
create index bw_invoices_currency_index on bw_invoices (tenant_record_id, currency, record_id);
create index bw_invoices_status_index on bw_invoices (tenant_record_id, status, record_id);
create index bw_invoices_created_by_index on bw_invoices (tenant_record_id, created_by, record_id);
create index bw_invoices_created_day_index
  on bw_invoices (tenant_record_id, created_day, record_id, created_date);
create index bw_invoices_migrated_index on bw_invoices (tenant_record_id, record_id) where is_migration;
create index bw_invoices_parent_index on bw_invoices (tenant_record_id, record_id) where is_parent_invoice;
create index bw_invoices_grouped_index
  on bw_invoices (tenant_record_id, group_id, record_id)
  where group_id <> id;
create index bw_invoices_counted_index
  on bw_invoices (tenant_record_id, record_id, raw_balance, parent_invoice_id)
  where status = 'COMMITTED' and not is_migration and not is_written_off and raw_balance <> '0';
create unique index bw_invoices_summary_unique
  on bw_invoices (tenant_record_id, account_record_id)
  where status = 'DRAFT' and is_parent_invoice;

create table bw_invoice_items (
  record_id bigserial primary key, tenant_record_id bigint not null, id uuid not null,
  invoice_id uuid not null, account_id uuid not null, account_record_id bigint not null,
  child_account_id uuid, bundle_id uuid, subscription_id uuid, product_name text, plan_name text,
  phase_name text, usage_name text, item_type text not null, description text, start_date date, end_date date,
  amount numeric not null, rate numeric, currency text not null, quantity numeric, linked_item_id uuid,
  item_details text, catalog_effective_date bigint, tax_rate numeric, tax_category text, tax_exemption text,
  list_rate numeric, discounts json, repairable numeric not null, created_date bigint not null, basis text,
  constraint bw_invoice_items_id_unique unique (id)
);
create index bw_invoice_items_invoice_index on bw_invoice_items (tenant_record_id, invoice_id, record_id);
create index bw_invoice_items_linked_index
  on bw_invoice_items (tenant_record_id, linked_item_id)
  where linked_item_id is not null;
create index bw_invoice_items_account_index
  on bw_invoice_items (tenant_record_id, account_record_id, record_id);

create table bw_coverage (
  record_id bigserial primary key, tenant_record_id bigint not null, kind text not null,
  subscription_id uuid not null, item_id uuid not null, start_date date not null, end_date date,
  plan_name text not null, phase_name text not null, rate numeric, amount numeric not null,
  account_record_id bigint not null
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
  record_id bigserial primary key, tenant_record_id bigint not null, account_record_id bigint not null,
  subscription_id uuid not null, settled_through date, dirty_from date, next_due_date date,
  catalog_revision int, items_date date, items_count int not null, ongoing_bundle_id uuid,
  ongoing_event_record_id bigint, ongoing_event text, usage_from date, usage_settings text,
  usage_through date, usage_mark bigint,
  constraint bw_invoicing_cursors_subscription_unique unique (tenant_record_id, subscription_id)
);
create index bw_invoicing_cursors_due_index on bw_invoicing_cursors (tenant_record_id, account_record_id);

create table bw_invoicing_states (
  record_id bigserial primary key, tenant_record_id bigint not null, account_id uuid not null,
  account_record_id bigint not null, max_target_date date, account_cba numeric not null,
  account_balance numeric not null, version int not null,
  constraint bw_invoicing_states_account_unique unique (tenant_record_id, account_id)
);

create table bw_told_invoices (
  record_id bigserial primary key, tenant_record_id bigint not null, account_record_id bigint not null,
  target_date date not null, created_date bigint not null,
  constraint bw_told_invoices_date_unique unique (tenant_record_id, account_record_id, target_date)
);
create index bw_told_invoices_age_index on bw_told_invoices (target_date);

create table bw_credit_notes (
  record_id bigserial primary key, tenant_record_id bigint not null, id uuid not null,
  account_id uuid not null, account_record_id bigint not null, invoice_id uuid not null,
  credit_note_number bigint not null, reason text not null, credit_note_date date not null,
  amount numeric not null, currency text not null, lines json not null, created_date bigint not null,
  constraint bw_credit_notes_id_unique unique (id),
  constraint bw_credit_notes_number_unique unique (tenant_record_id, credit_note_number)
);
create index bw_credit_notes_invoice_index on bw_credit_notes (tenant_record_id, invoice_id, record_id);
create index bw_credit_notes_account_index
  on bw_credit_notes (tenant_record_id, account_record_id, record_id);

create table bw_e_invoice_deliveries (
  record_id bigserial primary key, tenant_record_id bigint not null, id uuid not null,
  account_id uuid not null, account_record_id bigint not null, invoice_id uuid not null, credit_note_id uuid,
  format text not null, profile text not null, state text not null, attempts int not null,
  failures int not null, attempted_date bigint, next_attempt_date bigint, receipt text, last_error text,
  created_date bigint not null,
  constraint bw_e_invoice_deliveries_id_unique unique (id)
);
create index bw_e_invoice_deliveries_document_index
  on bw_e_invoice_deliveries (tenant_record_id, invoice_id, record_id);
create index bw_e_invoice_deliveries_account_index
  on bw_e_invoice_deliveries (tenant_record_id, account_record_id, record_id);
create unique index bw_e_invoice_deliveries_invoice_unique
  on bw_e_invoice_deliveries (tenant_record_id, invoice_id)
  where credit_note_id is null;
create unique index bw_e_invoice_deliveries_note_unique
  on bw_e_invoice_deliveries (tenant_record_id, credit_note_id)
  where credit_note_id is not null;

create table bw_payment_methods (
  record_id bigserial primary key, tenant_record_id bigint not null, id uuid not null,
  external_key text not null, account_id uuid not null, account_record_id bigint not null,
  plugin_name text not null, is_active boolean not null, created_date bigint not null, created_by text,
  updated_by text, updated_date bigint,
  constraint bw_payment_methods_id_unique unique (id),
  constraint bw_payment_methods_external_key_unique unique (tenant_record_id, external_key)
);
create index bw_payment_methods_page_index
  on bw_payment_methods (tenant_record_id, record_id)
  where is_active;
create index bw_payment_methods_account_index
  on bw_payment_methods (tenant_record_id, account_record_id, record_id);

create table bw_payments (
  record_id bigserial primary key, tenant_record_id bigint not null, id uuid not null,
  account_id uuid not null, account_record_id bigint not null, payment_number bigint not null,
  external_key text not null, payment_method_id uuid not null, state_name text, last_success_state_name text,
  created_date bigint not null,
  constraint bw_payments_id_unique unique (id),
  constraint bw_payments_external_key_unique unique (tenant_record_id, external_key),
  constraint bw_payments_number_unique unique (tenant_record_id, payment_number)
);
create index bw_payments_page_index on bw_payments (tenant_record_id, record_id);
create index bw_payments_account_index on bw_payments (tenant_record_id, account_record_id, record_id);
create index bw_payments_state_index
  on bw_payments (tenant_record_id, state_name, record_id)
  where state_name <> 'PURCHASE_SUCCESS';

create table bw_payment_transactions (
  record_id bigserial primary key, tenant_record_id bigint not null, id uuid not null,
  payment_id uuid not null, account_record_id bigint not null, attempt_id uuid, external_key text not null,
  transaction_type text not null, effective_date bigint not null, status text not null, amount numeric,
  currency text, processed_amount numeric, processed_currency text, gateway_error_code text,
  gateway_error_msg text, payment_response text, invoice_refund json, lease_until bigint,
  created_date bigint not null,
  constraint bw_payment_transactions_id_unique unique (id)
);
create index bw_payment_transactions_payment_index
  on bw_payment_transactions (tenant_record_id, payment_id, record_id);
create index bw_payment_transactions_external_key_index
  on bw_payment_transactions (tenant_record_id, external_key);
create index bw_payment_transactions_open_invoice_refund_index
  on bw_payment_transactions (tenant_record_id, account_record_id, record_id)
  where invoice_refund is not null and status in ('UNKNOWN', 'PENDING');
create index bw_payment_transactions_effective_index
  on bw_payment_transactions (tenant_record_id, effective_date, record_id);
create index bw_payment_transactions_failed_index
  on bw_payment_transactions (tenant_record_id, effective_date, record_id)
  where status in ('PAYMENT_FAILURE', 'PLUGIN_FAILURE', 'PAYMENT_SYSTEM_OFF') and transaction_type in ('AUTHORIZE', 'CAPTURE', 'PURCHASE');
create unique index bw_payment_transactions_active_key_unique
  on bw_payment_transactions (tenant_record_id, external_key)
  where status in ('SUCCESS', 'PENDING', 'UNKNOWN') and transaction_type <> 'CHARGEBACK';
create unique index bw_payment_transactions_leased_unique
  on bw_payment_transactions (tenant_record_id, payment_id)
  where lease_until is not null;

create table bw_payment_attempts (
  record_id bigserial primary key, tenant_record_id bigint not null, id uuid not null,
  account_id uuid not null, account_record_id bigint not null, payment_method_id uuid,
  payment_external_key text not null, transaction_id uuid, transaction_external_key text not null,
  transaction_type text not null, state_name text not null, amount numeric, currency text,
  plugin_names json not null, plugin_properties json, is_api_payment boolean not null,
  created_date bigint not null,
  constraint bw_payment_attempts_id_unique unique (id)
);
create index bw_payment_attempts_payment_key_index
  on bw_payment_attempts (tenant_record_id, payment_external_key, record_id);
create index bw_payment_attempts_transaction_key_index
  on bw_payment_attempts (tenant_record_id, transaction_external_key, record_id);
create index bw_payment_attempts_open_index on bw_payment_attempts (created_date) where state_name = 'INIT';

create table bw_invoice_payments (
  record_id bigserial primary key, tenant_record_id bigint not null, id uuid not null,
  account_record_id bigint not null, invoice_id uuid not null, type text not null, status text not null,
  payment_id uuid, payment_date bigint not null, amount numeric not null, currency text not null,
  processed_currency text not null, transaction_external_key text not null, linked_invoice_payment_id uuid,
  created_date bigint not null,
  constraint bw_invoice_payments_id_unique unique (id)
);
create index bw_invoice_payments_invoice_index
  on bw_invoice_payments (tenant_record_id, invoice_id, record_id);
create index bw_invoice_payments_payment_index
  on bw_invoice_payments (tenant_record_id, payment_id, record_id);
create unique index bw_invoice_payments_attempt_key_unique
  on bw_invoice_payments (tenant_record_id, transaction_external_key)
  where type = 'ATTEMPT';
create unique index bw_invoice_payments_payment_key_unique
  on bw_invoice_payments (tenant_record_id, payment_id, type, transaction_external_key)
  where type <> 'ATTEMPT';

create table bw_auto_pay_holds (
  record_id bigserial primary key, tenant_record_id bigint not null, id uuid not null,
  account_id uuid not null, account_record_id bigint not null, invoice_id uuid not null,
  attempt_id uuid not null, amount numeric not null, currency text not null, is_active boolean not null,
  created_date bigint not null,
  constraint bw_auto_pay_holds_id_unique unique (id)
);
create index bw_auto_pay_holds_account_index
  on bw_auto_pay_holds (tenant_record_id, account_record_id, record_id);
create unique index bw_auto_pay_holds_invoice_unique
  on bw_auto_pay_holds (tenant_record_id, invoice_id)
  where is_active;

create table bw_overdue_accounts (
  record_id bigserial primary key, tenant_record_id bigint not null, account_id uuid not null,
  account_record_id bigint not null, is_invoicing_off_owned boolean not null, state_name text,
  constraint bw_overdue_accounts_account_unique unique (tenant_record_id, account_id)
);
create index bw_overdue_accounts_page_index
  on bw_overdue_accounts (tenant_record_id, record_id)
  where state_name is not null;
create index bw_overdue_accounts_state_index
  on bw_overdue_accounts (tenant_record_id, state_name, record_id)
  where state_name is not null;

create table bw_usage_units (
  record_id bigserial primary key, tenant_record_id bigint not null, name text not null,
  constraint bw_usage_units_name_unique unique (tenant_record_id, name)
);

create table bw_usage_keys (
  record_id bigserial primary key, tenant_record_id bigint not null, subscription_record_id bigint not null,
  tracking_id text not null, fingerprint text not null, first_day date not null, last_day date not null,
  created_by text not null, created_date bigint not null, voided_date bigint,
  constraint bw_usage_keys_tracking_id_unique unique (tenant_record_id, subscription_record_id, tracking_id)
);
create index bw_usage_keys_voided_index
  on bw_usage_keys (tenant_record_id, subscription_record_id, record_id)
  where voided_date is not null;

create table bw_usage_points (
  tenant_record_id bigint not null, subscription_record_id bigint not null, local_date date not null,
  unit_record_id bigint not null, ordinal bigint not null, recorded_for bigint not null,
  is_date_only boolean not null, amount numeric not null, key_record_id bigint not null,
  primary key (tenant_record_id, subscription_record_id, local_date, unit_record_id, ordinal)
);

create table bw_usage_days (
  tenant_record_id bigint not null, subscription_record_id bigint not null, local_date date not null,
  unit_record_id bigint not null, account_record_id bigint not null, amount_sum numeric not null,
  amount_max numeric, amount_min numeric, last_recorded_for bigint, last_amount numeric,
  point_count bigint not null, version int not null, archived_count bigint,
  primary key (tenant_record_id, subscription_record_id, local_date, unit_record_id)
);
create index bw_usage_days_account_index
  on bw_usage_days (tenant_record_id, account_record_id, local_date, subscription_record_id, unit_record_id);

create table bw_usage_intervals (
  record_id bigserial primary key, tenant_record_id bigint not null, account_record_id bigint not null,
  subscription_id uuid not null, usage_name text not null, version_date bigint not null,
  price_identity text not null, starts_at bigint not null, starts_at_local date not null,
  ends_at bigint not null, ends_at_local date not null, invoice_id uuid, item_ids json not null,
  consumed text not null, created_date bigint not null, supplied text
);
create index bw_usage_intervals_subscription_index
  on bw_usage_intervals (tenant_record_id, subscription_id, ends_at_local);
create index bw_usage_intervals_invoice_index on bw_usage_intervals (tenant_record_id, invoice_id);

create table bw_usage_archived_pieces (
  tenant_record_id bigint not null, subscription_record_id bigint not null, local_date date not null,
  unit_record_id bigint not null, after_ordinal bigint not null, part text not null,
  up_to_ordinal bigint not null, amount_sum numeric not null, amount_max numeric not null,
  amount_min numeric not null, last_recorded_for bigint not null, last_amount numeric not null,
  primary key (tenant_record_id, subscription_record_id, local_date, unit_record_id, after_ordinal, part)
);

create table bw_usage_archived_ids (
  tenant_record_id bigint not null, subscription_record_id bigint not null, local_date date not null,
  unit_record_id bigint not null, after_ordinal bigint not null, part text not null,
  up_to_ordinal bigint not null, start_at bigint, end_at bigint, tracking_ids json not null,
  primary key (tenant_record_id, subscription_record_id, local_date, unit_record_id, after_ordinal, part)
);

create table bw_usage_marks (
  record_id bigserial primary key, tenant_record_id bigint not null, subscription_record_id bigint not null,
  version bigint not null,
  constraint bw_usage_marks_subscription_unique unique (tenant_record_id, subscription_record_id)
);

create table bw_usage_thresholds (
  record_id bigserial primary key, tenant_record_id bigint not null, subscription_record_id bigint not null,
  usage_name text not null, starts_at bigint not null, measure text not null, measured text not null,
  bound numeric not null, over_at bigint, created_date bigint not null,
  constraint bw_usage_thresholds_bound_unique
    unique (tenant_record_id, subscription_record_id, usage_name, starts_at, measure, measured, bound)
);
create index bw_usage_thresholds_age_index on bw_usage_thresholds (over_at);

create table bw_tag_definitions (
  record_id bigserial primary key, tenant_record_id bigint not null, id uuid not null, name text not null,
  description text not null, applicable_object_types json not null, is_active boolean not null,
  created_date bigint not null, folded_description text not null,
  constraint bw_tag_definitions_id_unique unique (id)
);
create index bw_tag_definitions_page_index on bw_tag_definitions (tenant_record_id, record_id);
create unique index bw_tag_definitions_name_unique
  on bw_tag_definitions (tenant_record_id, name)
  where is_active;

create table bw_tags (
  record_id bigserial primary key, tenant_record_id bigint not null, id uuid not null,
  object_type text not null, object_id uuid not null, tag_definition_id uuid not null,
  account_record_id bigint not null, is_active boolean not null, created_date bigint not null,
  constraint bw_tags_id_unique unique (id)
);
create index bw_tags_page_index on bw_tags (tenant_record_id, record_id) where is_active;
create index bw_tags_object_index on bw_tags (tenant_record_id, object_id, record_id);
create index bw_tags_account_index on bw_tags (tenant_record_id, account_record_id, record_id);
create index bw_tags_definition_index
  on bw_tags (tenant_record_id, tag_definition_id, account_record_id)
  where is_active;
create unique index bw_tags_active_unique
  on bw_tags (tenant_record_id, object_type, object_id, tag_definition_id)
  where is_active;

create table bw_custom_fields (
  record_id bigserial primary key, tenant_record_id bigint not null, id uuid not null,
  object_type text not null, object_id uuid not null, name text not null, value text not null,
  account_record_id bigint, is_active boolean not null, created_by text not null,
  created_date bigint not null, updated_by text not null, updated_date bigint not null,
  folded_name text not null, folded_value text not null,
  constraint bw_custom_fields_id_unique unique (id)
);
create index bw_custom_fields_page_index on bw_custom_fields (tenant_record_id, record_id) where is_active;
create index bw_custom_fields_object_index on bw_custom_fields (tenant_record_id, object_id, record_id);
create index bw_custom_fields_account_index
  on bw_custom_fields (tenant_record_id, account_record_id, record_id);
create index bw_custom_fields_name_index
  on bw_custom_fields (tenant_record_id, name, record_id)
  where is_active;
create unique index bw_custom_fields_active_unique
  on bw_custom_fields (tenant_record_id, object_type, object_id, name, value)
  where is_active;

create table bw_kept_figures (
  record_id bigserial primary key, tenant_record_id bigint not null, name text not null, figures json,
  counted_at bigint, progress json,
  constraint bw_kept_figures_name_unique unique (tenant_record_id, name)
);

create table bw_queue_entries (
  record_id bigserial primary key, tenant_record_id bigint not null, account_record_id bigint,
  kind text not null, topic text not null, payload json not null, user_token uuid not null, trace_parent text,
  created_date bigint not null, effective_date bigint not null, due_order bigint not null, unique_key text,
  error_count int not null, processing_state text not null, processing_owner text, available_at_ms bigint,
  claim_id uuid, claimed_at_ms bigint, lapses int, done_handlers json not null, reason text, event_id uuid
);
create index bw_queue_entries_due_index
  on bw_queue_entries (due_order, record_id)
  where processing_state = 'AVAILABLE';
create index bw_queue_entries_account_due_index
  on bw_queue_entries (tenant_record_id, account_record_id, due_order, record_id)
  where processing_state = 'AVAILABLE';
create index bw_queue_entries_claimed_index
  on bw_queue_entries (tenant_record_id, account_record_id)
  where processing_state = 'IN_PROCESSING';
create index bw_queue_entries_lapsed_index on bw_queue_entries (record_id) where lapses > 0;
create index bw_queue_entries_told_index
  on bw_queue_entries (tenant_record_id, record_id)
  where event_id is not null;
create unique index bw_queue_entries_unique_key_unique
  on bw_queue_entries (tenant_record_id, unique_key)
  where unique_key is not null;

create table bw_queue_history (
  record_id bigint not null, tenant_record_id bigint not null, account_record_id bigint, kind text not null,
  topic text not null, payload json not null, user_token uuid not null, trace_parent text,
  created_date bigint not null, effective_date bigint not null, due_order bigint not null, unique_key text,
  error_count int not null, processing_state text not null, processing_owner text, available_at_ms bigint,
  claim_id uuid, claimed_at_ms bigint, lapses int, done_handlers json not null, reason text, event_id uuid,
  primary key (record_id)
);
create index bw_queue_history_account_index
  on bw_queue_history (tenant_record_id, account_record_id, record_id);
create index bw_queue_history_age_index on bw_queue_history (effective_date, record_id);
create index bw_queue_history_failed_index
  on bw_queue_history (tenant_record_id, record_id)
  where processing_state = 'FAILED';
create index bw_queue_history_told_index
  on bw_queue_history (tenant_record_id, record_id)
  where event_id is not null;

create table bw_push_deliveries (
  record_id bigserial primary key, tenant_record_id bigint not null, id uuid not null,
  account_record_id bigint, event_type text not null, body text not null, url text not null,
  state text not null, due_order bigint not null, attempts int not null, failures int not null,
  attempted_date bigint, last_status int, last_error text, user_token uuid, trace_parent text,
  created_date bigint not null, ended_date bigint,
  constraint bw_push_deliveries_id_unique unique (id)
);
create index bw_push_deliveries_due_index
  on bw_push_deliveries (tenant_record_id, due_order, record_id)
  where state = 'AVAILABLE';
create index bw_push_deliveries_next_index on bw_push_deliveries (due_order) where state = 'AVAILABLE';
create index bw_push_deliveries_listed_index on bw_push_deliveries (tenant_record_id, record_id);
create index bw_push_deliveries_account_index
  on bw_push_deliveries (tenant_record_id, account_record_id, record_id);
create index bw_push_deliveries_age_index
  on bw_push_deliveries (ended_date, record_id)
  where ended_date is not null;

create table bw_push_cursors (
  record_id bigserial primary key, tenant_record_id bigint not null, after_record_id bigint not null,
  constraint bw_push_cursors_tenant_unique unique (tenant_record_id)
);

create table bw_push_leases (
  record_id bigserial primary key, tenant_record_id bigint not null, owner text not null, token text not null,
  ends_at_ms bigint not null,
  constraint bw_push_leases_tenant_unique unique (tenant_record_id)
);

create table bw_sinks (
  record_id bigserial primary key, name text not null, after_record_id bigint not null,
  used_at_ms bigint not null,
  constraint bw_sinks_name_unique unique (name)
);

create table bw_sink_cursors (
  record_id bigserial primary key, tenant_record_id bigint not null, sink text not null,
  after_record_id bigint not null,
  constraint bw_sink_cursors_sink_unique unique (tenant_record_id, sink)
);

create table bw_sink_deliveries (
  record_id bigserial primary key, tenant_record_id bigint not null, id uuid not null,
  account_record_id bigint, event_type text not null, body text not null, sink text not null,
  state text not null, due_order bigint not null, attempts int not null, failures int not null,
  attempted_date bigint, last_status int, last_error text, user_token uuid, trace_parent text,
  created_date bigint not null, ended_date bigint,
  constraint bw_sink_deliveries_id_unique unique (id, sink)
);
create index bw_sink_deliveries_due_index
  on bw_sink_deliveries (sink, tenant_record_id, due_order, record_id)
  where state = 'AVAILABLE';
create index bw_sink_deliveries_next_index on bw_sink_deliveries (sink, due_order) where state = 'AVAILABLE';
create index bw_sink_deliveries_age_index
  on bw_sink_deliveries (sink, ended_date, record_id)
  where ended_date is not null;

create table bw_sink_leases (
  record_id bigserial primary key, tenant_record_id bigint not null, sink text not null, owner text not null,
  token text not null, ends_at_ms bigint not null,
  constraint bw_sink_leases_sink_unique unique (tenant_record_id, sink)
);

create table bw_nodes (
  record_id bigserial primary key, name text not null, version text not null, boot_date bigint not null,
  last_updated_date bigint not null, plugins json not null,
  constraint bw_nodes_name_unique unique (name)
);

create table bw_access_log (
  record_id bigserial primary key, tenant_record_id bigint not null, at_ms bigint not null,
  node_name text not null, host_name text not null, method text not null, uri text not null,
  status_code int not null, bytes_sent bigint, principal text, created_by text
);
create index bw_access_log_listed_index on bw_access_log (tenant_record_id, record_id);
create index bw_access_log_age_index on bw_access_log (at_ms, record_id);

create table bw_samples (
  record_id bigserial primary key, at_ms bigint not null, node_name text not null, event_group text not null,
  event_category text not null, kinds json not null,
  constraint bw_samples_series_unique unique (event_category, node_name, at_ms)
);
create index bw_samples_age_index on bw_samples (at_ms, record_id);

create table bw_broadcasts (
  record_id bigserial primary key, id uuid not null, service text not null, type text not null,
  payload json not null, created_by text not null, created_date bigint not null
);
create index bw_broadcasts_age_index on bw_broadcasts (created_date);

create table bw_plugin_switches (
  record_id bigserial primary key, plugin_name text not null, state text not null,
  constraint bw_plugin_switches_plugin_unique unique (plugin_name)
);

create table bw_audit_log (
  record_id bigserial primary key, tenant_record_id bigint not null, id uuid not null,
  table_name text not null, target_id uuid not null, target_record_id bigint not null,
  account_record_id bigint, change_type text not null, change_date bigint not null, changed_by text not null,
  reason_code text, comments text, user_token uuid not null, snapshot json
);
create index bw_audit_log_target_index on bw_audit_log (tenant_record_id, target_id, record_id);
create index bw_audit_log_account_index on bw_audit_log (tenant_record_id, account_record_id, record_id);
`;
