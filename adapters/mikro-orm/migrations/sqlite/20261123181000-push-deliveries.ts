import { Migration } from '@mikro-orm/migrations';

export class Migration20261123181000PushDeliveries extends Migration {
  override up(): void | Promise<void> {
    this.addSql(`create table \`bw_push_deliveries\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`id\` text not null, \`account_record_id\` integer null, \`event_type\` text not null, \`body\` text not null, \`url\` text not null, \`state\` text not null, \`due_order\` integer not null, \`attempts\` integer not null, \`failures\` integer not null, \`attempted_date\` integer null, \`last_status\` integer null, \`last_error\` text null, \`created_date\` integer not null, \`ended_date\` integer null);`);
    this.addSql(`create index \`bw_push_deliveries_due_index\` on \`bw_push_deliveries\` (\`tenant_record_id\`, \`due_order\`, \`record_id\`) where state = 'AVAILABLE';`);
    this.addSql(`create index \`bw_push_deliveries_next_index\` on \`bw_push_deliveries\` (\`due_order\`) where state = 'AVAILABLE';`);
    this.addSql(`create index \`bw_push_deliveries_listed_index\` on \`bw_push_deliveries\` (\`tenant_record_id\`, \`record_id\`);`);
    this.addSql(`create index \`bw_push_deliveries_account_index\` on \`bw_push_deliveries\` (\`tenant_record_id\`, \`account_record_id\`, \`record_id\`);`);
    this.addSql(`create index \`bw_push_deliveries_age_index\` on \`bw_push_deliveries\` (\`ended_date\`, \`record_id\`) where ended_date is not null;`);
    this.addSql(`create unique index \`bw_push_deliveries_id_unique\` on \`bw_push_deliveries\` (\`id\`);`);

    this.addSql(`create table \`bw_push_leases\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`owner\` text not null, \`token\` text not null, \`ends_at_ms\` integer not null);`);
    this.addSql(`create unique index \`bw_push_leases_tenant_unique\` on \`bw_push_leases\` (\`tenant_record_id\`);`);

    this.addSql(`alter table \`bw_tenants\` add column \`callback_record_id\` integer null;`);
    this.addSql(`update bw_tenants set callback_record_id = (
      select max(kv.record_id) from bw_tenant_kvs kv
      where kv.tenant_record_id = bw_tenants.record_id and kv.key = 'PUSH_NOTIFICATION_CB' and kv.is_active);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`bw_push_deliveries\`;`);
    this.addSql(`drop table if exists \`bw_push_leases\`;`);

    this.addSql(`alter table \`bw_tenants\` drop column \`callback_record_id\`;`);
  }

}
