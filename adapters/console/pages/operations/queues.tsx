import { api } from '../../core/data.ts';
import { words } from '../../core/format.ts';
import { parameters } from '../../core/location.ts';
import { Action } from '../../parts/action.tsx';
import { Badge, IdLink, Json, Section } from '../../parts/layout.tsx';
import { type Column, Filters, ListPages, Table } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';

/** An entry of the queue; a late one with the cause of its delay. */
interface Entry {
  readonly recordId: number;
  readonly kind: 'BUS' | 'NOTIFICATION';
  readonly topic: string;
  readonly event: Readonly<Record<string, unknown>>;
  readonly accountId: string | null;
  readonly dueDate: Date;
  readonly state: string;
  readonly errorCount: number;
  readonly reason: string | null;
  readonly processingOwner: string | null;
  readonly cause?: string;
  readonly why?: string;
}

const MAX_ENTRIES = 1_000;

/** The lists by their names, with the name of the operation that loads each. */
const lists = { lateWork: 'late', failedWork: 'failed' } as const;

/** Work of the tenant that is late, or that failed for good. */
export function Queues() {
  const name = parameters.value.get('list') === 'failedWork' ? 'failedWork' : 'lateWork';
  const load = async () => {
    const entries: readonly Entry[] = await api().queues[lists[name]]({ limit: MAX_ENTRIES });
    return entries.map((entry) => ({ ...entry, id: `${entry.kind} ${entry.recordId}` }));
  };
  const choice = <Filters of={{ list: { kind: 'select', options: Object.keys(lists) } }} />;
  return (
    <Section name={name} actions={choice} isExplained>
      <ListPages load={load}>
        {(shown) => (
          <>
            <Table name={name} rows={shown} columns={columns} />
            {shown.length > 1 && <PutBack entries={shown} />}
          </>
        )}
      </ListPages>
    </Section>
  );
}

/** The columns of entries. An entry that failed can be put back. */
const columns: readonly Column<Entry>[] = [
  ['work', WorkName],
  ['account', ({ accountId }) => accountId !== null && <IdLink page="/accounts" id={accountId} />],
  ['due', 'dueDate'],
  ['state', ({ cause, state }) => <Badge tone="warning">{words(cause ?? state)}</Badge>],
  ['reason', ({ why, reason, processingOwner }) => why ?? reason ?? processingOwner, 'text'],
  ['failedAttempts', 'errorCount'],
  ['', (entry) => <PutBack entries={[entry]} />],
];

function WorkName({ topic, event }: Entry) {
  return (
    <>
      {topicText(topic)} <Json value={event} />
    </>
  );
}

/** Puts the failed entries back into the queue. */
function PutBack({ entries }: { readonly entries: readonly Entry[] }) {
  const failed = entries.filter(({ state }) => state === 'FAILED');
  const run = async () => {
    for (const kind of ['BUS', 'NOTIFICATION'] as const) {
      const recordIds = failed.filter((entry) => entry.kind === kind).map(({ recordId }) => recordId);
      if (recordIds.length > 0) await api().queues.putBack({ kind, recordIds });
    }
  };
  const isHidden = failed.length === 0;
  return (
    <Action
      name="putBack"
      label={texts.operations.putBack(failed.length)}
      needs="admin:update"
      isHidden={isHidden}
      run={run}
    />
  );
}

/** A topic such as `service:push-queue` in words. */
function topicText(topic: string): string {
  return words((topic.split(':').at(-1) ?? topic).replaceAll(/[-.]/g, ' '));
}
