import {
  api,
  distance,
  href,
  instant,
  may,
  money,
  now,
  type ResultOf,
  useLoad,
  words,
} from '../core/index.ts';
import { Badge, Figure, ListSection, Page, Section, Show, Table } from '../parts/index.ts';
import { texts } from '../texts.ts';
import { Charts } from './home/charts.tsx';

const t = texts.home;

/** The state of the tenant at a glance: what needs attention, and the last twelve months. */
export function Home() {
  return (
    <Page title={texts.shell.home}>
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
    return { late, failed, health, parked: parked.total, deliveries: deliveries.total };
  }, [mayOperate]);
  return (
    <Section title={t.attention}>
      <Show of={loaded}>
        {({ late, failed, health, parked, deliveries }) => (
          <>
            <div class="figures">
              <Count name={t.late} count={late.length} tab="queues" />
              <Count name={t.failedWork} count={failed.length} tab="queues&list=failed" />
              <Count name={t.parked} count={parked} tab="parked" />
              <Count name={t.deliveries} count={deliveries} tab="deliveries" />
              {health !== null && (
                <Figure name={t.nodes} value={health.nodes.length} url={`${href('/operations')}?tab=nodes`} />
              )}
            </div>
            {late.length > 0 && <LateWork entries={late} />}
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

function LateWork({ entries }: { readonly entries: ResultOf<'queues', 'late'> }) {
  return (
    <Table
      caption={t.late}
      rows={entries.slice(0, 5)}
      keyOf={({ kind, recordId }) => `${kind} ${recordId}`}
      columns={[
        { title: t.work, cell: ({ topic }) => topic },
        { title: t.due, cell: ({ dueDate }) => distance(dueDate, now()) },
        { title: t.reason, cell: ({ why }) => why, isText: true },
      ]}
    />
  );
}

/** The latest failed payments, and whether a later attempt succeeded. */
function FailedPayments() {
  const failed = useLoad(() => api().reports.failedPayments({ limit: 10 }));
  return (
    <ListSection
      of={failed}
      caption={t.failedPayments}
      keyOf={({ transactionId }) => transactionId}
      empty={t.noFailedPayments}
      columns={[
        {
          title: t.account,
          cell: ({ accountId, accountName, accountKey }) => (
            <a href={href('/accounts', accountId)}>{accountName ?? accountKey}</a>
          ),
        },
        {
          title: t.amount,
          cell: ({ paymentId, amount, currency }) => (
            <a href={href('/payments', paymentId)}>{money(amount, currency)}</a>
          ),
          isNumber: true,
        },
        { title: t.date, cell: ({ date }) => instant(date) },
        {
          title: t.reason,
          cell: (row) => row.gatewayErrorMsg ?? words(row.paymentResponse ?? row.status),
          isText: true,
        },
        {
          title: t.state,
          cell: ({ isRecovered }) =>
            isRecovered ? <Badge tone="good">{t.recovered}</Badge> : <Badge tone="bad">{t.open}</Badge>,
        },
      ]}
    />
  );
}
