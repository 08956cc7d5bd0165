import { Migration } from '@mikro-orm/migrations';

export class Migration20261123204800ToldInvoices extends Migration {
  override up(): void | Promise<void> {
    this.addSql(`create table "bw_told_invoices" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "account_record_id" bigint not null, "target_date" date not null, "created_date" bigint not null);`);
    this.addSql(`alter table "bw_told_invoices" add constraint "bw_told_invoices_date_unique" unique ("tenant_record_id", "account_record_id", "target_date");`);

    this.addSql(`alter table "bw_told_invoices" enable row level security;`);
    this.addSql(`alter table "bw_told_invoices" force row level security;`);
    this.addSql(`create policy "bw_told_invoices_tenant" on "bw_told_invoices" using (tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*')) with check (tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "bw_told_invoices" cascade;`);
  }
}
