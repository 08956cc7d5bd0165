import { useEffect } from 'preact/hooks';
import { api, type Loaded, type ResultOf, useLoad } from '../core/data.ts';
import { type Amount, label, money, quantity } from '../core/format.ts';
import { href, parameters } from '../core/location.ts';
import { Chart } from '../parts/chart.tsx';
import { Load, Section, Show } from '../parts/layout.tsx';
import { Filters } from '../parts/table.tsx';
import { texts } from '../texts.ts';

type Months = ResultOf<'reports', 'months'>;
type Figures = Months['months'][number]['currencies'][number];

const POLL_MS = 100;

/** Loads again every moment while the server is still counting. */
function usePolling<T>(loaded: Loaded<T>, isCounting: boolean): void {
  useEffect(() => {
    if (!isCounting || loaded.isLoading) return undefined;
    const timer = setTimeout(loaded.reload, POLL_MS);
    return () => clearTimeout(timer);
  }, [isCounting, loaded.isLoading]);
}

/** Charts of the last twelve months. */
export function Charts() {
  const months = useLoad(() => api().reports.months());
  usePolling(months, months.data?.isComplete === false);
  const plans = useLoad(() => api().reports.subscriptions());
  usePolling(plans, plans.data?.isCounting === true);
  return (
    <>
      <Show of={months}>{(data) => <MonthCharts {...data} />}</Show>
      <div class="columns">
        <Section name="activeSubscriptionsByPlan">
          <Show of={plans}>
            {({ plans: rows }) => (
              <Bars rows={rows.map(({ planName, subscriptions }) => [planName, subscriptions])} />
            )}
          </Show>
        </Section>
        <Section name="overdueAccountsByState">
          <Load from={() => api().reports.overdue()}>
            {({ states }) => (
              <Bars
                rows={states.map(({ name, accounts }) => [name, accounts])}
                url={(name) => `${href('/overdue')}?state=${encodeURIComponent(name)}`}
              />
            )}
          </Load>
        </Section>
      </div>
    </>
  );
}

/** The charts by their names: the lines with what they show of a month. */
const charts: Readonly<Record<string, Readonly<Record<string, (figures: Figures) => Amount>>>> = {
  invoicedAndCollected: { invoiced: ({ invoiced }) => invoiced, collected: ({ collected }) => collected },
  failedAndRecovered: {
    failed: ({ failedAmount }) => failedAmount,
    recovered: ({ recoveredAmount }) => recoveredAmount,
  },
};

function MonthCharts({ months, isComplete }: Months) {
  const currencies = months.flatMap((month) => month.currencies.map((each) => each.currency));
  const options = [...new Set(currencies)].sort();
  const currency = parameters.value.get('currency') ?? options[0] ?? '';
  const amounts = (read: (figures: Figures) => Amount) =>
    months.map((month) => {
      const figures = month.currencies.find((each) => each.currency === currency);
      return figures === undefined ? 0 : Number(read(figures));
    });
  const filter = options.length > 1 && <Filters of={{ currency: { kind: 'select', options } }} />;
  return (
    <Section name="last12Months" actions={filter}>
      {!isComplete && <p role="status">{texts.home.counting}</p>}
      <div class="columns">
        {Object.entries(charts).map(([name, lines]) => (
          <Chart
            key={name}
            title={label(name)}
            labels={months.map(({ month }) => month)}
            series={Object.entries(lines).map(([line, read]) => ({
              label: label(line),
              values: amounts(read),
            }))}
            valueText={(value) => money(value, currency)}
          />
        ))}
      </div>
    </Section>
  );
}

interface BarsProps {
  readonly rows: readonly (readonly [name: string, count: number])[];
  readonly url?: (name: string) => string;
}

/** Counts by name as horizontal bars. */
function Bars({ rows, url }: BarsProps) {
  if (rows.length === 0) return <p class="empty">{texts.common.nothing}</p>;
  const largest = Math.max(...rows.map(([, count]) => count), 1);
  return (
    <ul class="bars">
      {rows.map(([name, count]) => (
        <li key={name}>
          {url === undefined ? <span>{name}</span> : <a href={url(name)}>{name}</a>}
          <meter max={largest} value={count} aria-hidden="true" />
          <span class="number">{quantity(count)}</span>
        </li>
      ))}
    </ul>
  );
}
