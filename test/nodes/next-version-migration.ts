import type { MigrationObject } from '@mikro-orm/core';
import { Migration } from '@mikro-orm/migrations';

class NextVersion extends Migration {
  override up(): void {
    this.addSql(`create table bw_next_version (record_id bigserial primary key)`);
    this.addSql(`alter table bw_invoices add column next_version text not null default 'none'`);
    this.addSql(`alter table bw_queue_entries add column next_version bigint null`);
  }
}

/** Additive, like all schema changes within a minor version (platform §15 rule 5). */
export const migration: MigrationObject = { name: '29990101000000-next-version', class: NextVersion };
