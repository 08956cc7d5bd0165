import { api, type ResultOf } from '../../core/data.ts';
import { label, now, periodText, quantity } from '../../core/format.ts';
import { parameters } from '../../core/location.ts';
import { Chart } from '../../parts/chart.tsx';
import { Load, Section } from '../../parts/layout.tsx';
import { type Column, Filters, ListSection } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';

const t = texts.usage;

const DAY_MS = 86_400_000;
const SHOWN_DAYS = 45;

/** Usage of a subscription: recorded by day, rated so far, and what no invoice contains, with the reasons. */
export function Usage({ subscriptionId: id }: { readonly subscriptionId: string }) {
  const before = parameters.value.get('before') ?? dateAfter(now(), 1);
  const from = parameters.value.get('from') ?? dateAfter(new Date(before), -SHOWN_DAYS);
  return (
    <>
      <Filters of={{ from: 'date', before: 'date' }} presets={{ from, before }} />
      <Recorded id={id} from={from} before={before} />
      <ListSection
        name="onTheNextInvoice"
        load={() => api().usage.rated(id)}
        columns={[
          ['usage', ({ prettyUsageName, usageName }) => prettyUsageName ?? usageName],
          periodColumn,
          [
            'quantity',
            ({ usage }) => usage.map((unit) => `${quantity(unit.quantity)} ${unit.name}`).join(', '),
          ],
          'amount',
        ]}
      />
      <ListSection
        name="notOnAnInvoice"
        load={() => api().usage.unbilled(id, { startDate: from, endDate: before })}
        columns={[
          ['unit', 'unitType'],
          ['quantity', 'amount'],
          periodColumn,
          ['reason', ({ reason }) => label(reason)],
        ]}
      />
    </>
  );
}

const periodColumn: Column<{ readonly startDate: string | null; readonly endDate: string | null }> = [
  'period',
  ({ startDate, endDate }) => periodText(startDate, endDate),
];

function dateAfter(start: Date, days: number): string {
  return new Date(start.getTime() + days * DAY_MS).toISOString().slice(0, 10);
}

function Recorded(props: { readonly id: string; readonly from: string; readonly before: string }) {
  const { id, from, before } = props;
  const length = Math.max(0, (Date.parse(before) - Date.parse(from)) / DAY_MS);
  const days = Array.from({ length }, (_, index) => dateAfter(new Date(from), index));
  const load = () => api().usage.timeline(id, { granularity: 'DAY', startDate: from, endDate: before });
  return (
    <Section name="recordedByDay">
      <Load from={load} inputs={[from, before]}>
        {(rows) => {
          const units = new Set(rows.flatMap((row) => row.rolledUpUnits.map(({ unitType }) => unitType)));
          if (units.size === 0) return <p class="quiet-text">{t.nothingRecorded}</p>;
          return [...units].map((unit) => (
            <Chart
              key={unit}
              title={unit}
              labels={days.map((date) => date.slice(5))}
              series={[{ label: unit, values: days.map((date) => amountOf(rows, date, unit)) }]}
              valueText={quantity}
            />
          ));
        }}
      </Load>
    </Section>
  );
}

function amountOf(rows: ResultOf<'usage', 'timeline'>, date: string, unit: string): number {
  const row = rows.find(({ startDate }) => startDate.toISOString().startsWith(date));
  return Number(row?.rolledUpUnits.find(({ unitType }) => unitType === unit)?.amount ?? 0);
}
