import { api, useLoad } from '../core/data.ts';
import { day, now, quantity, words } from '../core/format.ts';
import { href, parameters } from '../core/location.ts';
import { Action, requiredText, textOrNull, type Values } from '../parts/action.tsx';
import { Chart } from '../parts/chart.tsx';
import { Page, Section, Show } from '../parts/layout.tsx';
import { amountColumn, type Column, FilterInput, ListSection } from '../parts/table.tsx';
import { texts } from '../texts.ts';

const t = texts.usage;

const DAY_MS = 86_400_000;
const SHOWN_DAYS = 45;

interface SpanProps {
  readonly id: string;
  readonly from: string;
  readonly before: string;
}

/** Usage of a subscription: recorded by day, rated so far, and what no invoice contains, with the reasons. */
export function Usage({ id }: { readonly id: string }) {
  const subscription = useLoad(() => api().subscriptions.get(id));
  const before = parameters.value.get('before') ?? dateAfter(now(), 1);
  const from = parameters.value.get('from') ?? dateAfter(new Date(before), -SHOWN_DAYS);
  const span = { id, from, before };
  return (
    <Page
      name="usage"
      above={[[subscription.data?.planName ?? texts.common.loading, href('/subscriptions', id)]]}
      actions={<RecordUsage id={id} />}
    >
      <div class="filters">
        <FilterInput name="from" isDate preset={from} />
        <FilterInput name="before" isDate preset={before} />
      </div>
      <Recorded {...span} />
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
            'number',
          ],
          amountColumn,
        ]}
      />
      <ListSection
        name="notOnAnInvoice"
        load={() => api().usage.unbilled(id, { startDate: from, endDate: before })}
        inputs={[from, before]}
        columns={[
          ['unit', ({ unitType }) => unitType],
          ['quantity', ({ amount }) => quantity(amount), 'number'],
          periodColumn,
          ['reason', ({ reason }) => t.reasons[reason] ?? words(reason), 'text'],
        ]}
      />
    </Page>
  );
}

const periodColumn: Column<{ readonly startDate: string | null; readonly endDate: string | null }> = [
  'period',
  ({ startDate, endDate }) => `${day(startDate)} – ${day(endDate)}`,
];

function dateAfter(start: Date, days: number): string {
  return new Date(start.getTime() + days * DAY_MS).toISOString().slice(0, 10);
}

function Recorded({ id, from, before }: SpanProps) {
  const days = useLoad(
    () => api().usage.timeline(id, { granularity: 'DAY', startDate: from, endDate: before }),
    [from, before],
  );
  return (
    <Section name="recordedByDay">
      <Show of={days}>
        {(rows) => {
          const units = new Set(rows.flatMap((row) => row.rolledUpUnits.map(({ unitType }) => unitType)));
          if (units.size === 0) return <p class="empty">{t.nothingRecorded}</p>;
          const amountOf = (row: (typeof rows)[number], unit: string) =>
            Number(row.rolledUpUnits.find(({ unitType }) => unitType === unit)?.amount ?? 0);
          return [...units].map((unit) => (
            <Chart
              key={unit}
              title={unit}
              labels={rows.map(({ startDate }) => startDate.toISOString().slice(5, 10))}
              series={[{ label: unit, values: rows.map((row) => amountOf(row, unit)) }]}
              valueText={quantity}
            />
          ));
        }}
      </Show>
    </Section>
  );
}

function RecordUsage({ id }: { readonly id: string }) {
  const record = (values: Values) => {
    const [recordDate, amount] = [requiredText(values, 'date'), requiredText(values, 'quantity')];
    return api().usage.record({
      subscriptionId: id,
      trackingId: textOrNull(values, 'trackingId'),
      unitUsageRecords: [{ unitType: requiredText(values, 'unit'), usageRecords: [{ recordDate, amount }] }],
    });
  };
  return (
    <Action
      name="recordUsage"
      needs="usage:record"
      fields={[
        { name: 'unit', isRequired: true },
        { name: 'quantity', kind: 'amount', isRequired: true },
        { name: 'date', kind: 'date', isRequired: true },
        { name: 'trackingId', help: t.trackingIdHelp },
      ]}
      run={record}
    />
  );
}
