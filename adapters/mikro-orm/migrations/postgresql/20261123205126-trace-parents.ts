import { Migration } from '@mikro-orm/migrations';

export class Migration20261123205126TraceParents extends Migration {
  override up(): void | Promise<void> {
    this.addSql(`alter table "bw_push_deliveries" add "user_token" uuid null, add "trace_parent" text null;`);

    this.addSql(`alter table "bw_queue_entries" add "trace_parent" text null;`);

    this.addSql(`alter table "bw_queue_history" add "trace_parent" text null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "bw_push_deliveries" drop column "user_token", drop column "trace_parent";`);

    this.addSql(`alter table "bw_queue_entries" drop column "trace_parent";`);

    this.addSql(`alter table "bw_queue_history" drop column "trace_parent";`);
  }
}
