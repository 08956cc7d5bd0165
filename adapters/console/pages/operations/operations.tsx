import { api, callServer, callTenant, may, withAccountNames } from '../../core/data.ts';
import { words } from '../../core/format.ts';
import { Action } from '../../parts/action.tsx';
import { Badge, IdLink, Page, Tabs } from '../../parts/layout.tsx';
import { ListSection } from '../../parts/table.tsx';
import { Deliveries } from './deliveries.tsx';
import { Health } from './health.tsx';
import { Queues } from './queues.tsx';

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
  return (
    <ListSection
      name="parkedAccounts"
      isExplained
      load={(page) => withAccountNames(api().invoices.parked(page))}
      columns={[
        [
          'account',
          ({ accountId, accountName }) => <IdLink page="/accounts" id={accountId} label={accountName} />,
        ],
        ['since', 'parkedDate'],
        ['reason', 'reason', 'text'],
        [
          '',
          ({ accountId }) => (
            <>
              <Action
                name="retry"
                needs="invoice:trigger"
                run={() => api().invoices.generate({ accountId })}
              />
              <Action name="removeFromList" needs="tag:delete" run={() => api().invoices.unpark(accountId)} />
            </>
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
        ['node', 'nodeName'],
        ['version', 'kbVersion'],
        ['started', 'bootTime'],
        ['lastSeen', 'lastUpdatedDate'],
        ['plugins', Plugins],
      ]}
      actions={actions}
    />
  );
}

function Plugins({ pluginsInfo }: Node) {
  return (
    <>
      {pluginsInfo.map(({ pluginName, version, state }) => (
        <div key={pluginName}>
          {pluginName} {version} <Badge tone={state === 'RUNNING' ? 'good' : 'warning'}>{words(state)}</Badge>
        </div>
      ))}
    </>
  );
}
