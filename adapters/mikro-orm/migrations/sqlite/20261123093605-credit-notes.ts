import { Migration } from '@mikro-orm/migrations';

export class Migration20261123093605CreditNotes extends Migration {
  override up(): void | Promise<void> {
    this.addSql(`create table \`bw_credit_notes\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`id\` text not null, \`account_id\` text not null, \`account_record_id\` integer not null, \`invoice_id\` text not null, \`credit_note_number\` integer not null, \`reason\` text not null, \`credit_note_date\` text not null, \`amount\` text not null, \`currency\` text not null, \`lines\` text not null, \`created_date\` integer not null);`);
    this.addSql(`create index \`bw_credit_notes_invoice_index\` on \`bw_credit_notes\` (\`tenant_record_id\`, \`invoice_id\`, \`record_id\`);`);
    this.addSql(`create index \`bw_credit_notes_account_index\` on \`bw_credit_notes\` (\`tenant_record_id\`, \`account_record_id\`, \`record_id\`);`);
    this.addSql(`create unique index \`bw_credit_notes_id_unique\` on \`bw_credit_notes\` (\`id\`);`);
    this.addSql(`create unique index \`bw_credit_notes_number_unique\` on \`bw_credit_notes\` (\`tenant_record_id\`, \`credit_note_number\`);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`bw_credit_notes\`;`);
  }
}
