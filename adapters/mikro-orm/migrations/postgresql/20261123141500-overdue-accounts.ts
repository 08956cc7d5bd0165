import { Migration } from '@mikro-orm/migrations';

export class Migration20261123141500OverdueAccounts extends Migration {
  override up(): void | Promise<void> {
    this.addSql(`create table "bw_overdue_accounts" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "account_id" uuid not null, "account_record_id" bigint not null, "is_invoicing_off_owned" boolean not null);`);
    this.addSql(`alter table "bw_overdue_accounts" add constraint "bw_overdue_accounts_account_unique" unique ("tenant_record_id", "account_id");`);

    this.addSql(`alter table "bw_overdue_accounts" enable row level security;`);
    this.addSql(`alter table "bw_overdue_accounts" force row level security;`);
    this.addSql(`create policy "bw_overdue_accounts_tenant" on "bw_overdue_accounts" using (tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*')) with check (tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*'));`);

    this.addSql(`alter table "bw_payment_transactions" add "payment_response" text null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "bw_overdue_accounts" cascade;`);

    this.addSql(`alter table "bw_payment_transactions" drop column "payment_response";`);
  }
}
