import type { Dialect } from '../sql/dialect.ts';
import { raw, type Sql, type SqlPart, sql } from '../sql/sql.ts';

/**
 * Makes claimed entries AVAILABLE at once, in one step (platform §9.3 rule 7). The index of claimed entries leads to
 * them. Rows that a transaction holds are left out: their node is alive, and about to end them.
 */
export function takenBack({ forUpdateSkipLocked }: Dialect, whose: SqlPart): Sql {
  return sql`
    update bw_queue_entries set processing_state = 'AVAILABLE', processing_owner = null, claim_id = null,
      available_at_ms = null, lapses = coalesce(lapses, 0) + 1
    where record_id in (
      select record_id from bw_queue_entries where processing_state = 'IN_PROCESSING' and ${whose}
      ${raw(forUpdateSkipLocked)})`;
}
