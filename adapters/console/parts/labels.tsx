import { api } from '../core/data.ts';
import { texts } from '../texts.ts';
import { Action } from './action.tsx';
import { Badge, Load } from './layout.tsx';
import { ListSection } from './table.tsx';

const t = texts.labels;

type Tagged = Parameters<ReturnType<typeof api>['tags']['add']>[0];
type Fielded = Parameters<ReturnType<typeof api>['customFields']['add']>[0];

/** The tags of an object, with actions to add and remove them. */
export function Tags({ of: object }: { readonly of: Tagged }) {
  const load = () => Promise.all([api().tags.ofObject(object), api().tagDefinitions.list()]);
  return (
    <Load from={load}>
      {([tags, definitions]) => {
        const descriptionOf = (definition: unknown) =>
          definitions.find(({ id }) => id === definition)?.description;
        const free = definitions.filter(
          ({ id, name, applicableObjectTypes }) =>
            !isOfEngine(name) &&
            applicableObjectTypes.includes(object.type ?? '') &&
            !tags.some(({ tagDefinitionId }) => tagDefinitionId === id),
        );
        const options = free.map(({ id, name }) => [id, name] as const);
        return (
          <ListSection
            name="tags"
            rows={tags}
            actions={
              free.length > 0 && (
                <Action
                  name="addTag"
                  needs="tag:add"
                  fields={(_, { tag = free[0]?.id }) => ({
                    tag: { kind: 'select', options, help: descriptionOf(tag) },
                  })}
                  run={({ tag }) => api().tags.add(object, [tag])}
                />
              )
            }
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
        );
      }}
    </Load>
  );
}

/** Returns true for tags such as `__PARK__`, which only the engine sets and removes. */
function isOfEngine(name: string): boolean {
  return name.startsWith('__');
}

/** The custom fields of an object, with actions to add, change and remove them. */
export function CustomFields({ of: object }: { readonly of: Fielded }) {
  return (
    <ListSection
      name="customFields"
      load={() => api().customFields.ofObject(object)}
      actions={
        <Action
          name="addField"
          needs="custom_field:add"
          fields={{ name: 'required', value: 'required' }}
          run={(field) => api().customFields.add(object, [field])}
        />
      }
      columns={[
        'name',
        'value',
        [
          '',
          ({ id: customFieldId, name, value }) => (
            <>
              <Action
                name="change"
                needs="custom_field:update"
                explanation={name}
                fields={{ value: 'required' }}
                initial={{ value }}
                run={(changed) => api().customFields.modify(object, [{ customFieldId, ...changed }])}
              />
              <Action
                name="remove"
                needs="custom_field:delete"
                explanation={t.removeField(name)}
                run={() => api().customFields.remove(object, [customFieldId])}
              />
            </>
          ),
        ],
      ]}
    />
  );
}
