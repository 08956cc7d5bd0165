import { api, may, useLoad } from '../../core/data.ts';
import { day, label, now, words } from '../../core/format.ts';
import { parameters } from '../../core/location.ts';
import { Action, numberOrNull, requiredText, textsOf, type Values } from '../../parts/action.tsx';
import { Columns, Page, Section, Sentences, Show, Tabs } from '../../parts/layout.tsx';
import { type Column, Filter, Table } from '../../parts/table.tsx';
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
const PERIODS = ['DAILY', 'WEEKLY', 'MONTHLY', 'QUARTERLY', 'BIANNUAL', 'ANNUAL'];

/** The tenant's catalog: plans with prices, products and rules, differences of versions, and the upload. */
export function CatalogPage() {
  const catalog = useLoad(() => api().catalogs.current());
  return (
    <Page name="catalog" subtitle={catalog.data?.name} actions={<NewPlan />}>
      <Show of={catalog}>{(loaded) => <CatalogTabs {...loaded} />}</Show>
    </Page>
  );
}

/** Adds a plan with one price, with or without a free trial. */
function NewPlan() {
  const add = (values: Values) => {
    const trialLength = numberOrNull(values, 'daysOfFreeTrial');
    return api().catalogs.addSimplePlan({
      ...textsOf(values, 'planId', 'productName', 'amount'),
      productCategory: values.productCategory as 'BASE',
      currency: requiredText(values, 'currency').toUpperCase(),
      billingPeriod: values.billingPeriod as 'MONTHLY',
      ...(trialLength !== null && { trialLength, trialTimeUnit: 'DAYS' }),
    });
  };
  return (
    <Action
      name="newPlan"
      needs="catalog:config_upload"
      initial={{ productCategory: 'BASE', billingPeriod: 'MONTHLY' }}
      fields={[
        { name: 'planId', isRequired: true, placeholder: 'team-monthly' },
        { name: 'productName', isRequired: true },
        { name: 'productCategory', kind: 'select', options: ['BASE', 'ADD_ON', 'STANDALONE'] },
        { name: 'amount', label: label('price'), kind: 'amount', isRequired: true },
        { name: 'currency', isRequired: true, placeholder: 'EUR' },
        {
          name: 'billingPeriod',
          kind: 'select',
          options: PERIODS.map((period) => [period, periodText(period)]),
        },
        { name: 'daysOfFreeTrial', kind: 'number', help: t.trialHelp },
      ]}
      run={add}
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
  const upload = <Upload catalog={catalog} />;
  if (version === undefined)
    return (
      <>
        <p>{t.empty}</p>
        {may('catalog:config_upload') && upload}
      </>
    );
  const choice = <VersionFilter catalog={catalog} name="version" preset={inForce} />;
  return (
    <Tabs
      of={{
        plans: () => (
          <Section name="plans" actions={choice}>
            <Plans {...version} />
          </Section>
        ),
        productsAndRules: () => (
          <Columns>
            <Section name="products" actions={choice}>
              <Table name="products" rows={version.products} columns={productColumns} />
            </Section>
            <Rules {...version} />
          </Columns>
        ),
        differences: () => <Differences {...catalog} />,
        ...(may('catalog:config_upload') && { upload: () => upload }),
      }}
    />
  );
}

function chosenVersion({ versions }: Catalog, parameter: string, preset: number) {
  const given = parameters.value.get(parameter);
  return versions.find(({ effectiveDate }) => effectiveDate.toISOString() === given) ?? versions[preset];
}

/** A choice of versions. The first option is the default. */
function VersionFilter(props: { readonly catalog: Catalog; readonly name: string; readonly preset: number }) {
  const { catalog, name, preset } = props;
  const options = catalog.versions.map(({ effectiveDate }): readonly [string, string] => [
    effectiveDate.toISOString(),
    t.from(day(effectiveDate.toISOString())),
  ]);
  return <Filter name={name} options={[...options.splice(preset, 1), ...options]} />;
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
  ['product', ({ prettyName }) => prettyName],
  ['category', ({ category }) => words(category)],
  ['includes', ({ included }) => included.join(', ') || '–', 'text'],
  ['offersAsAddOn', ({ available }) => available.join(', ') || '–', 'text'],
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
  const presets = { before: Math.max(0, last - 1), after: last };
  const before = chosenVersion(catalog, 'before', presets.before);
  const after = chosenVersion(catalog, 'after', presets.after);
  const choices = (['before', 'after'] as const).map((name) => (
    <VersionFilter key={name} catalog={catalog} name={name} preset={presets[name]} />
  ));
  return (
    <Section name="differences" actions={choices}>
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
