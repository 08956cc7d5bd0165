import { Migration } from '@mikro-orm/migrations';

export class Migration20261123093605CreditNotes extends Migration {
  override up(): void | Promise<void> {
    this.addSql(`create table "bw_credit_notes" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "id" uuid not null, "account_id" uuid not null, "account_record_id" bigint not null, "invoice_id" uuid not null, "credit_note_number" bigint not null, "reason" text not null, "credit_note_date" date not null, "amount" numeric not null, "currency" text not null, "lines" json not null, "created_date" bigint not null);`);
    this.addSql(`create index "bw_credit_notes_invoice_index" on "bw_credit_notes" ("tenant_record_id", "invoice_id", "record_id");`);
    this.addSql(`create index "bw_credit_notes_account_index" on "bw_credit_notes" ("tenant_record_id", "account_record_id", "record_id");`);
    this.addSql(`alter table "bw_credit_notes" add constraint "bw_credit_notes_id_unique" unique ("id");`);
    this.addSql(`alter table "bw_credit_notes" add constraint "bw_credit_notes_number_unique" unique ("tenant_record_id", "credit_note_number");`);

    this.addSql(`alter table "bw_credit_notes" enable row level security;`);
    this.addSql(`alter table "bw_credit_notes" force row level security;`);
    this.addSql(`create policy "bw_credit_notes_tenant" on "bw_credit_notes" using (tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*')) with check (tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "bw_credit_notes" cascade;`);
  }
}
