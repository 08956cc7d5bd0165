import type { EventReads, EventStore, EventsRequest } from '../../../lib/ports/storage/index.ts';
import type { BusEventType, EventPayload, PublishedBusEvent } from '../../../lib/records/index.ts';
import { parseExactJson } from '../../../lib/values/money/index.ts';
import {
  bigint,
  bigintOrNull,
  fieldsOf,
  instantAt,
  json,
  oneOf,
  type Row,
  textIn,
  textOrNull,
  uuid,
} from '../sql/columns.ts';
import type { Dialect } from '../sql/dialect.ts';
import type { SystemAccess } from '../sql/runner.ts';
import { isIn, nothing, raw, type Sql, sql } from '../sql/sql.ts';
import { queueEntriesTable, queueHistoryTable } from '../tables/queue.ts';
import type { TenantScope } from '../tables/record-access.ts';

const fields = fieldsOf({
  recordId: bigint,
  tenantRecordId: bigint,
  accountRecordId: bigintOrNull,
  eventId: uuid,
  topic: oneOf<BusEventType>,
  payload: json<EventPayload>,
  createdDate: instantAt,
  userToken: uuid,
  traceParent: textOrNull,
});
const columns = Object.values(fields).flatMap((field) => field.columns);

/**
 * SQL condition that excludes the copied events of tenants that are being moved to this cell. Their source cell still
 * delivers these events (cells §2.2).
 */
const ofPresentTenants = sql`and tenant_record_id not in (
  select m.tenant_record_id from bw_tenant_moves m where m.state = 'ARRIVING')`;

/**
 * Returns a page of events. A single statement reads both tables, so that it sees each event in exactly one of them.
 */
function eventPageQuery(dialect: Dialect, request: EventsRequest, whose: Sql) {
  const { after, upTo, limit, types } = request;
  const order = raw(request.isNewestFirst === true ? 'record_id desc' : 'record_id');
  const names = raw(dialect.selectList({ columns }));
  const from = (table: string) => sql`
    select * from (
      select ${names} from ${raw(table)}
      where event_id is not null and record_id > ${after} and record_id <= ${upTo} ${whose}
        ${types === undefined ? nothing : sql`and ${isIn('topic', 'text', types)}`}
      order by ${order} limit ${limit}) as part`;
  return sql`
    ${from(queueEntriesTable.name)} union all ${from(queueHistoryTable.name)} order by ${order} limit ${limit}`;
}

export function eventReads({ runner, tenantRecordId }: TenantScope): EventReads {
  return {
    list: (request) =>
      runner.read(
        eventPageQuery(runner.dialect, request, sql`and tenant_record_id = ${tenantRecordId}`),
        publishedEvent,
      ),
  };
}

export function eventStore(access: SystemAccess, onPublished: EventStore['onPublished']): EventStore {
  const { dialect } = access;
  return {
    list: async (request) =>
      (await access.rows(eventPageQuery(dialect, request, ofPresentTenants))).map(publishedEvent),
    // Each statement is its own transaction, so the second statement sees later commits.
    horizon: (tenantRecordId) => {
      const statements = {
        run: (statement: Sql) => access.run(statement),
        rows: async (statement: Sql) => await access.rows(statement),
      };
      return dialect.feedHorizon(statements, tenantRecordId);
    },
    onPublished,
  };
}

function publishedEvent(row: Row): PublishedBusEvent {
  return {
    recordId: fields.recordId.read(row),
    tenantRecordId: fields.tenantRecordId.read(row),
    accountRecordId: fields.accountRecordId.read(row),
    eventId: fields.eventId.read(row),
    type: fields.topic.read(row),
    // Amounts keep all digits.
    payload: parseExactJson(textIn(row, 'payload')) as EventPayload,
    createdDate: fields.createdDate.read(row),
    userToken: fields.userToken.read(row),
    traceParent: fields.traceParent.read(row),
  };
}
