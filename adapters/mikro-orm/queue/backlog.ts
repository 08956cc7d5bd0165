import type { BacklogRequest, QueueBacklog, TopicBacklog } from '../../../lib/ports/storage/index.ts';
import { QueueKind } from '../../../lib/records/index.ts';
import { type Instant, instant } from '../../../lib/values/time/index.ts';
import { numberOf, type Row } from '../sql/columns.ts';
import type { StatementResult } from '../sql/connection.ts';
import { type Sql, sql } from '../sql/sql.ts';

/** Since when an entry could have been processed. */
const begun = sql`case when created_date > effective_date then created_date else effective_date end`;

const dueEvents = sql`due_order = 0`;

function dueNotifications(since: Instant): Sql {
  return sql`due_order > 0 and due_order <= ${since}`;
}

function firstDue(due: Sql, limit: number): Sql {
  return sql`from bw_queue_entries where processing_state = 'AVAILABLE' and ${due}
    order by due_order, record_id limit ${limit}`;
}

/**
 * Bus entries come first along the index of due entries, so the oldest is the first of them or of the others. Counting in
 * that order, and of the first `limit` only, keeps PostgreSQL on the index instead of reading the table until it has found
 * enough.
 */
export function backlogOf({ since, limit, kind }: BacklogRequest): Sql {
  const parts = [
    { kind: QueueKind.BUS, due: dueEvents },
    { kind: QueueKind.NOTIFICATION, due: dueNotifications(since) },
  ].map((part) => {
    const isAsked = kind === undefined || kind === part.kind;
    const found = (limited: number): Sql => sql`
      select ${begun} as begun ${firstDue(part.due, isAsked ? limited : 0)}`;
    return {
      oldest: sql`(${found(1)})`,
      late: sql`(select count(*) from (${found(limit)}) as due where begun <= ${since})`,
    };
  });
  const [bus, notifications] = parts as [(typeof parts)[0], (typeof parts)[0]];
  return sql`select ${bus.oldest} as oldest_event, ${notifications.oldest} as oldest_notification,
    ${bus.late} + ${notifications.late} as late`;
}

export function topicBacklogOf({ since, limit }: Omit<BacklogRequest, 'kind'>): Sql {
  const found = (due: Sql): Sql => sql`select * from (
    select topic, ${begun} as begun ${firstDue(due, limit)}) as due`;
  return sql`
    select topic, count(*) as late, min(begun) as oldest
    from (${found(dueEvents)} union all ${found(dueNotifications(since))}) as found
    where begun <= ${since} group by topic order by topic`;
}

export function readTopicBacklog(row: Row): TopicBacklog {
  return {
    topic: String(row.topic),
    late: numberOf(row.late, 'late'),
    oldest: instant(numberOf(row.oldest, 'oldest')),
  };
}

export function readBacklog(
  { rows: [row] }: StatementResult,
  { since, limit }: BacklogRequest,
): QueueBacklog {
  const times = [row?.oldest_event, row?.oldest_notification]
    .filter((value) => value !== null)
    .map((value) => numberOf(value, 'oldest'))
    .filter((each) => each <= since);
  return {
    late: Math.min(numberOf(row?.late, 'late'), limit),
    oldest: times.length === 0 ? null : instant(Math.min(...times)),
  };
}
