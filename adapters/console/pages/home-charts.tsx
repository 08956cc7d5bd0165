import { useEffect } from 'preact/hooks';
import { api, type Loaded, type ResultOf, useLoad } from '../core/data.ts';
import { label, money, quantity } from '../core/format.ts';
import { href, parameters } from '../core/location.ts';
import { Chart } from '../parts/chart.tsx';
import { Load, Section, Show } from '../parts/layout.tsx';
import { Filters } from '../parts/table.tsx';
import { texts } from '../texts.ts';

type Months = ResultOf<'reports', 'months'>;

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

function MonthCharts({ months, isComplete }: Months) {
  const currencies = months.flatMap((month) => month.currencies.map((each) => each.currency));
  const options = [...new Set(currencies)].sort();
  const currency = parameters.value.get('currency') ?? options[0] ?? '';
  const figures = months.map((month) => month.currencies.find((each) => each.currency === currency));
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

/** Counts by name as horizontal bars. */
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
