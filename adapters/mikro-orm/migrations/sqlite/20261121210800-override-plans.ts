import { Migration } from '@mikro-orm/migrations';

export class Migration20261121210800OverridePlans extends Migration {

  override name = 'Migration20261121210800OverridePlans';

  override up(): void | Promise<void> {
    this.addSql(`create table \`bw_override_plans\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`id\` text not null, \`number\` integer not null, \`plan_name\` text not null, \`parent_plan_name\` text not null, \`currency\` text not null, \`overrides\` text not null, \`override_hash\` text not null, \`created_date\` integer not null);`);
    this.addSql(`create unique index \`bw_override_plans_id_unique\` on \`bw_override_plans\` (\`id\`);`);
    this.addSql(`create unique index \`bw_override_plans_number_unique\` on \`bw_override_plans\` (\`tenant_record_id\`, \`number\`);`);
    this.addSql(`create unique index \`bw_override_plans_plan_name_unique\` on \`bw_override_plans\` (\`tenant_record_id\`, \`plan_name\`);`);
    this.addSql(`create unique index \`bw_override_plans_overrides_unique\` on \`bw_override_plans\` (\`tenant_record_id\`, \`parent_plan_name\`, \`override_hash\`);`);
  }

}
