import { api, useLoad } from '../core/data.ts';
import { texts } from '../texts.ts';
import { Action, requiredText, textsOf } from './action.tsx';
import { Badge, Section, Show } from './layout.tsx';
import { KnownList, ListSection } from './table.tsx';

const t = texts.labels;

type Tagged = Parameters<ReturnType<typeof api>['tags']['add']>[0];
type Fielded = Parameters<ReturnType<typeof api>['customFields']['add']>[0];

/** The tags of an object, with actions to add and remove them. */
export function Tags({ of: object }: { readonly of: Tagged }) {
  const loaded = useLoad(async () => {
    const [tags, definitions] = await Promise.all([api().tags.ofObject(object), api().tagDefinitions.list()]);
    return { tags, definitions };
  });
  const { tags = [], definitions = [] } = loaded.data ?? {};
  const has = (definition: string) => tags.some(({ tagDefinitionId }) => tagDefinitionId === definition);
  const free = definitions.filter(
    ({ id, name, applicableObjectTypes }) =>
      !isOfEngine(name) && applicableObjectTypes.includes(object.type ?? '') && !has(id),
  );
  const descriptionOf = (definition: unknown) => definitions.find(({ id }) => id === definition)?.description;
  const add = free.length > 0 && (
    <Action
      name="addTag"
      needs="tag:add"
      initial={{ tag: free[0]?.id ?? '' }}
      fields={({ tag }) => [
        {
          name: 'tag',
          kind: 'select',
          options: free.map(({ id, name }) => [id, name]),
          help: descriptionOf(tag) ?? '',
        },
      ]}
      run={(values) => api().tags.add(object, [requiredText(values, 'tag')])}
    />
  );
  return (
    <Section name="tags" actions={add}>
      <Show of={loaded}>
        {() => (
          <KnownList
            name="tags"
            pageParameter="tags"
            rows={tags}
            columns={[
              ['tag', ({ tagDefinitionName }) => <Badge>{tagDefinitionName}</Badge>],
              ['meaning', ({ tagDefinitionId }) => descriptionOf(tagDefinitionId), 'text'],
              [
                '',
                ({ tagDefinitionId, tagDefinitionName }) =>
                  !isOfEngine(tagDefinitionName) && (
                    <Action
                      name="remove"
                      needs="tag:delete"
                      explanation={t.removeTag(tagDefinitionName)}
                      run={() => api().tags.remove(object, [tagDefinitionId])}
                    />
                  ),
              ],
            ]}
          />
        )}
      </Show>
    </Section>
  );
}

/** Returns true for tags such as `__PARK__`, which only the engine sets and removes. */
function isOfEngine(name: string): boolean {
  return name.startsWith('__');
}

/** The custom fields of an object, with actions to add, change and remove them. */
export function CustomFields({ of: object }: { readonly of: Fielded }) {
  const fields = ['name', 'value'].map((name) => ({ name, isRequired: true }));
  return (
    <ListSection
      name="customFields"
      load={() => api().customFields.ofObject(object)}
      actions={
        <Action
          name="addField"
          needs="custom_field:add"
          fields={fields}
          run={(values) => api().customFields.add(object, [textsOf(values, 'name', 'value')])}
        />
      }
      columns={[
        'name',
        'value',
        [
          '',
          ({ id: customFieldId, name, value }) => (
            <span class="actions">
              <Action
                name="change"
                needs="custom_field:update"
                explanation={name}
                fields={fields.slice(1)}
                initial={{ value }}
                run={(values) =>
                  api().customFields.modify(object, [{ customFieldId, ...textsOf(values, 'value') }])
                }
              />
              <Action
                name="remove"
                needs="custom_field:delete"
                explanation={t.removeField(name)}
                run={() => api().customFields.remove(object, [customFieldId])}
              />
            </span>
          ),
        ],
      ]}
    />
  );
}
