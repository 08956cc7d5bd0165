import { Migration } from '@mikro-orm/migrations';

export class Migration20261121210800OverridePlans extends Migration {

  override name = 'Migration20261121210800OverridePlans';

  override up(): void | Promise<void> {
    this.addSql(`create table "bw_override_plans" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "id" uuid not null, "number" int not null, "plan_name" text not null, "parent_plan_name" text not null, "currency" text not null, "overrides" text not null, "override_hash" text not null, "created_date" bigint not null);`);
    this.addSql(`alter table "bw_override_plans" add constraint "bw_override_plans_id_unique" unique ("id");`);
    this.addSql(`alter table "bw_override_plans" add constraint "bw_override_plans_number_unique" unique ("tenant_record_id", "number");`);
    this.addSql(`alter table "bw_override_plans" add constraint "bw_override_plans_plan_name_unique" unique ("tenant_record_id", "plan_name");`);
    this.addSql(`alter table "bw_override_plans" add constraint "bw_override_plans_overrides_unique" unique ("tenant_record_id", "parent_plan_name", "override_hash");`);
  }

}
