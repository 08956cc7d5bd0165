import {
  api,
  callServer,
  callTenant,
  hrefWith,
  instant,
  may,
  parameters,
  useLoad,
  withAccountNames,
  withNames,
  words,
} from '../../core/index.ts';
import { eventColumns, eventTypeOf, eventTypes } from '../../parts/event-table.tsx';
import {
  Action,
  Badge,
  Filter,
  IdLink,
  ListSection,
  Page,
  PagedTable,
  Section,
  Show,
  Table,
  Tabs,
} from '../../parts/index.ts';
import { texts } from '../../texts.ts';
import { Deliveries } from './deliveries.tsx';
import { Health } from './health.tsx';
import { Queues } from './queues.tsx';

const t = texts.operations;

/** Background work, deliveries, nodes and measurements of the deployment. */
export function Operations() {
  const ofHealth = [
    { name: 'queues', title: t.queues, content: () => <Queues /> },
    { name: 'nodes', title: t.nodes, content: () => <Nodes /> },
    { name: 'health', title: t.health, content: () => <Health /> },
  ];
  const ofAll = [
    { name: 'deliveries', title: t.deliveries, content: () => <Deliveries /> },
    { name: 'parked', title: t.parked, content: () => <Parked /> },
    { name: 'events', title: t.events, content: () => <Events /> },
  ];
  return (
    <Page title={texts.shell.operations}>
      <Tabs tabs={may('admin:health') ? [...ofHealth, ...ofAll] : ofAll} />
    </Page>
  );
}

/** Accounts without invoice runs, because a run failed or a user parked them. */
function Parked() {
  return (
    <Section title={t.parked}>
      <p class="quiet-text">{t.parkedExplanation}</p>
      <PagedTable
        caption={t.parked}
        load={(page) => withAccountNames(api().invoices.parked(page))}
        keyOf={({ accountId }) => accountId}
        empty={t.noParked}
        columns={[
          {
            title: t.account,
            cell: ({ accountId, accountName }) => (
              <IdLink page="/accounts" id={accountId} label={accountName} />
            ),
          },
          { title: t.since, cell: ({ parkedDate }) => instant(parkedDate) },
          { title: t.reason, isText: true, cell: ({ reason }) => reason },
          { title: t.actions, cell: ({ accountId }) => <ParkedActions id={accountId} /> },
        ]}
      />
    </Section>
  );
}

function ParkedActions({ id }: { readonly id: string }) {
  return (
    <div class="actions">
      {may('invoice:trigger') && (
        <Action {...t.retryParked} run={() => api().invoices.generate({ accountId: id })} />
      )}
      {may('tag:delete') && <Action {...t.unpark} run={() => api().invoices.unpark(id)} />}
    </div>
  );
}

interface Node {
  readonly nodeName: string;
  readonly kbVersion: string;
  readonly bootTime: string;
  readonly lastUpdatedDate: string;
  readonly pluginsInfo: readonly {
    readonly pluginName: string;
    readonly version: string | null;
    readonly state: string;
  }[];
}

/** The nodes of the deployment with their plugins, rotation and caches. */
function Nodes() {
  const loaded = useLoad(() => callServer<readonly Node[]>('GET /nodesInfo'));
  const actions = may('admin:update') && (
    <>
      <Action {...t.dropCaches} run={() => callTenant('DELETE /admin/cache')} />
      <Action {...t.intoRotation} run={() => callTenant('PUT /admin/healthcheck')} />
      <Action {...t.outOfRotation} run={() => callTenant('DELETE /admin/healthcheck')} isDangerous />
    </>
  );
  return (
    <ListSection
      caption={t.nodes}
      of={loaded}
      keyOf={({ nodeName }) => nodeName}
      columns={[
        { title: t.node, cell: ({ nodeName }) => nodeName },
        { title: t.version, cell: ({ kbVersion }) => kbVersion },
        { title: t.started, cell: ({ bootTime }) => instant(bootTime) },
        { title: t.seen, cell: ({ lastUpdatedDate }) => instant(lastUpdatedDate) },
        {
          title: t.plugins,
          cell: ({ pluginsInfo }) =>
            pluginsInfo.map(({ pluginName, version, state }) => (
              <div key={pluginName}>
                {pluginName} {version}{' '}
                <Badge tone={state === 'RUNNING' ? 'good' : 'warning'}>{words(state)}</Badge>
              </div>
            )),
        },
      ]}
      actions={actions}
    />
  );
}

const PAGE_SIZE = 25;

/** The newest events, or those before a cursor of the URL. */
function Events() {
  const type = eventTypeOf(parameters.value.get('type'));
  const before = parameters.value.get('before') ?? 'latest';
  const loaded = useLoad(async () => {
    const { events, next } = await api().events.list({
      before,
      limit: PAGE_SIZE,
      ...(type && { types: [type] }),
    });
    return { events: await withNames(events), next };
  }, [type, before]);
  return (
    <Section title={t.events}>
      <p class="quiet-text">{t.eventsExplanation}</p>
      <div class="filters">
        <Filter
          label={t.event}
          name="type"
          options={[['', t.all], ...eventTypes.map((each) => [each, words(each)] as const)]}
        />
      </div>
      <Show of={loaded}>
        {({ events, next }) => (
          <>
            <Table
              caption={t.events}
              rows={events}
              keyOf={({ id }) => id}
              columns={eventColumns}
              empty={t.noEvents}
            />
            <nav class="pages" aria-label={texts.common.pages}>
              {before !== 'latest' && <a href={hrefWith({ before: null })}>{t.newest}</a>}
              {events.length > 0 && <a href={hrefWith({ before: next })}>{t.earlier}</a>}
            </nav>
          </>
        )}
      </Show>
    </Section>
  );
}
