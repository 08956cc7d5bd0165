import { api, day, may, now, parameters, useLoad, words } from '../../core/index.ts';
import { Columns, Filter, Page, Section, Show, Table, Tabs } from '../../parts/index.ts';
import { texts } from '../../texts.ts';
import {
  type Catalog,
  type CatalogVersion,
  durationText,
  phasePrices,
  ruleTexts,
  settingText,
} from './catalog-words.ts';
import { differences, ruleName } from './differences.ts';
import { NewPlan } from './new-plan.tsx';
import { Upload } from './upload.tsx';

const t = texts.catalog;

/** The tenant's catalog: plans with prices, products and rules, differences of versions, and the upload. */
export function CatalogPage() {
  const catalog = useLoad(() => api().catalogs.current());
  return (
    <Page title={t.title} subtitle={catalog.data?.name} actions={may('catalog:config_upload') && <NewPlan />}>
      <Show of={catalog}>{(loaded) => <CatalogTabs catalog={loaded} />}</Show>
    </Page>
  );
}

function CatalogTabs({ catalog }: { readonly catalog: Catalog }) {
  const upload = { name: 'upload', title: t.upload, content: () => <Upload catalog={catalog} /> };
  const version = chosenVersion(catalog, 'version', versionInForce(catalog));
  if (version === undefined)
    return (
      <>
        <p>{t.empty}</p>
        {may('catalog:config_upload') && <Upload catalog={catalog} />}
      </>
    );
  return (
    <Tabs
      tabs={[
        { name: 'plans', title: t.plans, content: () => <Plans catalog={catalog} version={version} /> },
        { name: 'rules', title: t.products, content: () => <Rules catalog={catalog} version={version} /> },
        { name: 'differences', title: t.differences, content: () => <Differences catalog={catalog} /> },
        ...(may('catalog:config_upload') ? [upload] : []),
      ]}
    />
  );
}

function versionInForce({ versions }: Catalog): number {
  return Math.max(
    0,
    versions.findLastIndex(({ effectiveDate }) => effectiveDate <= now()),
  );
}

function chosenVersion(catalog: Catalog, parameter: string, preset: number): CatalogVersion | undefined {
  const given = parameters.value.get(parameter);
  return (
    catalog.versions.find(({ effectiveDate }) => effectiveDate.toISOString() === given) ??
    catalog.versions[preset]
  );
}

/** A choice of versions. The first option is the default. */
function VersionFilter(props: { catalog: Catalog; name: string; label: string; preset: number }) {
  const { versions } = props.catalog;
  const options = versions.map(({ effectiveDate }): readonly [string, string] => [
    effectiveDate.toISOString(),
    t.from(day(effectiveDate.toISOString())),
  ]);
  const preset = options.splice(props.preset, 1);
  return <Filter label={props.label} name={props.name} options={[...preset, ...options]} />;
}

interface VersionProps {
  readonly catalog: Catalog;
  readonly version: CatalogVersion;
}

function Plans({ catalog, version }: VersionProps) {
  const rows = version.plans.flatMap((plan) => plan.phases.map((phase) => ({ plan, phase })));
  return (
    <Section
      title={t.plans}
      actions={
        <VersionFilter catalog={catalog} name="version" label={t.version} preset={versionInForce(catalog)} />
      }
    >
      <Table
        caption={t.plans}
        rows={rows}
        keyOf={({ phase }) => phase.name}
        columns={[
          {
            title: t.plan,
            cell: ({ plan, phase }) =>
              phase === plan.phases[0] && (
                <>
                  <strong>{plan.prettyName}</strong>
                  <br />
                  <small>
                    {plan.name}, {t.ofProduct(plan.product)}
                  </small>
                </>
              ),
          },
          { title: t.phase, cell: ({ phase }) => words(phase.type) },
          { title: t.duration, cell: ({ phase }) => durationText(phase) },
          ...version.currencies.map((currency) => ({
            title: currency,
            cell: ({ phase }: (typeof rows)[number]) =>
              phasePrices(phase, currency).map((price) => <div key={price}>{price}</div>),
          })),
          {
            title: t.features,
            isText: true,
            cell: ({ plan, phase }) =>
              [...(phase === plan.phases[0] ? (plan.features ?? []) : []), ...(phase.features ?? [])].map(
                (setting) => (
                  <div key={setting.name}>
                    {setting.name}: {settingText(setting)}
                  </div>
                ),
              ),
          },
        ]}
      />
    </Section>
  );
}

function Rules({ catalog, version }: VersionProps) {
  const lists = [version.priceLists.defaultPriceList, ...version.priceLists.childPriceLists];
  return (
    <Columns>
      <Section
        title={t.products}
        actions={
          <VersionFilter
            catalog={catalog}
            name="version"
            label={t.version}
            preset={versionInForce(catalog)}
          />
        }
      >
        <Table
          caption={t.products}
          rows={version.products}
          keyOf={({ name }) => name}
          columns={[
            { title: t.product, cell: ({ prettyName }) => prettyName },
            { title: t.category, cell: ({ category }) => words(category) },
            { title: t.included, cell: ({ included }) => included.join(', ') || '–', isText: true },
            { title: t.available, cell: ({ available }) => available.join(', ') || '–', isText: true },
          ]}
        />
      </Section>
      <Section title={t.rules}>
        {Object.entries(version.rules).map(([name, cases]) => (
          <div key={name}>
            <h3>{words(ruleName(name))}</h3>
            <ol>
              {ruleTexts(cases).map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ol>
            {cases.length === 0 && <p class="empty">{t.byDefault}</p>}
          </div>
        ))}
      </Section>
      <Section title={t.priceLists}>
        {lists.map(({ name, plans }) => (
          <p key={name}>
            <strong>{name}</strong>: {plans.join(', ')}
          </p>
        ))}
      </Section>
    </Columns>
  );
}

function Differences({ catalog }: { readonly catalog: Catalog }) {
  const last = catalog.versions.length - 1;
  const before = chosenVersion(catalog, 'before', Math.max(0, last - 1));
  const after = chosenVersion(catalog, 'after', last);
  return (
    <Section
      title={t.differences}
      actions={
        <>
          <VersionFilter catalog={catalog} name="before" label={t.before} preset={Math.max(0, last - 1)} />
          <VersionFilter catalog={catalog} name="after" label={t.after} preset={last} />
        </>
      }
    >
      <Table
        caption={t.differences}
        rows={before && after ? differences(before, after) : []}
        keyOf={({ subject }) => subject}
        empty={t.noDifference}
        columns={[
          { title: t.subject, cell: ({ subject }) => subject },
          { title: t.before, cell: (row) => row.before ?? t.absent, isText: true },
          { title: t.after, cell: (row) => row.after ?? t.absent, isText: true },
        ]}
      />
    </Section>
  );
}
