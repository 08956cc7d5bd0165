import type { JSX } from 'preact';
import { callTenant } from '../../core/api.ts';
import { instant } from '../../core/format.ts';
import { useLoad } from '../../core/load.ts';
import { callServer } from '../../core/server.ts';
import { may } from '../../core/session.ts';
import { Action } from '../../parts/action.tsx';
import { Badge, Section } from '../../parts/layout.tsx';
import { ListTable } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';

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

/** The nodes of the deployment with their plugins. */
export function Nodes(): JSX.Element {
  const loaded = useLoad(() => callServer<readonly Node[]>('GET /nodesInfo'));
  return (
    <Section title={texts.operations.nodes} actions={may('admin:update') && <Upkeep />}>
      <ListTable
        caption={texts.operations.nodes}
        of={loaded}
        keyOf={({ nodeName }) => nodeName}
        columns={[
          { title: texts.operations.node, cell: ({ nodeName }) => nodeName },
          { title: texts.operations.version, cell: ({ kbVersion }) => kbVersion },
          { title: texts.operations.started, cell: ({ bootTime }) => instant(bootTime) },
          { title: texts.operations.seen, cell: ({ lastUpdatedDate }) => instant(lastUpdatedDate) },
          {
            title: texts.operations.plugins,
            cell: ({ pluginsInfo }) =>
              pluginsInfo.map(({ pluginName, version, state }) => (
                <div key={pluginName}>
                  {pluginName} {version}{' '}
                  <Badge tone={state === 'RUNNING' ? 'good' : 'warning'}>{state.toLowerCase()}</Badge>
                </div>
              )),
          },
        ]}
      />
    </Section>
  );
}

/** Rotation of the node that handles the request, and the caches of all nodes. */
function Upkeep(): JSX.Element {
  return (
    <>
      <Action
        label={texts.operations.dropCaches}
        explanation={texts.operations.dropCachesExplanation}
        run={() => callTenant('DELETE /admin/cache')}
        done={texts.operations.cachesDropped}
      />
      <Action
        label={texts.operations.intoRotation}
        explanation={texts.operations.intoRotationExplanation}
        run={() => callTenant('PUT /admin/healthcheck')}
        done={texts.operations.inRotation}
      />
      <Action
        label={texts.operations.outOfRotation}
        explanation={texts.operations.outOfRotationExplanation}
        run={() => callTenant('DELETE /admin/healthcheck')}
        done={texts.operations.isOutOfRotation}
        isDangerous
      />
    </>
  );
}
