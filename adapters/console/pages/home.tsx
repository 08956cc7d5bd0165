import { api, may } from '../core/data.ts';
import { label, money, words } from '../core/format.ts';
import { href } from '../core/location.ts';
import { Badge, Figure, IdLink, Load, Page, Section } from '../parts/layout.tsx';
import { ListSection, Table } from '../parts/table.tsx';
import { Charts } from './home-charts.tsx';

/** The state of the tenant at a glance: what needs attention, and the last twelve months. */
export function Home() {
  return (
    <Page name="home">
      <Section name="needsAttention">
        <Load from={loadAttention}>{(found) => <Attention {...found} />}</Load>
      </Section>
      <FailedPayments />
      <Charts />
    </Page>
  );
}

const COUNTED = 100;

async function loadAttention() {
  const mayOperate = may('admin:health');
  const [late, failed, health, parked, deliveries] = await Promise.all([
    mayOperate ? api().queues.late({ limit: COUNTED }) : [],
    mayOperate ? api().queues.failed({ limit: COUNTED }) : [],
    mayOperate ? api().monitoring.data() : { nodes: [] },
    api().invoices.parked({ offset: 0, limit: 1 }),
    mayOperate ? api().deliveries.list({ state: 'FAILED', offset: 0, limit: 1 }) : { total: 0 },
  ]);
  const nodes = health.nodes.length;
  return { late, failed: failed.length, nodes, parked: parked.total, deliveries: deliveries.total };
}

/** Counts of what needs attention, each with a link to its list, and the late work. */
function Attention({ late, failed, nodes, parked, deliveries }: Awaited<ReturnType<typeof loadAttention>>) {
  const operations = `${href('/operations')}?tab=`;
  return (
    <>
      <div class="figures">
        <Count name="lateWork" count={late.length} url={`${operations}queues`} />
        <Count name="failedWork" count={failed} url={`${operations}queues&list=failedWork`} />
        <Count name="parkedAccounts" count={parked} url={`${operations}parkedAccounts`} />
        <Count name="failedDeliveries" count={deliveries} url={`${operations}deliveries`} />
        {nodes > 0 && <Figure name="nodes" value={nodes} url={`${operations}nodes`} />}
      </div>
      {late.length > 0 && (
        <Table
          name="lateWork"
          rows={late.slice(0, 5)}
          columns={[
            ['work', 'topic'],
            ['due', 'dueDate'],
            ['reason', 'why', 'text'],
          ]}
        />
      )}
    </>
  );
}

/** A count that is good if it is zero. */
function Count({
  name,
  count,
  url,
}: {
  readonly name: string;
  readonly count: number;
  readonly url: string;
}) {
  const value = count >= COUNTED ? `${COUNTED}+` : count;
  return <Figure name={name} value={value} tone={count === 0 ? 'good' : 'bad'} url={url} />;
}

/** The latest failed payments, and whether a later attempt succeeded. */
function FailedPayments() {
  return (
    <ListSection
      name="failedPaymentsOfTheLast7Days"
      load={() => api().reports.failedPayments({ limit: 10 })}
      columns={[
        [
          'account',
          (row) => <IdLink page="/accounts" id={row.accountId} label={row.accountName ?? row.accountKey} />,
        ],
        [
          'amount',
          (row) => <IdLink page="/payments" id={row.paymentId} label={money(row.amount, row.currency)} />,
        ],
        'date',
        ['reason', (row) => row.gatewayErrorMsg ?? words(row.paymentResponse ?? row.status), 'text'],
        ['state', RecoveryState],
      ]}
    />
  );
}

function RecoveryState({ isRecovered }: { readonly isRecovered: boolean }) {
  return <Badge tone={isRecovered ? 'good' : 'bad'}>{label(isRecovered ? 'recovered' : 'unpaid')}</Badge>;
}
