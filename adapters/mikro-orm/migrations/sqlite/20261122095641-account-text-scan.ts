import { Migration } from '@mikro-orm/migrations';

/** What searches by text read, without the rest of the accounts. */
export class Migration20261122095641AccountTextScan extends Migration {
  override name = 'Migration20261122095641AccountTextScan';

  override up(): void {
    this.addSql(
      'create index bw_accounts_text_index on bw_accounts (tenant_record_id, record_id, folded_text);',
    );
  }

  override down(): void {
    this.addSql('drop index `bw_accounts_text_index`;');
  }
}
