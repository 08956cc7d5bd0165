import { Migration } from '@mikro-orm/migrations';

/** Each kind of coverage is found by indexes of its own; those of FIXED and FREE rows are their unique ones. */
export class Migration20261121235846CoverageIndexes extends Migration {
  override name = 'Migration20261121235846CoverageIndexes';

  override up(): void {
    this.addSql(`drop index \`bw_coverage_start_index\`;`);
    this.addSql(`drop index \`bw_coverage_end_index\`;`);
    this.addSql(
      `create index \`bw_coverage_end_index\` on \`bw_coverage\` (\`tenant_record_id\`, \`subscription_id\`, \`end_date\`) where kind = 'RECURRING';`,
    );
  }
}
