import { api, may, useLoad } from '../core/data.ts';
import { distance, instant, label, money, now, words } from '../core/format.ts';
import { href } from '../core/location.ts';
import { Badge, Figure, Page, Section, Show } from '../parts/layout.tsx';
import { ListSection, Table } from '../parts/table.tsx';
import { Charts } from './home-charts.tsx';

/** The state of the tenant at a glance: what needs attention, and the last twelve months. */
export function Home() {
  return (
    <Page name="home">
      <Attention />
      <FailedPayments />
      <Charts />
    </Page>
  );
}

const COUNTED = 100;

/** Counts of what needs attention. Each links to its list. */
function Attention() {
  const mayOperate = may('admin:health');
  const loaded = useLoad(async () => {
    const [late, failed, health, parked, deliveries] = await Promise.all([
      mayOperate ? api().queues.late({ limit: COUNTED }) : [],
      mayOperate ? api().queues.failed({ limit: COUNTED }) : [],
      mayOperate ? api().monitoring.data() : null,
      api().invoices.parked({ offset: 0, limit: 1 }),
      mayOperate ? api().deliveries.list({ state: 'FAILED', offset: 0, limit: 1 }) : { total: 0 },
    ]);
    return { late, failed: failed.length, health, parked: parked.total, deliveries: deliveries.total };
  });
  return (
    <Section name="needsAttention">
      <Show of={loaded}>
        {({ late, failed, health, parked, deliveries }) => (
          <>
            <div class="figures">
              <Count name="lateWork" count={late.length} tab="queues" />
              <Count name="failedWork" count={failed} tab="queues&list=failed" />
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
                  ['work', ({ topic }) => topic],
                  ['due', ({ dueDate }) => distance(dueDate, now())],
                  ['reason', ({ why }) => why, 'text'],
                ]}
              />
            )}
          </>
        )}
      </Show>
    </Section>
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
      name="failedPayments"
      load={() => api().reports.failedPayments({ limit: 10 })}
      columns={[
        [
          'account',
          ({ accountId, accountName, accountKey }) => (
            <a href={href('/accounts', accountId)}>{accountName ?? accountKey}</a>
          ),
        ],
        [
          'amount',
          ({ paymentId, amount, currency }) => (
            <a href={href('/payments', paymentId)}>{money(amount, currency)}</a>
          ),
          'number',
        ],
        ['date', ({ date }) => instant(date)],
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
