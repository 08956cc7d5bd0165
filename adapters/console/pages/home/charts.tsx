import { useEffect } from 'preact/hooks';
import { api, href, type Loaded, money, parameters, type ResultOf, useLoad } from '../../core/index.ts';
import { Bars } from '../../parts/bars.tsx';
import { Chart } from '../../parts/chart.tsx';
import { Columns, Filter, Section, Show } from '../../parts/index.ts';
import { texts } from '../../texts.ts';

const t = texts.home;

type Months = ResultOf<'reports', 'months'>['months'];
type Figures = Months[number]['currencies'][number];

const POLL_MS = 700;

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
      <Show of={months}>{(data) => <MonthCharts months={data.months} isComplete={data.isComplete} />}</Show>
      <Columns>
        <Section title={t.byPlan}>
          <Show of={plans}>
            {(data) => (
              <Bars
                rows={data.plans.map(({ planName, subscriptions }) => ({
                  name: planName,
                  count: subscriptions,
                }))}
                empty={t.noSubscription}
              />
            )}
          </Show>
        </Section>
        <Section title={t.byState}>
          <Show of={overdue}>
            {({ states }) => (
              <Bars
                rows={states.map(({ name, accounts }) => ({
                  name,
                  count: accounts,
                  url: `${href('/overdue')}?state=${encodeURIComponent(name)}`,
                }))}
                empty={t.nobodyOverdue}
              />
            )}
          </Show>
        </Section>
      </Columns>
    </>
  );
}

function MonthCharts({ months, isComplete }: { readonly months: Months; readonly isComplete: boolean }) {
  const currencies = [
    ...new Set(months.flatMap((month) => month.currencies.map(({ currency }) => currency))),
  ].sort();
  const currency = parameters.value.get('currency') ?? currencies[0] ?? '';
  const options = currencies.map((each): readonly [string, string] => [each, each]);
  const amounts = (read: (figures: Figures) => { toString(): string }) =>
    months.map((month) => {
      const figures = month.currencies.find((each) => each.currency === currency);
      return figures === undefined ? 0 : Number(read(figures));
    });
  const labels = months.map(({ month }) => month);
  return (
    <Section
      title={t.months}
      actions={currencies.length > 1 && <Filter label={t.currency} name="currency" options={options} />}
    >
      {!isComplete && <p role="status">{t.counting}</p>}
      <Columns>
        <Chart
          title={t.invoicedAndCollected}
          labels={labels}
          series={[
            { label: t.invoiced, values: amounts(({ invoiced }) => invoiced) },
            { label: t.collected, values: amounts(({ collected }) => collected) },
          ]}
          valueText={(value) => money(value, currency)}
        />
        <Chart
          title={t.failedAndRecovered}
          labels={labels}
          series={[
            { label: t.failed, values: amounts(({ failedAmount }) => failedAmount) },
            { label: t.recovered, values: amounts(({ recoveredAmount }) => recoveredAmount) },
          ]}
          valueText={(value) => money(value, currency)}
        />
      </Columns>
    </Section>
  );
}
