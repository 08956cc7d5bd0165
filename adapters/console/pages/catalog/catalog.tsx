import { api, may } from '../../core/data.ts';
import { day, label, now, words } from '../../core/format.ts';
import { parameters } from '../../core/location.ts';
import { Action } from '../../parts/action.tsx';
import type { Field, Option } from '../../parts/form.tsx';
import { Load, Page, Section, Sentences, Tabs } from '../../parts/layout.tsx';
import { type Column, Filters, Table } from '../../parts/table.tsx';
import { periodText, texts } from '../../texts.ts';
import {
  type Catalog,
  type CatalogVersion,
  differences,
  durationText,
  type Phase,
  type Plan,
  phasePrices,
  ruleTexts,
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

/** Adds a plan with one price, with or without a free trial. */
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
        amount: { kind: 'amount', label: label('price'), isRequired: true },
        currency: { isRequired: true, placeholder: 'EUR' },
        billingPeriod: {
          kind: 'select',
          options: PERIODS.map((period) => [period, periodText(period)] as const),
        },
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
  const inForce = Math.max(
    0,
    catalog.versions.findLastIndex(({ effectiveDate }) => effectiveDate <= now()),
  );
  const version = chosenVersion(catalog, 'version', inForce);
  const mayUpload = may('catalog:config_upload');
  const upload = <Upload catalog={catalog} />;
  if (version === undefined)
    return (
      <>
        <p>{t.empty}</p>
        {mayUpload && upload}
      </>
    );
  const choice = <Filters of={{ version: versionField(catalog, inForce) }} />;
  return (
    <Tabs
      of={{
        plans: () => (
          <Section name="plans" actions={choice}>
            <Plans {...version} />
          </Section>
        ),
        productsAndRules: () => (
          <div class="columns">
            <Section name="products" actions={choice}>
              <Table name="products" rows={version.products} columns={productColumns} />
            </Section>
            <Rules {...version} />
          </div>
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

const planColumns: readonly Column<PlanRow>[] = [
  [
    'plan',
    ({ plan }) =>
      plan && (
        <>
          <strong>{plan.prettyName}</strong>
          <br />
          <small>
            {plan.name}, {t.ofProduct(plan.product)}
          </small>
        </>
      ),
  ],
  ['phase', ({ phase }) => words(phase.type)],
  ['duration', ({ phase }) => durationText(phase)],
];

function Plans({ plans, currencies }: CatalogVersion) {
  const rows = plans.flatMap((plan) =>
    plan.phases.map((phase, index) => ({ id: phase.name, phase, plan: index === 0 ? plan : null })),
  );
  const columns: readonly Column<PlanRow>[] = [
    ...planColumns,
    ...currencies.map(
      (currency): Column<PlanRow> => [
        currency,
        ({ phase }) => phasePrices(phase, currency).map((price) => <div key={price}>{price}</div>),
      ],
    ),
    [
      'features',
      ({ plan, phase }) =>
        [...(plan?.features ?? []), ...(phase.features ?? [])].map((setting) => (
          <div key={setting.name}>
            {setting.name}: {settingText(setting)}
          </div>
        )),
      'text',
    ],
  ];
  return <Table name="plans" rows={rows} columns={columns} />;
}

const productColumns: readonly Column<CatalogVersion['products'][number]>[] = [
  ['product', 'prettyName'],
  ['category', ({ category }) => words(category)],
  ['includes', 'included', 'text'],
  ['offersAsAddOn', 'available', 'text'],
];

function Rules({ rules, priceLists }: CatalogVersion) {
  return (
    <>
      <Section name="rules">
        {Object.entries(rules).map(([name, cases]) => (
          <div key={name}>
            <h3>{words(name)}</h3>
            {cases.length === 0 ? <p class="empty">{t.byDefault}</p> : <Sentences of={ruleTexts(cases)} />}
          </div>
        ))}
      </Section>
      <Section name="priceLists">
        {[priceLists.defaultPriceList, ...priceLists.childPriceLists].map(({ name, plans }) => (
          <p key={name}>
            <strong>{name}</strong>: {plans.join(', ')}
          </p>
        ))}
      </Section>
    </>
  );
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
        columns={[
          'subject',
          ['before', (row) => row.before ?? t.absent, 'text'],
          ['after', (row) => row.after ?? t.absent, 'text'],
        ]}
      />
    </Section>
  );
}
