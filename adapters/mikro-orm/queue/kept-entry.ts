import type { KeptEntry, SeenEntry } from '../../../lib/ports/storage/index.ts';
import { ProcessingState } from '../../../lib/records/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { numberOf, type Row, textOf } from '../sql/columns.ts';
import { raw, type Sql, sql } from '../sql/sql.ts';
import { queueEntriesTable } from '../tables/queue.ts';

/** What a fix-up leaves as the end of the pause: long ago, and never written by anything else. */
export const CLEARED_MS = 0;

/** Whose an entry of `chosen` is. */
export const owners: Sql = sql`
  (select t.id from bw_tenants t where t.record_id = chosen.tenant_record_id) as tenant_id,
  (select a.id from bw_accounts a where a.record_id = chosen.account_record_id) as account_id`;

const ofSameAccount = sql`other.tenant_record_id = chosen.tenant_record_id
  and other.account_record_id = chosen.account_record_id`;
const underWay = (column: string): Sql => sql`(
  select other.${raw(column)} from bw_queue_entries other
  where ${ofSameAccount} and other.processing_state = 'IN_PROCESSING' and other.record_id <> chosen.record_id
  order by other.record_id limit 1)`;

/** What of its account stands before an entry of `chosen`. */
export const neighbours: Sql = sql`
  ${underWay('record_id')} as under_way, ${underWay('processing_owner')} as under_way_owner,
  (select other.record_id from bw_queue_entries other
    where ${ofSameAccount} and other.processing_state = 'AVAILABLE'
      and (other.due_order, other.record_id) < (chosen.due_order, chosen.record_id)
    order by other.due_order, other.record_id limit 1) as behind`;

/** An entry that was selected with its owners. */
export function keptEntry(row: Row): KeptEntry {
  const stored = queueEntriesTable.decode(row);
  const { recordId, kind, topic, payload, accountRecordId, createdDate, effectiveDate } = stored;
  const { userToken, traceParent } = stored;
  const { errorCount, processingState, processingOwner, doneHandlers, availableAtMs, reason } = stored;
  return {
    recordId,
    kind,
    topic,
    payload,
    accountRecordId,
    tenantRecordId: numberOf(row.tenant_record_id, 'tenant_record_id'),
    tenantId: textOrNull(row, 'tenant_id') as Uuid | null,
    accountId: textOrNull(row, 'account_id') as Uuid | null,
    userToken,
    traceParent,
    createdDate,
    effectiveDate,
    errorCount,
    processingState,
    processingOwner,
    doneHandlers,
    availableAtMs,
    reason,
    isCleared: processingState === ProcessingState.AVAILABLE && availableAtMs === CLEARED_MS,
  };
}

/** An entry that was selected with its owners and neighbours. */
export function seenEntry(row: Row): SeenEntry {
  const underWayId = numberOrNull(row, 'under_way');
  return {
    ...keptEntry(row),
    underWay:
      underWayId === null ? null : { recordId: underWayId, owner: textOrNull(row, 'under_way_owner') },
    behind: numberOrNull(row, 'behind'),
  };
}

export function textOrNull(row: Row, column: string): string | null {
  return row[column] === null || row[column] === undefined ? null : textOf(row[column], column);
}

function numberOrNull(row: Row, column: string): number | null {
  return row[column] === null || row[column] === undefined ? null : numberOf(row[column], column);
}
