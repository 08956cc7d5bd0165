import { Migration } from '@mikro-orm/migrations';

export class Migration20261121211642AccountSearch extends Migration {

  override up(): void | Promise<void> {
    this.addSql(`alter table \`bw_accounts\` add column \`folded_text\` text null;`);
    this.addSql(`alter table \`bw_accounts\` add column \`created_by\` text null;`);
    this.addSql(`alter table \`bw_accounts\` add column \`updated_by\` text null;`);
    // SQL's lower case of what is there already; from now on it is that of JavaScript.
    this.addSql(`update bw_accounts set
      folded_text = lower(coalesce(name || char(1), '') || coalesce(email || char(1), '')
        || external_key || char(1) || coalesce(company || char(1), '')),
      created_by = (select changed_by from bw_audit_log l where l.tenant_record_id = bw_accounts.tenant_record_id
        and l.target_id = bw_accounts.id order by l.record_id limit 1),
      updated_by = (select changed_by from bw_audit_log l where l.tenant_record_id = bw_accounts.tenant_record_id
        and l.target_id = bw_accounts.id order by l.record_id desc limit 1)`);
    this.addSql(`create index \`bw_accounts_name_index\` on \`bw_accounts\` (\`tenant_record_id\`, \`name\`, \`record_id\`);`);
    this.addSql(`create index \`bw_accounts_email_index\` on \`bw_accounts\` (\`tenant_record_id\`, \`email\`, \`record_id\`);`);
    this.addSql(`create index \`bw_accounts_company_index\` on \`bw_accounts\` (\`tenant_record_id\`, \`company\`, \`record_id\`);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index \`bw_accounts_name_index\`;`);
    this.addSql(`drop index \`bw_accounts_email_index\`;`);
    this.addSql(`drop index \`bw_accounts_company_index\`;`);
    this.addSql(`alter table \`bw_accounts\` drop column \`folded_text\`;`);
    this.addSql(`alter table \`bw_accounts\` drop column \`created_by\`;`);
    this.addSql(`alter table \`bw_accounts\` drop column \`updated_by\`;`);
  }

}
