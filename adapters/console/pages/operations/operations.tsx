import { api, callServer, may, withAccountNames } from '../../core/data.ts';
import { label, words } from '../../core/format.ts';
import { parameters } from '../../core/location.ts';
import { Action } from '../../parts/action.tsx';
import { Load, Page, Section, Tabs } from '../../parts/layout.tsx';
import { type Column, Filters, ListPages, ListSection, Table } from '../../parts/table.tsx';
import { Badge, Copyable, IdLink, ObjectLink } from '../../parts/values.tsx';
import { texts } from '../../texts.ts';
import { Health } from './health.tsx';

const t = texts.tenant;

/** Background work, deliveries, nodes and measurements of the deployment. */
export function Operations() {
  const ofHealth = { queues: () => <Queues />, nodes: () => <Nodes />, health: () => <Health /> };
  const ofAll = { deliveries: () => <Deliveries />, parkedAccounts: () => <Parked /> };
  return (
    <Page name="operations">
      <Tabs of={may('admin:health') ? { ...ofHealth, ...ofAll } : ofAll} />
    </Page>
  );
}

/** Accounts without invoice runs, because a run failed or a user parked them. */
function Parked() {
  const { parked, generate, unpark } = api().invoices;
  return (
    <ListSection
      name="parkedAccounts"
      isExplained
      load={(page) => withAccountNames(parked(page))}
      columns={[
        ['account', (row) => <IdLink page="/accounts" id={row.accountId} label={row.accountName} />],
        'parkedDate',
        'reason',
      ]}
      rowActions={({ accountId }) => (
        <>
          <Action name="retry" needs="invoice:trigger" run={() => generate({ accountId })} />
          <Action name="removeFromList" needs="tag:delete" run={() => unpark(accountId)} />
        </>
      )}
    />
  );
}

interface Node {
  readonly nodeName: string;
  readonly kbVersion: string;
  readonly bootTime: string;
  readonly lastUpdatedDate: string;
  readonly pluginsInfo: readonly { readonly pluginName: string; readonly state: string }[];
}

function Nodes() {
  const pluginsOf = ({ pluginsInfo }: Node) =>
    pluginsInfo.map(({ pluginName, state }) => `${pluginName} (${words(state)})`).join(', ');
  return (
    <ListSection
      name="nodes"
      load={() => callServer<readonly Node[]>('GET /nodesInfo')}
      columns={['nodeName', 'kbVersion', 'bootTime', 'lastUpdatedDate', ['plugins', pluginsOf]]}
    />
  );
}

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
function Queues() {
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
            <Table
              name={name}
              rows={shown}
              columns={columns}
              rowActions={(entry) => <PutBack entries={[entry]} />}
            />
            {shown.length > 1 && <PutBack entries={shown} />}
          </>
        )}
      </ListPages>
    </Section>
  );
}

/** The columns of entries. An entry that failed can be put back. */
const columns: readonly Column<Entry>[] = [
  // The last part of a topic such as `service:push-queue` names the work.
  ['work', ({ topic }) => words(topic.replace(/^.*:/, '').replaceAll(/[-.]/g, ' '))],
  ['data', 'event'],
  ['account', ({ accountId }) => accountId !== null && <IdLink page="/accounts" id={accountId} />],
  'dueDate',
  ['state', ({ cause, state }) => <Badge tone="warning">{words(cause ?? state)}</Badge>],
  ['reason', ({ why, reason, processingOwner }) => why ?? reason ?? processingOwner],
  'errorCount',
];

/** Puts the failed entries back into the queue. */
function PutBack({ entries }: { readonly entries: readonly Entry[] }) {
  const failed = entries.filter(({ state }) => state === 'FAILED');
  const run = async () => {
    for (const kind of ['BUS', 'NOTIFICATION'] as const) {
      const recordIds = failed.filter((entry) => entry.kind === kind).map(({ recordId }) => recordId);
      if (recordIds.length > 0) await api().queues.putBack({ kind, recordIds });
    }
  };
  const title = t.putBack(failed.length);
  return (
    <Action name="putBack" label={title} needs="admin:update" isHidden={failed.length === 0} run={run} />
  );
}

const tones = { FAILED: 'bad', AVAILABLE: 'warning', PROCESSED: 'good', REMOVED: 'quiet' } as const;

const statuses = Object.keys(tones) as readonly (keyof typeof tones)[];

/** The callback of the tenant, and the deliveries of events to it. */
function Deliveries() {
  const state = statuses.find((each) => each === parameters.value.get('state'));
  const { list, sendAgain } = api().deliveries;
  return (
    <>
      <Callback />
      <ListSection
        name="deliveries"
        pageParameter="page"
        actions={
          <Filters of={{ state: { kind: 'select', options: [['', texts.common.all], ...statuses] } }} />
        }
        load={(page) => list({ ...page, ...(state && { state }) })}
        columns={[
          ['event', ({ eventType }) => words(eventType)],
          ['object', (event) => <ObjectLink {...event} />],
          'createdDate',
          ['state', ({ status }) => <Badge tone={tones[status]}>{label(status)}</Badge>],
          ['response', ({ lastStatus, lastError }) => lastError ?? lastStatus],
          'attempts',
          'nextAttemptDate',
        ]}
        rowActions={({ id }) => <Action name="sendAgain" needs="tenant_kvs:add" run={() => sendAgain(id)} />}
      />
    </>
  );
}

const CALLBACK = 'PUSH_NOTIFICATION_CB';

function Callback() {
  const { get, add, delete: remove } = api().keyValues;
  return (
    <Load from={() => get(CALLBACK)}>
      {({ values: [url] }) => {
        const setCallback = (
          <Action
            name="setCallback"
            needs="tenant_kvs:add"
            fields={{ url: { placeholder: 'https://example.com/billing' } }}
            initial={{ url }}
            run={(given) => (given.url === null ? remove(CALLBACK) : add(CALLBACK, given.url))}
          />
        );
        return (
          <Section name="callback" actions={setCallback}>
            {url === undefined ? t.noCallback : <Copyable text={url} />}
          </Section>
        );
      }}
    </Load>
  );
}
