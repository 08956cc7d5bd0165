import { api } from '../../core/data.ts';
import { Action } from '../../parts/action.tsx';
import type { Field } from '../../parts/form.tsx';
import { Page, Tabs } from '../../parts/layout.tsx';
import { ListSection } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';
import { InvoiceTexts } from './invoice-texts.tsx';

const t = texts.tenant;

export function Tenant() {
  return (
    <Page name="tenant">
      <Tabs of={{ configuration: () => <Configuration />, invoiceTexts: () => <InvoiceTexts /> }} />
    </Page>
  );
}

const KEY = 'PER_TENANT_CONFIG';
const PREFIXES = /^org\.(service|killbill)\./;

type Setting = Awaited<ReturnType<typeof loadSettings>>[number];

async function loadSettings() {
  const [described, inForce, stored] = await Promise.all([
    api().configuration.describe(),
    api().configuration.settings(),
    storedSettings(),
  ]);
  const values: Readonly<Record<string, unknown>> = inForce;
  const own = new Map(Object.entries(stored).map(([name, value]) => [name.replace(PREFIXES, ''), value]));
  return described.map((each) => ({
    ...each,
    value: own.get(each.name) ?? valueText(values[each.name], each.allowed),
    /** True if the tenant has a value of its own. */
    isSet: own.has(each.name),
  }));
}

/** The settings that the tenant has stored, as text by full name. */
async function storedSettings(): Promise<Readonly<Record<string, string>>> {
  const { values } = await api().keyValues.get(KEY);
  return values[0] === undefined ? {} : (JSON.parse(values[0]) as Readonly<Record<string, string>>);
}

/** Returns a value in force in the form in which it is set. */
function valueText(value: unknown, allowed: string): string {
  if (value === null) return '';
  if (Array.isArray(value)) return value.map((each) => valueText(each, allowed)).join(', ');
  if (typeof value === 'number' && allowed.includes('time of day'))
    return new Date(value).toISOString().slice(11, -1);
  if (typeof value === 'number' && allowed.includes('time span'))
    return value % 1_000 === 0 ? `${value / 1_000}s` : `${value}ms`;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function Configuration() {
  return (
    <ListSection
      name="configuration"
      isExplained
      load={loadSettings}
      columns={['name', 'description', 'value', 'isSet', ['', ChangeSetting]]}
    />
  );
}

/** A field that offers the valid values, if they are few. */
function fieldOf({ allowed }: Setting): Field {
  if (allowed === 'true or false') return { kind: 'select', options: ['true', 'false'] };
  const [, choices] = /^one of (.*)$/.exec(allowed) ?? [];
  if (choices === undefined) return { help: t.allowed(allowed) };
  return { kind: 'select', options: choices.split(', ').map((each) => [each, each]) };
}

function ChangeSetting(setting: Setting) {
  const { name, description, isSet, value: initial } = setting;
  return (
    <Action
      name="change"
      needs="tenant_kvs:add"
      explanation={`${name}: ${description}. ${t.changeExplanation}`}
      fields={(_, { useTheValueOfTheServer }) => ({
        value: useTheValueOfTheServer !== true && fieldOf(setting),
        useTheValueOfTheServer: isSet && 'checkbox',
      })}
      initial={{ value: initial }}
      run={async ({ value, useTheValueOfTheServer }) => {
        const stored = Object.entries(await storedSettings());
        const isThis = ([each]: readonly [string, string]) => each.replace(PREFIXES, '') === name;
        const [fullName] = stored.find(isThis) ?? [`org.service.${name}`];
        const others = Object.fromEntries(stored.filter((entry) => !isThis(entry)));
        const changed = useTheValueOfTheServer ? {} : { [fullName]: value ?? '' };
        await api().keyValues.add(KEY, JSON.stringify({ ...others, ...changed }));
      }}
    />
  );
}
