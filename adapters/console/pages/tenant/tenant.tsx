import { api } from '../../core/data.ts';
import { label, words } from '../../core/format.ts';
import { Action } from '../../parts/action.tsx';
import { Badge, Page, Tabs } from '../../parts/layout.tsx';
import { ListSection } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';
import { Configuration } from './configuration.tsx';
import { InvoiceTexts } from './invoice-texts.tsx';

const t = texts.tenant;

/** What is configured for the whole tenant. */
export function Tenant() {
  return (
    <Page name="tenant">
      <Tabs
        of={{
          configuration: () => <Configuration />,
          invoiceTexts: () => <InvoiceTexts />,
          tags: () => <TagDefinitions />,
        }}
      />
    </Page>
  );
}

const taggedTypes = ['ACCOUNT', 'BUNDLE', 'SUBSCRIPTION', 'INVOICE', 'PAYMENT'] as const;

/** The tags that users may set, and those of the product. */
function TagDefinitions() {
  const add = (
    <Action
      name="newTag"
      needs="tag:create_tag_definition"
      fields={{
        name: 'required',
        description: 'required',
        applicableObjectTypes: { kind: 'several', label: label('for'), options: taggedTypes },
      }}
      initial={{ applicableObjectTypes: ['ACCOUNT'] }}
      run={(values) => api().tagDefinitions.create(values)}
      isPrimary
    />
  );
  return (
    <ListSection
      name="tags"
      load={() => api().tagDefinitions.list()}
      columns={[
        'name',
        ['description', 'description', 'text'],
        ['for', ({ applicableObjectTypes }) => applicableObjectTypes.map(words).join(', '), 'text'],
        ['', DeleteTag],
      ]}
      actions={add}
    />
  );
}

interface Tag {
  readonly id: string;
  readonly name: string;
  readonly isControlTag: boolean;
}

function DeleteTag({ id, name, isControlTag }: Tag) {
  // Names with underscores at both ends belong to the server.
  if (isControlTag || /^__.*__$/.test(name)) return <Badge>{label('builtIn')}</Badge>;
  return (
    <Action
      name="delete"
      needs="tag:delete_tag_definition"
      explanation={t.deleteTag(name)}
      run={() => api().tagDefinitions.delete(id)}
      isDangerous
    />
  );
}
