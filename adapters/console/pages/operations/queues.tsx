import { useState } from 'preact/hooks';
import { api, instant, may, parameters, useLoad, words } from '../../core/index.ts';
import { Json } from '../../parts/event-table.tsx';
import {
  Action,
  Badge,
  type Column,
  Filter,
  IdLink,
  ListTable,
  Section,
  type Tone,
} from '../../parts/index.ts';
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

const lists = {
  late: () => api().queues.late({ limit: MAX_ENTRIES }),
  busy: () => api().queues.busy({ limit: MAX_ENTRIES }),
  failed: () => api().queues.failed({ limit: MAX_ENTRIES }),
} as const;

type ListName = keyof typeof lists;

/** Work of the tenant that is late, that a node is doing, or that failed for good. */
export function Queues() {
  const given = parameters.value.get('list') ?? 'late';
  const name: ListName = Object.hasOwn(lists, given) ? (given as ListName) : 'late';
  const loaded = useLoad<readonly Entry[]>(() => lists[name](), [name]);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  return (
    <Section
      title={t.listTitles[name]}
      actions={
        <Filter
          label={t.list}
          name="list"
          options={(['late', 'busy', 'failed'] as const).map((each) => [each, words(each)])}
        />
      }
    >
      <p class="quiet-text">{t.listExplanations[name]}</p>
      <ListTable
        caption={t.listTitles[name]}
        of={loaded}
        keyOf={keyOf}
        empty={t.noEntries[name]}
        above={(shown) =>
          shown.length > 0 &&
          may('admin:update') && (
            <EntryActions name={name} entries={shown} chosen={chosen} after={() => setChosen(new Set())} />
          )
        }
        columns={[workColumn(chosen, setChosen), ...columns]}
      />
    </Section>
  );
}

function keyOf({ kind, recordId }: Entry): string {
  return `${kind} ${recordId}`;
}

/** The work, with a checkbox if the user may change entries. */
function workColumn(
  chosen: ReadonlySet<string>,
  setChosen: (chosen: ReadonlySet<string>) => void,
): Column<Entry> {
  return {
    title: t.work,
    cell: (entry) => {
      const key = keyOf(entry);
      const choose = (isChosen: boolean) =>
        setChosen(new Set([...[...chosen].filter((each) => each !== key), ...(isChosen ? [key] : [])]));
      return (
        <>
          {may('admin:update') ? (
            <label>
              <input
                type="checkbox"
                checked={chosen.has(key)}
                onChange={({ currentTarget }) => choose(currentTarget.checked)}
              />{' '}
              {topicText(entry.topic)}
            </label>
          ) : (
            topicText(entry.topic)
          )}
          <Json value={entry.event} />
        </>
      );
    },
  };
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

const columns: readonly Column<Entry>[] = [
  {
    title: t.account,
    cell: ({ accountId }) => accountId !== null && <IdLink page="/accounts" id={accountId} />,
  },
  { title: t.due, cell: ({ dueDate }) => instant(dueDate) },
  {
    title: t.state,
    cell: ({ cause, state }) => <Badge tone={tones[cause ?? state]}>{words(cause ?? state)}</Badge>,
  },
  {
    title: t.reason,
    cell: ({ why, reason, processingOwner }) => why ?? reason ?? processingOwner,
    isText: true,
  },
  { title: t.attempts, cell: ({ errorCount }) => errorCount, isNumber: true },
];

/** Puts back failed entries, or frees the others: the chosen ones, or all on the page. */
function EntryActions(props: {
  readonly name: ListName;
  readonly entries: readonly Entry[];
  readonly chosen: ReadonlySet<string>;
  readonly after: () => void;
}) {
  const picked = props.entries.filter((entry) => props.chosen.has(keyOf(entry)));
  const entries = picked.length > 0 ? picked : props.entries;
  const isFailed = props.name === 'failed';
  const { putBack, free, putBackExplanation, freeExplanation } = t;
  const run = async () => {
    const { queues } = api();
    const change = isFailed ? queues.putBack : queues.free;
    for (const kind of ['BUS', 'NOTIFICATION'] as const) {
      const recordIds = entries.filter((entry) => entry.kind === kind).map(({ recordId }) => recordId);
      if (recordIds.length > 0) await change({ kind, recordIds });
    }
  };
  return (
    <div class="actions">
      <Action
        label={(isFailed ? putBack : free)(entries.length, picked.length > 0)}
        explanation={isFailed ? putBackExplanation : freeExplanation}
        run={run}
        done={t.entriesDone(entries.length)}
        after={props.after}
      />
    </div>
  );
}
