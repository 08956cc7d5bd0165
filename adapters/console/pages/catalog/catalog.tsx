import { api, may } from '../../core/data.ts';
import { day, durationText, label, now, words } from '../../core/format.ts';
import { parameters } from '../../core/location.ts';
import { Action } from '../../parts/action.tsx';
import type { Field, Option } from '../../parts/form.tsx';
import { Load, Page, Section, Tabs } from '../../parts/layout.tsx';
import { type Column, Filters, Table } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';
import {
  type Catalog,
  type CatalogVersion,
  differences,
  type Phase,
  type Plan,
  phasePrices,
  settingText,
} from './catalog-words.ts';
import { Upload } from './upload.tsx';

const t = texts.catalog;
const PERIODS = ['DAILY', 'WEEKLY', 'MONTHLY', 'QUARTERLY', 'BIANNUAL', 'ANNUAL'] as const;

/** The tenant's catalog: plans with prices, products and rules, differences of versions, and the upload. */
export function CatalogPage() {
  return (
    <Load from={() => api().catalogs.current()}>
      {(catalog) => (
        <Page name="catalog" subtitle={catalog.name} actions={<NewPlan />}>
          <CatalogTabs {...catalog} />
        </Page>
      )}
    </Load>
  );
}

function NewPlan() {
  return (
    <Action
      name="newPlan"
      needs="catalog:config_upload"
      initial={{ billingPeriod: 'MONTHLY' }}
      fields={{
        planId: { isRequired: true, placeholder: 'team-monthly' },
        productName: 'required',
        productCategory: { kind: 'select', options: ['BASE', 'ADD_ON', 'STANDALONE'] },
        amount: { kind: 'number', label: label('price'), isRequired: true },
        currency: { isRequired: true, placeholder: 'EUR' },
        billingPeriod: { kind: 'select', options: PERIODS },
        daysOfFreeTrial: { kind: 'number', help: t.trialHelp },
      }}
      run={({ currency, daysOfFreeTrial, ...plan }) =>
        api().catalogs.addSimplePlan({
          ...plan,
          currency: currency.toUpperCase(),
          ...(daysOfFreeTrial !== null && { trialLength: Number(daysOfFreeTrial), trialTimeUnit: 'DAYS' }),
        })
      }
      isPrimary
    />
  );
}

function CatalogTabs(catalog: Catalog) {
  const { versions } = catalog;
  const inForce = versions.findLastIndex(({ effectiveDate }) => effectiveDate <= now());
  const preset = Math.max(0, inForce);
  const version = chosenVersion(catalog, 'version', preset);
  const choice = <Filters of={{ version: versionField(catalog, preset) }} />;
  const mayUpload = may('catalog:config_upload');
  const upload = <Upload catalog={catalog} />;
  if (version === undefined) return mayUpload && upload;
  return (
    <Tabs
      of={{
        plans: () => (
          <Section name="plans" actions={choice}>
            <Plans {...version} />
          </Section>
        ),
        differences: () => <Differences {...catalog} />,
        ...(mayUpload && { upload: () => upload }),
      }}
    />
  );
}

function chosenVersion({ versions }: Catalog, parameter: string, preset: number) {
  const given = parameters.value.get(parameter);
  return versions.find(({ effectiveDate }) => effectiveDate.toISOString() === given) ?? versions[preset];
}

/** A choice of versions. The first option is the default. */
function versionField({ versions }: Catalog, preset: number): Field {
  const options = versions.map(
    ({ effectiveDate }): Option => [effectiveDate.toISOString(), t.from(day(effectiveDate.toISOString()))],
  );
  return { kind: 'select', options: [...options.splice(preset, 1), ...options] };
}

interface PlanRow {
  readonly id: string;
  readonly phase: Phase;
  /** Null after the first phase of the plan. */
  readonly plan: Plan | null;
}

function Plans({ plans, currencies }: CatalogVersion) {
  const rows = plans.flatMap((plan) =>
    plan.phases.map((phase, index): PlanRow => ({ id: phase.name, phase, plan: index === 0 ? plan : null })),
  );
  const priceColumns = currencies.map(
    (currency): Column<PlanRow> => [currency, ({ phase }) => <Lines of={phasePrices(phase, currency)} />],
  );
  const featuresOf = ({ plan, phase }: PlanRow) =>
    [...(plan?.features ?? []), ...(phase.features ?? [])].map(
      (setting) => `${setting.name}: ${settingText(setting)}`,
    );
  return (
    <Table
      name="plans"
      rows={rows}
      columns={[
        ['plan', ({ plan }) => plan && `${plan.prettyName} (${plan.name})`],
        ['product', ({ plan }) => plan?.product],
        ['phase', ({ phase }) => words(phase.type)],
        ['duration', ({ phase }) => durationText(phase.duration)],
        ...priceColumns,
        ['features', (row) => <Lines of={featuresOf(row)} />],
      ]}
    />
  );
}

function Lines({ of }: { readonly of: readonly string[] }) {
  return of.map((line) => <div key={line}>{line}</div>);
}

function Differences(catalog: Catalog) {
  const last = catalog.versions.length - 1;
  const first = Math.max(0, last - 1);
  const before = chosenVersion(catalog, 'before', first);
  const after = chosenVersion(catalog, 'after', last);
  const choices = { before: versionField(catalog, first), after: versionField(catalog, last) };
  return (
    <Section name="differences" actions={<Filters of={choices} />}>
      <Table
        name="differences"
        rows={before && after ? differences(before, after) : []}
        empty={t.noDifference}
        columns={['subject', 'before', 'after']}
      />
    </Section>
  );
}
