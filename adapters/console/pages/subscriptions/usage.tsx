import { api } from '../../core/data.ts';
import { label, periodText, quantity } from '../../core/format.ts';
import { parameters } from '../../core/location.ts';
import { Chart } from '../../parts/chart.tsx';
import { Load, Section } from '../../parts/layout.tsx';
import { type Column, Filters, ListSection } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';

const t = texts.usage;

const DAY_MS = 86_400_000;
const SHOWN_DAYS = 45;

/** Usage of a subscription: recorded by day, rated so far, and what no invoice contains, with the reasons. */
export function Usage({ id, timeZone, today }: Readonly<Record<'id' | 'timeZone' | 'today', string>>) {
  const before = parameters.value.get('before') ?? dateAfter(new Date(today), 1);
  const from = parameters.value.get('from') ?? dateAfter(new Date(before), -SHOWN_DAYS);
  return (
    <>
      <Filters of={{ from: 'date', before: 'date' }} presets={{ from, before }} />
      <Recorded {...{ id, from, before, timeZone }} />
      <ListSection
        name="onTheNextInvoice"
        load={() => api().usage.rated(id)}
        columns={[
          ['usage', ({ prettyUsageName, usageName }) => prettyUsageName ?? usageName],
          periodColumn,
          [
            'quantity',
            (item) =>
              item.usage.map((unit) => `${quantity(unit.quantity)} ${unit.name}`).join(', ') ||
              quantity(item.quantity),
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

type RecordedProps = Readonly<Record<'id' | 'from' | 'before' | 'timeZone', string>>;

function Recorded({ id, from, before, timeZone }: RecordedProps) {
  const length = Math.max(0, (Date.parse(before) - Date.parse(from)) / DAY_MS);
  const days = Array.from({ length }, (_, index) => dateAfter(new Date(from), index));
  const load = () => api().usage.timeline(id, { granularity: 'DAY', startDate: from, endDate: before });
  return (
    <Section name="recordedByDay">
      <Load from={load} inputs={[from, before]}>
        {(rows) => {
          // Days begin in the zone of the account. The Swedish format of a date is that of the API.
          const { format } = new Intl.DateTimeFormat('sv-SE', { timeZone });
          const byDay = new Map(rows.map((row) => [format(row.startDate), row]));
          const amountOf = (date: string, unit: string) =>
            Number(byDay.get(date)?.rolledUpUnits.find(({ unitType }) => unitType === unit)?.amount ?? 0);
          const units = new Set(rows.flatMap((row) => row.rolledUpUnits.map(({ unitType }) => unitType)));
          if (units.size === 0) return <p class="quiet-text">{t.nothingRecorded}</p>;
          return [...units].map((unit) => (
            <Chart
              key={unit}
              title={unit}
              labels={days.map((date) => date.slice(5))}
              series={[{ label: unit, values: days.map((date) => amountOf(date, unit)) }]}
              valueText={quantity}
            />
          ));
        }}
      </Load>
    </Section>
  );
}
