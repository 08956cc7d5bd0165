import { Migration } from '@mikro-orm/migrations';

export class Migration20261122004220ItemBases extends Migration {

  override name = 'Migration20261122004220ItemBases';

  override up(): void | Promise<void> {
    this.addSql(`create table \`bw_invoice_item_bases\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`account_record_id\` integer not null, \`item_id\` text not null, \`basis\` text not null);`);
    this.addSql(`create unique index \`bw_invoice_item_bases_item_unique\` on \`bw_invoice_item_bases\` (\`tenant_record_id\`, \`account_record_id\`, \`item_id\`);`);
  }

}
