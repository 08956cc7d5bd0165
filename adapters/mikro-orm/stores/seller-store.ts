import type { SellerReads, SellerWrites } from '../../../lib/ports/storage/index.ts';
import { ChangeType, type LogoMediaType } from '../../../lib/records/index.ts';
import type { Instant } from '../../../lib/values/time/index.ts';
import type { WriteScope } from '../audit/audited-writes.ts';
import { orNullIn, type Row, textIn } from '../sql/columns.ts';
import { nothing, raw, sql } from '../sql/sql.ts';
import type { TenantScope } from '../tables/record-access.ts';
import { sellersTable } from '../tables/system.ts';

const logoColumns = raw('logo_media_type, logo_bytes');
const logoOf = (row: Row) => sellersTable.fields.logo.read(row);

export function sellerReads(scope: TenantScope): SellerReads {
  const { runner, ofTenant } = scope;
  const newestFirst = raw('created_date desc, record_id desc');
  /**
   * Selects the versions that existed at the instant, and the first version. Documents older than the first version use
   * that version too (invoicing §14 rule 7).
   */
  const selectVersionsUntil = (instant: Instant) => sql`
    and (created_date <= ${instant}
      or created_date = (select min(created_date) from bw_sellers where ${ofTenant}))`;
  return {
    find: async (until) =>
      runner.firstAs((row) => ({ ...sellersTable.decode(row), logo: logoOf(row) }))`
        select ${scope.columns(sellersTable)}, ${logoColumns} from bw_sellers
        where ${ofTenant} ${until === null ? nothing : selectVersionsUntil(until)}
        order by ${newestFirst} limit 1`,
    versions: async () =>
      runner.readAs((row) => ({
        ...sellersTable.decode(row),
        logoMediaType: orNullIn(row, 'logo_media_type', textIn) as LogoMediaType | null,
      }))`
        select ${scope.columns(sellersTable)}, logo_media_type from bw_sellers
        where ${ofTenant} order by ${newestFirst}`,
    logo: async (id) => {
      const [found] = await runner.readAs((row) => ({ logo: logoOf(row) }))`
        select ${logoColumns} from bw_sellers where ${ofTenant} and id = ${id}`;
      return found?.logo;
    },
  };
}

export function sellerWrites(scope: WriteScope): SellerWrites {
  return {
    insert: async (seller) => {
      const [recordId = 0] = await scope.insert(sellersTable, [seller]);
      scope.noteBareChange('TENANT_KVS', { id: seller.id, recordId, changeType: ChangeType.INSERT });
      return recordId;
    },
  };
}
