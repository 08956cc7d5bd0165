import type { NotificationReads } from '../../lib/ports/storage/index.ts';
import { ProcessingState } from '../../lib/queue/model.ts';
import { instant } from '../../lib/time/index.ts';
import { numberOf } from './columns.ts';
import type { TenantScope } from './record-access.ts';
import { isIn, sql } from './sql.ts';

export function notificationReads({ runner, tenantRecordId }: TenantScope): NotificationReads {
  return {
    findPending: async (uniqueKeys) => {
      if (uniqueKeys.length === 0) return [];
      const rows = await runner.rows(sql`
        select unique_key, effective_date from bw_queue_entries
        where tenant_record_id = ${tenantRecordId} and unique_key is not null
          and ${isIn('unique_key', 'text', uniqueKeys)} and processing_state = ${ProcessingState.AVAILABLE}`);
      return rows.map((row) => ({
        uniqueKey: String(row.unique_key),
        effectiveDate: instant(numberOf(row.effective_date, 'effective_date')),
      }));
    },
  };
}
