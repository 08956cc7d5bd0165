import { Migration } from '@mikro-orm/migrations';

/** The index loses the date that every invoice run changes; no condition could use it. Pages are a matter of PostgreSQL's. */
export class Migration20261122160524CursorPages extends Migration {
  override name = 'Migration20261122160524CursorPages';

  override up(): void {
    this.addSql(`drop index \`bw_invoicing_cursors_due_index\`;`);
    this.addSql(
      `create index \`bw_invoicing_cursors_due_index\` on \`bw_invoicing_cursors\` (\`tenant_record_id\`, \`account_record_id\`);`,
    );
  }

  override down(): void {
    this.addSql(`drop index \`bw_invoicing_cursors_due_index\`;`);
    this.addSql(
      `create index \`bw_invoicing_cursors_due_index\` on \`bw_invoicing_cursors\` (\`tenant_record_id\`, \`account_record_id\`, \`next_due_date\`);`,
    );
  }
}
