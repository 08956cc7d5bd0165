import { api, type ResultOf } from '../core/data.ts';
import { label, valueText, words } from '../core/format.ts';
import { Action } from './action.tsx';
import { Load } from './layout.tsx';
import { type Column, ListSection } from './table.tsx';
import { Badge } from './values.tsx';

type AuditedObject = Parameters<ReturnType<typeof api>['audit']['historyWithin']>[1];
type Tagged = Parameters<ReturnType<typeof api>['tags']['add']>[0];
type Fielded = Parameters<ReturnType<typeof api>['customFields']['add']>[0];
type HistoryRow = ResultOf<'audit', 'historyWithin'>[number];

interface HistoryProps {
  readonly accountId: string;
  readonly of: AuditedObject;
}

/** The change history of an account's object, with author and time, newest first. */
export function History({ accountId, of: object }: HistoryProps) {
  return (
    <ListSection
      name="history"
      load={async () => withDifferences(await api().audit.historyWithin(accountId, object)).reverse()}
      columns={[['when', 'changeDate'], whoColumn, ['whatChanged', whatChanged]]}
    />
  );
}

/** Names under which parts of the engine make changes, such as `OverdueService`. */
const ENGINE = /[a-z](Service|Notifier|Processor|Transition)$/;

/** The user of a change, with the given reason and comment. */
export const whoColumn: Column<Pick<HistoryRow, 'changedBy' | 'reasonCode' | 'comments'>> = [
  'who',
  ({ changedBy, reasonCode, comments }) => (
    <>
      {ENGINE.test(changedBy) ? words(changedBy) : changedBy}{' '}
      <small>{[reasonCode, comments].filter((text) => text !== null).join(': ')}</small>
    </>
  ),
];

/** Adds to each change the members that differ from the change before. */
function withDifferences(rows: readonly HistoryRow[]) {
  return rows.map((row, index) => {
    const before = rows[index - 1]?.snapshot ?? {};
    const differences = Object.entries(row.snapshot ?? {})
      .map(([name, after]) => ({ name, before: before[name] ?? null, after }))
      .filter((each) => JSON.stringify(each.before) !== JSON.stringify(each.after));
    return { ...row, differences };
  });
}

function whatChanged({ changeType, differences }: ReturnType<typeof withDifferences>[number]) {
  const isChange = changeType === 'UPDATE';
  return (
    <details open={isChange}>
      <summary>{label(changeType)}</summary>
      <ul>
        {differences.map(({ name, before, after }) => (
          <li key={name}>
            {words(name)}: {isChange && <del>{valueText(before)}</del>} <ins>{valueText(after)}</ins>
          </li>
        ))}
      </ul>
    </details>
  );
}

export function Tags({ of: object }: { readonly of: Tagged }) {
  return (
    <Load from={() => Promise.all([api().tags.ofObject(object), api().tagDefinitions.list()])}>
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
        const addTag = free.length > 0 && (
          <Action
            name="addTag"
            needs="tag:add"
            fields={(_, { tag = free[0]?.id }) => ({
              tag: { kind: 'select', options, help: descriptionOf(tag) },
            })}
            run={({ tag }) => api().tags.add(object, [tag])}
          />
        );
        return (
          <ListSection
            name="tags"
            rows={tags}
            actions={addTag}
            columns={[
              ['tag', ({ tagDefinitionName }) => <Badge>{tagDefinitionName}</Badge>],
              ['meaning', ({ tagDefinitionId }) => descriptionOf(tagDefinitionId)],
            ]}
            rowActions={({ tagDefinitionId: id, tagDefinitionName: name }) => (
              <Action
                name="remove"
                needs="tag:delete"
                isHidden={isOfEngine(name)}
                explanation={name}
                run={() => api().tags.remove(object, [id])}
              />
            )}
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

export function CustomFields({ of: object }: { readonly of: Fielded }) {
  const { add, remove, ofObject } = api().customFields;
  const fields = { name: 'required', value: 'required' } as const;
  const change = { name: 'addField', needs: 'custom_field:add', fields } as const;
  return (
    <ListSection
      name="customFields"
      load={() => ofObject(object)}
      actions={<Action {...change} run={(field) => add(object, [field])} />}
      columns={['name', 'value']}
      rowActions={({ id }) => (
        <Action name="remove" needs="custom_field:delete" run={() => remove(object, [id])} />
      )}
    />
  );
}
