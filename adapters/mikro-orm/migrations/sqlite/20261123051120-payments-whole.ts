import { Migration } from '@mikro-orm/migrations';

export class Migration20261123051120PaymentsWhole extends Migration {  override up(): void | Promise<void> {
    this.addSql(`create index \`bw_payments_page_index\` on \`bw_payments\` (\`tenant_record_id\`, \`record_id\`);`);
    this.addSql(`alter table \`bw_payment_methods\` add column \`created_by\` text null;`);
    this.addSql(`alter table \`bw_payment_methods\` add column \`updated_by\` text null;`);
    this.addSql(`alter table \`bw_payment_methods\` add column \`updated_date\` integer null;`);
    this.addSql(`create index \`bw_payment_methods_page_index\` on \`bw_payment_methods\` (\`tenant_record_id\`, \`record_id\`) where is_active;`);

    this.addSql(`alter table \`bw_payment_attempts\` add column \`plugin_properties\` text null;`);
    this.addSql(`create index \`bw_payment_attempts_transaction_key_index\` on \`bw_payment_attempts\` (\`tenant_record_id\`, \`transaction_external_key\`, \`record_id\`);`);
    this.addSql(`create index \`bw_payment_attempts_open_index\` on \`bw_payment_attempts\` (\`created_date\`) where state_name = 'INIT';`);

    this.addSql(`alter table \`bw_payment_transactions\` add column \`invoice_refund\` text null;`);
    this.addSql(`create index \`bw_payment_transactions_open_invoice_refund_index\` on \`bw_payment_transactions\` (\`tenant_record_id\`, \`account_record_id\`, \`record_id\`) where invoice_refund is not null and status in ('UNKNOWN', 'PENDING');`);
    this.addSql(`drop index \`bw_payment_transactions_success_key_unique\`;`);
    this.addSql(`create unique index \`bw_payment_transactions_active_key_unique\` on \`bw_payment_transactions\` (\`tenant_record_id\`, \`external_key\`) where status in ('SUCCESS', 'PENDING', 'UNKNOWN') and transaction_type <> 'CHARGEBACK';`);

    this.addSql(`alter table \`bw_tenants\` add column \`state_machine_revision\` integer null;`);
    this.addSql(`update \`bw_tenants\` set \`state_machine_revision\` = 1 where \`record_id\` in (select \`tenant_record_id\` from \`bw_tenant_kvs\` where \`is_active\` and \`key\` like 'PLUGIN_PAYMENT_STATE_MACHINE_%');`);

    this.addSql(`drop index \`bw_invoice_payments_key_unique\`;`);
    this.addSql(`create unique index \`bw_invoice_payments_attempt_key_unique\` on \`bw_invoice_payments\` (\`tenant_record_id\`, \`transaction_external_key\`) where type = 'ATTEMPT';`);
    this.addSql(`create unique index \`bw_invoice_payments_payment_key_unique\` on \`bw_invoice_payments\` (\`tenant_record_id\`, \`payment_id\`, \`type\`, \`transaction_external_key\`) where type <> 'ATTEMPT';`);
  }

  /**
   * The release before keeps one refund and one chargeback of a key in a tenant: where payments share a key (payments §4.2
   * rule 4) its unique index cannot be made, and the whole step back is refused.
   */
  override down(): void | Promise<void> {
    this.addSql(`drop index \`bw_payments_page_index\`;`);
    this.addSql(`drop index \`bw_payment_methods_page_index\`;`);
    this.addSql(`alter table \`bw_payment_methods\` drop column \`created_by\`;`);
    this.addSql(`alter table \`bw_payment_methods\` drop column \`updated_by\`;`);
    this.addSql(`alter table \`bw_payment_methods\` drop column \`updated_date\`;`);

    this.addSql(`drop index \`bw_payment_attempts_transaction_key_index\`;`);
    this.addSql(`drop index \`bw_payment_attempts_open_index\`;`);
    this.addSql(`alter table \`bw_payment_attempts\` drop column \`plugin_properties\`;`);

    this.addSql(`drop index \`bw_payment_transactions_open_invoice_refund_index\`;`);
    this.addSql(`drop index \`bw_payment_transactions_active_key_unique\`;`);
    this.addSql(`create unique index \`bw_payment_transactions_success_key_unique\` on \`bw_payment_transactions\` (\`tenant_record_id\`, \`external_key\`) where status = 'SUCCESS' and transaction_type <> 'CHARGEBACK';`);
    this.addSql(`alter table \`bw_payment_transactions\` drop column \`invoice_refund\`;`);

    this.addSql(`alter table \`bw_tenants\` drop column \`state_machine_revision\`;`);

    this.addSql(`drop index \`bw_invoice_payments_attempt_key_unique\`;`);
    this.addSql(`drop index \`bw_invoice_payments_payment_key_unique\`;`);
    this.addSql(`create unique index \`bw_invoice_payments_key_unique\` on \`bw_invoice_payments\` (\`tenant_record_id\`, \`type\`, \`transaction_external_key\`);`);
  }

}
