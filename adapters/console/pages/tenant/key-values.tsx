import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../core/api.ts';
import { useLoad } from '../../core/load.ts';
import { may } from '../../core/session.ts';
import { Action } from '../../parts/action.tsx';
import { textOf } from '../../parts/form.tsx';
import { Copyable, Section } from '../../parts/layout.tsx';
import { ListTable } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';

/** All keys of the tenant with their values, including documents such as the catalog. */
export function KeyValueList(): JSX.Element {
  const loaded = useLoad(() => api().keyValues.search(''));
  return (
    <Section title={texts.tenant.keyValues} actions={may('tenant_kvs:add') && <AddValue />}>
      <ListTable
        caption={texts.tenant.keyValues}
        of={loaded}
        keyOf={({ key }) => key}
        columns={[
          { title: texts.tenant.key, cell: ({ key }) => <code>{key}</code> },
          {
            title: texts.tenant.value,
            isText: true,
            cell: ({ values }) => values.map((value, index) => <Value key={index.toString()} text={value} />),
          },
          {
            title: texts.operations.actions,
            cell: ({ key }) =>
              may('tenant_kvs:delete') && (
                <Action
                  label={texts.tenant.delete}
                  explanation={texts.tenant.deleteKeyExplanation(key)}
                  run={() => api().keyValues.delete(key)}
                  done={texts.tenant.deleted}
                  isDangerous
                />
              ),
          },
        ]}
      />
    </Section>
  );
}

function AddValue(): JSX.Element {
  return (
    <Action
      label={texts.tenant.addValue}
      explanation={texts.tenant.addValueExplanation}
      fields={[
        { name: 'key', label: texts.tenant.key, isRequired: true },
        { name: 'value', label: texts.tenant.value, kind: 'area', isRequired: true },
      ]}
      run={(values) => api().keyValues.add(textOf(values, 'key') ?? '', String(values.value ?? ''))}
      done={texts.tenant.created}
    />
  );
}

const SHORT = 80;

/** A value; a long one is folded. */
function Value({ text }: { readonly text: string }): JSX.Element {
  if (text.length <= SHORT) return <div>{text}</div>;
  return (
    <details>
      <summary>{texts.tenant.characters(text.length)}</summary>
      <pre>{text}</pre>
    </details>
  );
}

/** The secret by which receivers check that events come from this server. */
export function SigningSecret(): JSX.Element {
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <Section
      title={texts.tenant.signing}
      actions={
        <>
          {may('tenant_kvs:add') && (
            <Action
              label={texts.tenant.newSecret}
              explanation={texts.tenant.newSecretExplanation}
              run={() => api().signingSecrets.create()}
              done={texts.tenant.created}
              after={(result) => setSecret(String(result))}
            />
          )}
          {may('tenant_kvs:delete') && (
            <Action
              label={texts.tenant.stopSigning}
              explanation={texts.tenant.stopSigningExplanation}
              run={() => api().signingSecrets.delete()}
              done={texts.tenant.deleted}
              after={() => setSecret(null)}
              isDangerous
            />
          )}
        </>
      }
    >
      <p>{texts.tenant.signingExplanation}</p>
      {secret !== null && (
        <p role="status">
          {texts.tenant.secretOnce} <Copyable text={secret} />
        </p>
      )}
    </Section>
  );
}
