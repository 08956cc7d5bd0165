import { useEffect } from 'preact/hooks';
import { api, type Loaded, type ResultOf, useLoad } from '../core/data.ts';
import { type Amount, label, money } from '../core/format.ts';
import { href, parameters } from '../core/location.ts';
import { Bars } from '../parts/bars.tsx';
import { Chart } from '../parts/chart.tsx';
import { Columns, Section, Show } from '../parts/layout.tsx';
import { Filter } from '../parts/table.tsx';
import { texts } from '../texts.ts';

const t = texts.home;

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
  const overdue = useLoad(() => api().reports.overdue());
  return (
    <>
      <Show of={months}>{(data) => <MonthCharts {...data} />}</Show>
      <Columns>
        <Section name="activeSubscriptionsByPlan">
          <Show of={plans}>
            {(data) => (
              <Bars
                rows={data.plans.map(({ planName, subscriptions }) => ({
                  name: planName,
                  count: subscriptions,
                }))}
              />
            )}
          </Show>
        </Section>
        <Section name="overdueAccountsByState">
          <Show of={overdue}>
            {({ states }) => (
              <Bars
                rows={states.map(({ name, accounts }) => ({
                  name,
                  count: accounts,
                  url: `${href('/overdue')}?state=${encodeURIComponent(name)}`,
                }))}
              />
            )}
          </Show>
        </Section>
      </Columns>
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
  const currencies = new Set(months.flatMap((month) => month.currencies.map(({ currency }) => currency)));
  const options = [...currencies].sort().map((each) => [each, each] as const);
  const currency = parameters.value.get('currency') ?? options[0]?.[0] ?? '';
  const amounts = (read: (figures: Figures) => Amount) =>
    months.map((month) => {
      const figures = month.currencies.find((each) => each.currency === currency);
      return figures === undefined ? 0 : Number(read(figures));
    });
  return (
    <Section name="last12Months" actions={options.length > 1 && <Filter name="currency" options={options} />}>
      {!isComplete && <p role="status">{t.counting}</p>}
      <Columns>
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
      </Columns>
    </Section>
  );
}
