import { api, may, useLoad } from '../core/index.ts';
import { texts } from '../texts.ts';
import { Action } from './action.tsx';
import { textOrNull } from './form.tsx';
import { Badge } from './layout.tsx';
import { ListSection } from './table.tsx';

const t = texts.labels;

type Tagged = Parameters<ReturnType<typeof api>['tags']['add']>[0];
type Fielded = Parameters<ReturnType<typeof api>['customFields']['add']>[0];

/** The tags of an object, with actions to add and remove them. */
export function Tags({ of: object }: { readonly of: Tagged }) {
  const loaded = useLoad(async () => {
    const [tags, definitions] = await Promise.all([api().tags.ofObject(object), api().tagDefinitions.list()]);
    return { tags, definitions };
  }, [object.id]);
  return (
    <ListSection
      of={{ ...loaded, data: loaded.data?.tags }}
      pageParameter="tags"
      caption={t.tags}
      actions={<AddTag object={object} known={loaded.data} />}
      keyOf={({ id }) => id}
      empty={t.noTags}
      columns={[
        {
          title: t.tag,
          cell: ({ tagDefinitionName }) => <Badge>{tagDefinitionName}</Badge>,
        },
        {
          title: t.meaning,
          isText: true,
          cell: ({ tagDefinitionId }) =>
            loaded.data?.definitions.find(({ id }) => id === tagDefinitionId)?.description,
        },
        {
          title: '',
          cell: ({ tagDefinitionId, tagDefinitionName }) =>
            may('tag:delete') &&
            !isOfEngine(tagDefinitionName) && (
              <Action
                label={t.remove}
                explanation={t.removeTag(tagDefinitionName)}
                run={() => api().tags.remove(object, [tagDefinitionId])}
              />
            ),
        },
      ]}
    />
  );
}

/** Returns true for tags such as `__PARK__`, which only the engine sets and removes. */
function isOfEngine(name: string): boolean {
  return name.startsWith('__');
}

interface KnownTags {
  readonly tags: readonly { readonly tagDefinitionId: string }[];
  readonly definitions: readonly {
    readonly id: string;
    readonly name: string;
    readonly description: string;
    readonly applicableObjectTypes: readonly string[];
  }[];
}

function AddTag(props: { readonly object: Tagged; readonly known: KnownTags | undefined }) {
  const { object, known } = props;
  const free = known?.definitions.filter(
    ({ id, name, applicableObjectTypes }) =>
      !isOfEngine(name) &&
      applicableObjectTypes.includes(object.type ?? '') &&
      !known.tags.some(({ tagDefinitionId }) => tagDefinitionId === id),
  );
  if (!may('tag:add') || free === undefined || free.length === 0) return null;
  return (
    <Action
      label={t.addTag}
      explanation={t.addTagExplanation}
      initial={{ tag: free[0]?.id ?? '' }}
      fields={({ tag }) => [
        {
          name: 'tag',
          label: t.tag,
          kind: 'select',
          options: free.map(({ id, name }) => [id, name]),
          help: free.find(({ id }) => id === tag)?.description ?? '',
        },
      ]}
      run={({ tag }) => api().tags.add(object, [String(tag)])}
    />
  );
}

/** The custom fields of an object, with actions to add, change and remove them. */
export function CustomFields({ of: object }: { readonly of: Fielded }) {
  const loaded = useLoad(() => api().customFields.ofObject(object), [object.id]);
  const value = { name: 'value', label: t.value, isRequired: true } as const;
  return (
    <ListSection
      of={loaded}
      pageParameter="fields"
      caption={t.fields}
      actions={
        may('custom_field:add') && (
          <Action
            label={t.addField}
            fields={[{ name: 'name', label: t.field, isRequired: true }, value]}
            run={(values) =>
              api().customFields.add(object, [
                { name: textOrNull(values, 'name'), value: textOrNull(values, 'value') },
              ])
            }
          />
        )
      }
      keyOf={({ id }) => id}
      empty={t.noFields}
      columns={[
        { title: t.field, cell: ({ name }) => name },
        { title: t.value, cell: (field) => field.value },
        {
          title: '',
          cell: (field) => (
            <span class="actions">
              {may('custom_field:update') && (
                <Action
                  label={t.change}
                  explanation={field.name}
                  fields={[value]}
                  initial={{ value: field.value }}
                  run={(values) =>
                    api().customFields.modify(object, [
                      { customFieldId: field.id, value: textOrNull(values, 'value') },
                    ])
                  }
                />
              )}
              {may('custom_field:delete') && (
                <Action
                  label={t.remove}
                  explanation={t.removeField(field.name)}
                  run={() => api().customFields.remove(object, [field.id])}
                />
              )}
            </span>
          ),
        },
      ]}
    />
  );
}
