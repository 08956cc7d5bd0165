import { useState } from 'preact/hooks';
import { api, may, useLoad, words } from '../../core/index.ts';
import {
  Action,
  Badge,
  Copyable,
  ListSection,
  Page,
  Section,
  Tabs,
  textOf,
  textOrNull,
} from '../../parts/index.ts';
import { texts } from '../../texts.ts';
import { Configuration } from './configuration.tsx';
import { InvoiceTexts } from './invoice-texts.tsx';
import { SellerData } from './seller.tsx';

const t = texts.tenant;

/** Everything that is configured for the whole tenant. */
export function Tenant() {
  return (
    <Page title={texts.shell.tenant}>
      <Tabs
        tabs={[
          { name: 'configuration', title: t.configuration, content: () => <Configuration /> },
          { name: 'texts', title: t.invoiceTexts, content: () => <InvoiceTexts /> },
          { name: 'seller', title: t.seller, content: () => <SellerData /> },
          { name: 'tags', title: t.tags, content: () => <TagDefinitions /> },
          { name: 'values', title: t.keyValues, content: () => <KeyValueList /> },
          { name: 'signing', title: t.signing, content: () => <SigningSecret /> },
        ]}
      />
    </Page>
  );
}

/** The tags that users may set, and those of the product. */
function TagDefinitions() {
  const loaded = useLoad(() => api().tagDefinitions.list());
  return (
    <ListSection
      caption={t.tags}
      of={loaded}
      keyOf={({ id }) => id}
      columns={[
        { title: t.name, cell: ({ name }) => name },
        { title: t.description, cell: ({ description }) => description, isText: true },
        {
          title: t.for,
          cell: ({ applicableObjectTypes }) => applicableObjectTypes.map(words).join(', '),
          isText: true,
        },
        { title: texts.operations.actions, cell: (tag) => <DeleteTag {...tag} /> },
      ]}
      actions={may('tag:create_tag_definition') && <NewTag />}
    />
  );
}

function DeleteTag(tag: { readonly id: string; readonly name: string; readonly isControlTag: boolean }) {
  // Names with underscores at both ends belong to the server.
  if (tag.isControlTag || /^__.*__$/.test(tag.name)) return <Badge>{t.controlTag}</Badge>;
  if (!may('tag:delete_tag_definition')) return null;
  return <Action {...t.deleteTag(tag.name)} run={() => api().tagDefinitions.delete(tag.id)} isDangerous />;
}

const taggedTypes = ['ACCOUNT', 'BUNDLE', 'SUBSCRIPTION', 'INVOICE', 'PAYMENT'] as const;

function NewTag() {
  return (
    <Action
      {...t.newTag}
      fields={[
        { name: 'name', label: t.name, isRequired: true },
        { name: 'description', label: t.description, isRequired: true },
        ...taggedTypes.map((type) => ({ name: type, label: words(type), kind: 'checkbox' }) as const),
      ]}
      initial={{ ACCOUNT: true }}
      run={(values) =>
        api().tagDefinitions.create({
          name: textOrNull(values, 'name'),
          description: textOrNull(values, 'description'),
          applicableObjectTypes: taggedTypes.filter((type) => values[type] === true),
        })
      }
      isPrimary
    />
  );
}

/** All keys of the tenant with their values, including documents such as the catalog. */
function KeyValueList() {
  const loaded = useLoad(() => api().keyValues.search(''));
  const add = (
    <Action
      {...t.addValue}
      fields={[
        { name: 'key', label: t.key, isRequired: true },
        { name: 'value', label: t.value, kind: 'area', isRequired: true },
      ]}
      run={(values) => api().keyValues.add(textOf(values, 'key') ?? '', String(values.value ?? ''))}
    />
  );
  return (
    <ListSection
      caption={t.keyValues}
      of={loaded}
      keyOf={({ key }) => key}
      columns={[
        { title: t.key, cell: ({ key }) => <code>{key}</code> },
        {
          title: t.value,
          isText: true,
          cell: ({ values }) => values.map((value, index) => <Value key={index.toString()} text={value} />),
        },
        {
          title: texts.operations.actions,
          cell: ({ key }) =>
            may('tenant_kvs:delete') && (
              <Action {...t.deleteKey(key)} run={() => api().keyValues.delete(key)} isDangerous />
            ),
        },
      ]}
      actions={may('tenant_kvs:add') && add}
    />
  );
}

const SHORT = 80;

/** A value; a long one is folded. */
function Value({ text }: { readonly text: string }) {
  if (text.length <= SHORT) return <div>{text}</div>;
  return (
    <details>
      <summary>{t.characters(text.length)}</summary>
      <pre>{text}</pre>
    </details>
  );
}

/** The secret by which receivers check that events come from this server. */
function SigningSecret() {
  const [secret, setSecret] = useState<string | null>(null);
  const create = async () => setSecret(await api().signingSecrets.create());
  const stop = async () => {
    await api().signingSecrets.delete();
    setSecret(null);
  };
  return (
    <Section
      title={t.signing}
      actions={
        <>
          {may('tenant_kvs:add') && <Action {...t.newSecret} run={create} />}
          {may('tenant_kvs:delete') && <Action {...t.stopSigning} run={stop} isDangerous />}
        </>
      }
    >
      <p>{t.signingExplanation}</p>
      {secret !== null && (
        <p role="status">
          {t.secretOnce} <Copyable text={secret} />
        </p>
      )}
    </Section>
  );
}
