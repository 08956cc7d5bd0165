import type { OpenTables } from './books.ts';

export interface StoredCheck {
  /** The scheduled instant. */
  readonly asked: string;
  /** Later if it waits for other work of the day (overdue §5.2). */
  readonly dueMs: number;
}

/** The check of each account in that state. */
export async function checksIn(open: OpenTables, state: 'AVAILABLE' | 'IN_PROCESSING') {
  const rows = await open.rows(
    `select accounts.id as account, entries.payload as payload, entries.effective_date as due
     from bw_queue_entries entries
     join bw_accounts accounts on accounts.record_id = entries.account_record_id
     where entries.topic = 'overdue-service:overdue-check-queue' and entries.processing_state = '${state}'`,
  );
  return new Map(
    rows.map(({ account, payload, due }) => {
      const { asked } = JSON.parse(payload ?? '{}') as { readonly asked: string };
      return [account ?? '', { asked, dueMs: Number(due) }];
    }),
  );
}

/** Due times of each account's work that comes before overdue checks (overdue §5.2). */
export async function plannedWork(open: OpenTables): Promise<ReadonlyMap<string, readonly number[]>> {
  const rows = await open.rows(
    `select accounts.id as account, entries.effective_date as due
     from bw_queue_entries entries
     join bw_accounts accounts on accounts.record_id = entries.account_record_id
     where entries.kind = 'NOTIFICATION' and entries.topic not like 'overdue-service:%'
       and entries.topic <> 'server-service:push-notification-queue'`,
  );
  const ofAccount = Map.groupBy(rows, ({ account }) => account ?? '');
  return new Map([...ofAccount].map(([account, found]) => [account, found.map(({ due }) => Number(due))]));
}
