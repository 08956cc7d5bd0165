import { api, callServer, callTenant, may, useLoad, withAccountNames, withNames } from '../../core/data.ts';
import { instant, words } from '../../core/format.ts';
import { hrefWith, parameters } from '../../core/location.ts';
import { Action } from '../../parts/action.tsx';
import { Badge, Page, Section, Show, Tabs } from '../../parts/layout.tsx';
import { accountColumn, eventColumns, ListSection, PAGE_SIZE, Table } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';
import { Deliveries } from './deliveries.tsx';
import { Health } from './health.tsx';
import { Queues } from './queues.tsx';

const t = texts.operations;

/** Background work, deliveries, nodes and measurements of the deployment. */
export function Operations() {
  const ofHealth = { queues: () => <Queues />, nodes: () => <Nodes />, health: () => <Health /> };
  const ofAll = {
    deliveries: () => <Deliveries />,
    parkedAccounts: () => <Parked />,
    events: () => <Events />,
  };
  return (
    <Page name="operations">
      <Tabs of={may('admin:health') ? { ...ofHealth, ...ofAll } : ofAll} />
    </Page>
  );
}

/** Accounts without invoice runs, because a run failed or a user parked them. */
function Parked() {
  return (
    <ListSection
      name="parkedAccounts"
      above={<p class="quiet-text">{t.parkedExplanation}</p>}
      load={(page) => withAccountNames(api().invoices.parked(page))}
      columns={[
        accountColumn,
        ['since', ({ parkedDate }) => instant(parkedDate)],
        ['reason', ({ reason }) => reason, 'text'],
        [
          '',
          ({ accountId }) => (
            <div class="actions">
              <Action
                name="retry"
                needs="invoice:trigger"
                run={() => api().invoices.generate({ accountId })}
              />
              <Action name="unpark" needs="tag:delete" run={() => api().invoices.unpark(accountId)} />
            </div>
          ),
        ],
      ]}
    />
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
  const needs = 'admin:update';
  const actions = (
    <>
      <Action name="clearCaches" needs={needs} run={() => callTenant('DELETE /admin/cache')} />
      <Action name="putInRotation" needs={needs} run={() => callTenant('PUT /admin/healthcheck')} />
      <Action
        name="takeOutOfRotation"
        needs={needs}
        run={() => callTenant('DELETE /admin/healthcheck')}
        isDangerous
      />
    </>
  );
  return (
    <ListSection
      name="nodes"
      load={() => callServer<readonly Node[]>('GET /nodesInfo')}
      columns={[
        ['node', ({ nodeName }) => nodeName],
        ['version', ({ kbVersion }) => kbVersion],
        ['started', ({ bootTime }) => instant(bootTime)],
        ['lastSeen', ({ lastUpdatedDate }) => instant(lastUpdatedDate)],
        [
          'plugins',
          ({ pluginsInfo }) =>
            pluginsInfo.map(({ pluginName, version, state }) => (
              <div key={pluginName}>
                {pluginName} {version}{' '}
                <Badge tone={state === 'RUNNING' ? 'good' : 'warning'}>{words(state)}</Badge>
              </div>
            )),
        ],
      ]}
      actions={actions}
    />
  );
}

/** The newest events, or those before a cursor of the URL. */
function Events() {
  const before = parameters.value.get('before') ?? 'latest';
  const loaded = useLoad(async () => {
    const { events, next } = await api().events.list({ before, limit: PAGE_SIZE });
    return { events: await withNames(events), next };
  }, [before]);
  return (
    <Section name="events">
      <p class="quiet-text">{t.eventsExplanation}</p>
      <Show of={loaded}>
        {({ events, next }) => (
          <>
            <Table name="events" rows={events} columns={eventColumns} />
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
