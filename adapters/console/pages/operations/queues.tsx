import { useState } from 'preact/hooks';
import { api, may } from '../../core/data.ts';
import { words } from '../../core/format.ts';
import { parameters } from '../../core/location.ts';
import { Action } from '../../parts/action.tsx';
import { Badge, IdLink, Json, Section, type Tone } from '../../parts/layout.tsx';
import { Filters, ListPages, Table } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';

const t = texts.operations;

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
const lists = { lateWork: 'late', workInProgress: 'busy', failedWork: 'failed' } as const;

/** Work of the tenant that is late, that a node is doing, or that failed for good. */
export function Queues() {
  const given = parameters.value.get('list') ?? '';
  const name = Object.hasOwn(lists, given) ? (given as keyof typeof lists) : 'lateWork';
  const load = async (): Promise<readonly Row[]> => {
    const entries: readonly Entry[] = await api().queues[lists[name]]({ limit: MAX_ENTRIES });
    return entries.map((entry) => ({ ...entry, id: `${entry.kind} ${entry.recordId}` }));
  };
  return (
    <Section
      name={name}
      actions={<Filters of={{ list: { kind: 'select', options: Object.keys(lists) } }} />}
      isExplained
    >
      <ListPages load={load}>
        {(shown) => <Entries key={name} entries={shown} isFailed={name === 'failedWork'} />}
      </ListPages>
    </Section>
  );
}

type Row = Entry & { readonly id: string };

interface EntriesProps {
  readonly entries: readonly Row[];
  readonly isFailed: boolean;
}

/** Entries, with an action that puts back failed ones, or frees others: the chosen ones, or all on the page. */
function Entries({ entries, isFailed }: EntriesProps) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const picked = entries.filter(({ id }) => chosen.has(id));
  const changed = picked.length > 0 ? picked : entries;
  const choose = (id: string, isChosen: boolean) =>
    setChosen(new Set([...[...chosen].filter((each) => each !== id), ...(isChosen ? [id] : [])]));
  const run = async () => {
    const { queues } = api();
    const change = isFailed ? queues.putBack : queues.free;
    for (const kind of ['BUS', 'NOTIFICATION'] as const) {
      const recordIds = changed.filter((entry) => entry.kind === kind).map(({ recordId }) => recordId);
      if (recordIds.length > 0) await change({ kind, recordIds });
    }
  };
  return (
    <>
      {entries.length > 0 && (
        <div class="actions">
          <Action
            name={isFailed ? 'putBack' : 'free'}
            label={(isFailed ? t.putBack : t.free)(changed.length, picked.length > 0)}
            needs="admin:update"
            run={run}
            after={() => setChosen(new Set())}
          />
        </div>
      )}
      <Table
        name="queues"
        rows={entries}
        columns={[
          [
            'work',
            ({ id, topic, event }) => (
              <>
                {may('admin:update') ? (
                  <label>
                    <input
                      type="checkbox"
                      checked={chosen.has(id)}
                      onChange={({ currentTarget }) => choose(id, currentTarget.checked)}
                    />{' '}
                    {topicText(topic)}
                  </label>
                ) : (
                  topicText(topic)
                )}
                <Json value={event} />
              </>
            ),
          ],
          ['account', ({ accountId }) => accountId !== null && <IdLink page="/accounts" id={accountId} />],
          ['due', 'dueDate'],
          [
            'state',
            ({ cause, state }) => <Badge tone={tones[cause ?? state]}>{words(cause ?? state)}</Badge>,
          ],
          ['reason', ({ why, reason, processingOwner }) => why ?? reason ?? processingOwner, 'text'],
          ['failedAttempts', 'errorCount'],
        ]}
      />
    </>
  );
}

/** A topic such as `service:push-queue` in words. */
function topicText(topic: string): string {
  return words((topic.split(':').at(-1) ?? topic).replaceAll(/[-.]/g, ' '));
}

const tones: Readonly<Record<string, Tone>> = {
  FAILED: 'bad',
  NODE_GONE: 'bad',
  NO_NODE: 'bad',
  UNKNOWN_TOPIC: 'bad',
  PAUSED: 'warning',
  BEHIND: 'warning',
  WAITING: 'warning',
};
