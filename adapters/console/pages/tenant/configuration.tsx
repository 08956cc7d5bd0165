import type { JSX } from 'preact';
import { api } from '../../core/api.ts';
import { words } from '../../core/format.ts';
import { useLoad } from '../../core/load.ts';
import { parameters } from '../../core/location.ts';
import { may } from '../../core/session.ts';
import { Action } from '../../parts/action.tsx';
import type { Field, Values } from '../../parts/form.tsx';
import { Badge, Section } from '../../parts/layout.tsx';
import { Filter, ListTable } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';

const KEY = 'PER_TENANT_CONFIG';
const PREFIXES = /^org\.(service|killbill)\./;

interface Setting {
  readonly name: string;
  readonly value: string;
  /** True if the tenant has a value of its own. */
  readonly isSet: boolean;
}

async function loadSettings(): Promise<readonly Setting[]> {
  const [inForce, stored] = await Promise.all([api().configuration.settings(), storedSettings()]);
  const own = new Map(Object.entries(stored).map(([name, value]) => [name.replace(PREFIXES, ''), value]));
  return Object.entries(inForce).map(([name, value]) => ({
    name,
    value: own.get(name) ?? valueText(value),
    isSet: own.has(name),
  }));
}

/** The settings that the tenant has stored, as text by full name. */
async function storedSettings(): Promise<Readonly<Record<string, string>>> {
  const { values } = await api().keyValues.get(KEY);
  return values[0] === undefined ? {} : (JSON.parse(values[0]) as Readonly<Record<string, string>>);
}

function valueText(value: unknown): string {
  if (value === null) return '';
  return Array.isArray(value) ? value.join(', ') : String(value);
}

/** Areas of settings: the first part of their names. */
const areas = [
  'invoice',
  'payment',
  'subscription',
  'usage',
  'features',
  'billing',
  'tags',
  'default',
] as const;

/** All settings of the tenant with their values. */
export function Configuration(): JSX.Element {
  const area = parameters.value.get('area') ?? '';
  const loaded = useLoad(loadSettings);
  const { data } = loaded;
  const shown = data?.filter(({ name }) => area === '' || name.startsWith(`${area}.`));
  return (
    <Section
      title={texts.tenant.configuration}
      actions={
        <Filter
          label={texts.tenant.area}
          name="area"
          options={[['', texts.operations.all], ...areas.map((each) => [each, words(each)] as const)]}
        />
      }
    >
      <p class="quiet-text">{texts.tenant.configurationExplanation}</p>
      <ListTable
        caption={texts.tenant.configuration}
        of={{ ...loaded, data: shown }}
        keyOf={({ name }) => name}
        columns={[
          {
            title: texts.tenant.setting,
            cell: ({ name }) => (
              <>
                {texts.settings[name] ?? words(name.replaceAll('.', ' '))}
                <br />
                <code>{name}</code>
              </>
            ),
          },
          {
            title: texts.tenant.value,
            isText: true,
            cell: ({ value, isSet }) => (
              <>
                {shownValue(value)}
                {isSet && <Badge tone="warning">{texts.tenant.isSet}</Badge>}
              </>
            ),
          },
          {
            title: texts.operations.actions,
            cell: (setting) => may('tenant_kvs:add') && <ChangeSetting setting={setting} />,
          },
        ]}
      />
    </Section>
  );
}

function shownValue(value: string): string {
  if (value === '') return texts.common.none;
  if (value === 'true') return texts.common.yes;
  return value === 'false' ? texts.common.no : value;
}

function fieldOf({ name, value }: Setting): Field {
  const field = { name: 'value', label: texts.tenant.value, help: texts.settings[name] ?? '' };
  if (value !== 'true' && value !== 'false') return field;
  const options = [
    ['true', texts.common.yes],
    ['false', texts.common.no],
  ] as const;
  return { ...field, kind: 'select', options };
}

function ChangeSetting({ setting }: { readonly setting: Setting }): JSX.Element {
  const { name, value, isSet } = setting;
  const run = async (values: Values) => {
    const stored = Object.entries(await storedSettings());
    const isThis = ([each]: readonly [string, string]) => each.replace(PREFIXES, '') === name;
    const [fullName] = stored.find(isThis) ?? [`org.service.${name}`];
    const own = values.useDefault === true ? [] : [[fullName, String(values.value ?? '')]];
    const all = [...stored.filter((entry) => !isThis(entry)), ...own];
    await api().keyValues.add(KEY, JSON.stringify(Object.fromEntries(all)));
  };
  const useDefault = { name: 'useDefault', label: texts.tenant.useDefault, kind: 'checkbox' } as const;
  return (
    <Action
      label={texts.tenant.change}
      explanation={
        <>
          {texts.tenant.changeExplanation} <code>{name}</code>
        </>
      }
      fields={(values) => [
        ...(values.useDefault === true ? [] : [fieldOf(setting)]),
        ...(isSet ? [useDefault] : []),
      ]}
      initial={{ value, useDefault: false }}
      run={run}
      done={texts.tenant.changed}
    />
  );
}
