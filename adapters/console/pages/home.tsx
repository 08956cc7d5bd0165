import { useEffect } from 'preact/hooks';
import { api, type Loaded, may, type ResultOf, useLoad } from '../core/data.ts';
import { label, money, quantity, words } from '../core/format.ts';
import { href, parameters } from '../core/location.ts';
import { Chart } from '../parts/chart.tsx';
import { Load, Page, Section, Show } from '../parts/layout.tsx';
import { Filters, ListSection, Table } from '../parts/table.tsx';
import { Badge, Figures, IdLink } from '../parts/values.tsx';
import { texts } from '../texts.ts';

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
  const figure = (name: string, count: number, tab: string) => {
    const value = count >= COUNTED ? `${COUNTED}+` : count;
    return [label(name), value, count === 0 ? 'good' : 'bad', `${href('/operations')}?tab=${tab}`] as const;
  };
  const ofHealth = [
    figure('lateWork', late.length, 'queues'),
    figure('failedWork', failed, 'queues&list=failedWork'),
    figure('failedDeliveries', deliveries, 'deliveries'),
    [label('nodes'), nodes, 'quiet', `${href('/operations')}?tab=nodes`] as const,
  ];
  return (
    <>
      <Figures
        of={[figure('parkedAccounts', parked, 'parkedAccounts'), ...(may('admin:health') ? ofHealth : [])]}
      />
      {late.length > 0 && (
        <Table name="lateWork" rows={late.slice(0, 5)} columns={['topic', 'dueDate', ['reason', 'why']]} />
      )}
    </>
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
          (row) => <IdLink page="/accounts" id={row.accountId} label={row.accountName ?? row.accountKey} />,
        ],
        [
          'amount',
          (row) => <IdLink page="/payments" id={row.paymentId} label={money(row.amount, row.currency)} />,
        ],
        'date',
        ['reason', (row) => row.gatewayErrorMsg ?? words(row.paymentResponse ?? row.status)],
        ['state', RecoveryState],
      ]}
    />
  );
}

function RecoveryState({ isRecovered }: { readonly isRecovered: boolean }) {
  return <Badge tone={isRecovered ? 'good' : 'bad'}>{label(isRecovered ? 'recovered' : 'unpaid')}</Badge>;
}

const POLL_MS = 100;

/** Loads again every moment while the server is still counting. */
function usePolling<T>(loaded: Loaded<T>, isCounting: boolean): void {
  useEffect(() => {
    if (!isCounting || loaded.isLoading) return undefined;
    const timer = setTimeout(loaded.reload, POLL_MS);
    return () => clearTimeout(timer);
  }, [isCounting, loaded.isLoading]);
}

function Charts() {
  const months = useLoad(() => api().reports.months());
  usePolling(months, months.data?.isComplete === false);
  const plans = useLoad(() => api().reports.subscriptions());
  usePolling(plans, plans.data?.isCounting === true);
  const ofState = (name: string) => `${href('/overdue')}?state=${encodeURIComponent(name)}`;
  return (
    <>
      <Show of={months}>{(data) => <MonthCharts {...data} />}</Show>
      <div class="columns">
        <Section name="activeSubscriptionsByPlan">
          <Show of={plans}>
            {(found) => (
              <Bars of={found.plans.map(({ planName, subscriptions }) => [planName, subscriptions])} />
            )}
          </Show>
        </Section>
        <Section name="overdueAccountsByState">
          <Load from={() => api().reports.overdue()}>
            {({ states }) => <Bars of={states.map(({ name, accounts }) => [name, accounts])} url={ofState} />}
          </Load>
        </Section>
      </div>
    </>
  );
}

/** The charts by their names, with the amounts of a month that they show. */
const charts = {
  invoicedAndCollected: ['invoiced', 'collected'],
  failedAndRecovered: ['failedAmount', 'recoveredAmount'],
} as const;

function MonthCharts({ months, isComplete }: ResultOf<'reports', 'months'>) {
  const currencies = months.flatMap((month) => month.currencies.map((each) => each.currency));
  const options = [...new Set(currencies)].sort();
  const currency = parameters.value.get('currency') ?? options[0] ?? '';
  const figures = months.map((month) => month.currencies.find((each) => each.currency === currency));
  const filter = options.length > 1 && <Filters of={{ currency: { kind: 'select', options } }} />;
  return (
    <Section name="last12Months" actions={filter}>
      {!isComplete && <p role="status">{texts.common.counting}</p>}
      <div class="columns">
        {Object.entries(charts).map(([name, lines]) => (
          <Chart
            key={name}
            title={label(name)}
            labels={months.map(({ month }) => month)}
            series={lines.map((line) => ({
              label: label(line),
              values: figures.map((each) => Number(each?.[line] ?? 0)),
            }))}
            valueText={(value) => money(value, currency)}
          />
        ))}
      </div>
    </Section>
  );
}

interface BarsProps {
  readonly of: readonly (readonly [name: string, count: number])[];
  readonly url?: (name: string) => string;
}

function Bars({ of, url }: BarsProps) {
  if (of.length === 0) return <p class="quiet-text">{texts.common.nothing}</p>;
  const largest = Math.max(...of.map(([, count]) => count), 1);
  return (
    <ul class="bars">
      {of.map(([name, count]) => (
        <li key={name}>
          {url === undefined ? <span>{name}</span> : <a href={url(name)}>{name}</a>}
          <meter max={largest} value={count} aria-hidden="true" />
          <span class="number">{quantity(count)}</span>
        </li>
      ))}
    </ul>
  );
}
