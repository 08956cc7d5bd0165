import { api, callServer, may, withAccountNames } from '../../core/data.ts';
import { words } from '../../core/format.ts';
import { Action } from '../../parts/action.tsx';
import { IdLink, Page, Tabs } from '../../parts/layout.tsx';
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
  const { parked, generate, unpark } = api().invoices;
  return (
    <ListSection
      name="parkedAccounts"
      isExplained
      load={(page) => withAccountNames(parked(page))}
      columns={[
        ['account', (row) => <IdLink page="/accounts" id={row.accountId} label={row.accountName} />],
        ['since', 'parkedDate'],
        ['reason', 'reason', 'text'],
        [
          '',
          ({ accountId }) => (
            <>
              <Action name="retry" needs="invoice:trigger" run={() => generate({ accountId })} />
              <Action name="removeFromList" needs="tag:delete" run={() => unpark(accountId)} />
            </>
          ),
        ],
      ]}
    />
  );
}

export interface Node {
  readonly nodeName: string;
  readonly kbVersion: string;
  readonly bootTime: string;
  readonly lastUpdatedDate: string;
  readonly pluginsInfo: readonly {
    readonly pluginName: string;
    readonly state: string;
    readonly services: readonly { readonly serviceTypeName: string; readonly registrationName: string }[];
  }[];
}

/** The nodes of the deployment with their plugins. */
function Nodes() {
  const pluginsOf = ({ pluginsInfo }: Node) =>
    pluginsInfo.map(({ pluginName, state }) => `${pluginName} (${words(state)})`).join(', ');
  return (
    <ListSection
      name="nodes"
      load={() => callServer<readonly Node[]>('GET /nodesInfo')}
      columns={[
        ['node', 'nodeName'],
        ['version', 'kbVersion'],
        ['started', 'bootTime'],
        ['lastSeen', 'lastUpdatedDate'],
        ['plugins', pluginsOf, 'text'],
      ]}
    />
  );
}
