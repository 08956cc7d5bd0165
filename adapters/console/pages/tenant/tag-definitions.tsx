import type { JSX } from 'preact';
import { api } from '../../core/api.ts';
import { words } from '../../core/format.ts';
import { useLoad } from '../../core/load.ts';
import { may } from '../../core/session.ts';
import { Action } from '../../parts/action.tsx';
import { textOf } from '../../parts/form.tsx';
import { Badge, Section } from '../../parts/layout.tsx';
import { ListTable } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';

const types = ['ACCOUNT', 'BUNDLE', 'SUBSCRIPTION', 'INVOICE', 'PAYMENT'] as const;

/** The tags that users may set, and those of the product. */
export function TagDefinitions(): JSX.Element {
  const loaded = useLoad(() => api().tagDefinitions.list());
  return (
    <Section title={texts.tenant.tags} actions={may('tag:create_tag_definition') && <NewTag />}>
      <ListTable
        caption={texts.tenant.tags}
        of={loaded}
        keyOf={({ id }) => id}
        columns={[
          { title: texts.tenant.name, cell: ({ name }) => name },
          { title: texts.tenant.description, cell: ({ description }) => description, isText: true },
          {
            title: texts.tenant.for,
            cell: ({ applicableObjectTypes }) => applicableObjectTypes.map(words).join(', '),
            isText: true,
          },
          {
            title: texts.operations.actions,
            cell: ({ id, name, isControlTag }) =>
              // Names with underscores at both ends belong to the server.
              isControlTag || /^__.*__$/.test(name) ? (
                <Badge>{texts.tenant.controlTag}</Badge>
              ) : (
                <DeleteTag id={id} name={name} />
              ),
          },
        ]}
      />
    </Section>
  );
}

function DeleteTag({ id, name }: { readonly id: string; readonly name: string }): JSX.Element | null {
  if (!may('tag:delete_tag_definition')) return null;
  return (
    <Action
      label={texts.tenant.delete}
      explanation={texts.tenant.deleteTagExplanation(name)}
      run={() => api().tagDefinitions.delete(id)}
      done={texts.tenant.deleted}
      isDangerous
    />
  );
}

function NewTag(): JSX.Element {
  return (
    <Action
      label={texts.tenant.newTag}
      explanation={texts.tenant.newTagExplanation}
      fields={[
        { name: 'name', label: texts.tenant.name, isRequired: true },
        { name: 'description', label: texts.tenant.description, isRequired: true },
        ...types.map((type) => ({ name: type, label: words(type), kind: 'checkbox' }) as const),
      ]}
      initial={{ ACCOUNT: true }}
      run={(values) =>
        api().tagDefinitions.create({
          name: textOf(values, 'name') ?? null,
          description: textOf(values, 'description') ?? null,
          applicableObjectTypes: types.filter((type) => values[type] === true),
        })
      }
      done={texts.tenant.created}
      isPrimary
    />
  );
}
