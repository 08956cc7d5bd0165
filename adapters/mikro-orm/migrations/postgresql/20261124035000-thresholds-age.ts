import { Migration } from '@mikro-orm/migrations';

export class Migration20261124035000ThresholdsAge extends Migration {
  override up(): void | Promise<void> {
    this.addSql(`alter table "bw_usage_thresholds" add "over_at" bigint null;`);
    // Two of the longest billing periods, in milliseconds: a row does not say of which period it is.
    this.addSql(`update bw_usage_thresholds set over_at = starts_at + 189475200000;`);
    this.addSql(`create index "bw_usage_thresholds_age_index" on "bw_usage_thresholds" ("over_at");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "bw_usage_thresholds_age_index";`);
    this.addSql(`alter table "bw_usage_thresholds" drop column "over_at";`);
  }

}
