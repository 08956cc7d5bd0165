import { api, may } from '../core/data.ts';
import { distance, label, money, now, words } from '../core/format.ts';
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
    mayOperate ? api().monitoring.data() : null,
    api().invoices.parked({ offset: 0, limit: 1 }),
    mayOperate ? api().deliveries.list({ state: 'FAILED', offset: 0, limit: 1 }) : { total: 0 },
  ]);
  return { late, failed: failed.length, health, parked: parked.total, deliveries: deliveries.total };
}

/** Counts of what needs attention, each with a link to its list, and the late work. */
function Attention({ late, failed, health, parked, deliveries }: Awaited<ReturnType<typeof loadAttention>>) {
  return (
    <>
      <div class="figures">
        <Count name="lateWork" count={late.length} tab="queues" />
        <Count name="failedWork" count={failed} tab="queues&list=failedWork" />
        <Count name="parkedAccounts" count={parked} tab="parkedAccounts" />
        <Count name="failedDeliveries" count={deliveries} tab="deliveries" />
        {health !== null && (
          <Figure name="nodes" value={health.nodes.length} url={`${href('/operations')}?tab=nodes`} />
        )}
      </div>
      {late.length > 0 && (
        <Table
          name="lateWork"
          rows={late.slice(0, 5)}
          columns={[
            ['work', 'topic'],
            ['due', ({ dueDate }) => distance(dueDate, now())],
            ['reason', 'why', 'text'],
          ]}
        />
      )}
    </>
  );
}

/** A count that is good if it is zero. */
function Count(props: { readonly name: string; readonly count: number; readonly tab: string }) {
  const { name, count, tab } = props;
  return (
    <Figure
      name={name}
      value={count >= COUNTED ? `${COUNTED}+` : count}
      tone={count === 0 ? 'good' : 'bad'}
      url={`${href('/operations')}?tab=${tab}`}
    />
  );
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
          ({ accountId, accountName, accountKey }) => (
            <IdLink page="/accounts" id={accountId} label={accountName ?? accountKey} />
          ),
        ],
        [
          'amount',
          ({ paymentId, amount, currency }) => (
            <IdLink page="/payments" id={paymentId} label={money(amount, currency)} />
          ),
          'number',
        ],
        'date',
        ['reason', (row) => row.gatewayErrorMsg ?? words(row.paymentResponse ?? row.status), 'text'],
        [
          'state',
          ({ isRecovered }) => (
            <Badge tone={isRecovered ? 'good' : 'bad'}>{label(isRecovered ? 'recovered' : 'unpaid')}</Badge>
          ),
        ],
      ]}
    />
  );
}
