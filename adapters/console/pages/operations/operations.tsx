import type { JSX } from 'preact';
import { may } from '../../core/session.ts';
import { Page, Tabs } from '../../parts/layout.tsx';
import { texts } from '../../texts.ts';
import { Deliveries } from './deliveries.tsx';
import { Events } from './events.tsx';
import { Health } from './health.tsx';
import { Nodes } from './nodes.tsx';
import { Parked } from './parked.tsx';
import { Queues } from './queues.tsx';

/** Background work, deliveries, nodes and measurements of the deployment. */
export function Operations(): JSX.Element {
  const ofHealth = [
    { name: 'queues', title: texts.operations.queues, content: () => <Queues /> },
    { name: 'nodes', title: texts.operations.nodes, content: () => <Nodes /> },
    { name: 'health', title: texts.operations.health, content: () => <Health /> },
  ];
  const ofAll = [
    { name: 'deliveries', title: texts.operations.deliveries, content: () => <Deliveries /> },
    { name: 'parked', title: texts.operations.parked, content: () => <Parked /> },
    { name: 'events', title: texts.operations.events, content: () => <Events /> },
  ];
  return (
    <Page title={texts.shell.operations}>
      <Tabs tabs={may('admin:health') ? [...ofHealth, ...ofAll] : ofAll} />
    </Page>
  );
}
