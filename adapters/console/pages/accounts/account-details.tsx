import { api, href, instant, may, useLoad } from '../../core/index.ts';
import {
  Action,
  Columns,
  Copyable,
  Facts,
  IdLink,
  ListSection,
  ListTable,
  Section,
  textOf,
} from '../../parts/index.ts';
import { CustomFields, Tags } from '../../parts/labels.tsx';
import { texts } from '../../texts.ts';
import { Blocks } from '../subscriptions/blocks.tsx';
import { RareActions } from './account-actions.tsx';
import { type Account, changeableFields } from './account-form.ts';

const t = texts.account;

/** Facts, tags, custom fields, family, addresses and blocks of an account. */
export function Details({ account }: { readonly account: Account }) {
  const object = { type: 'ACCOUNT', id: account.id } as const;
  return (
    <>
      <Columns>
        <Section title={t.facts}>
          <AccountFacts account={account} />
        </Section>
        <Tags of={object} />
        <CustomFields of={object} />
        <Emails account={account} />
        <Family account={account} />
        <Blocks accountId={account.id} of={[object]} />
      </Columns>
      <Section title={t.rare}>
        <p>{t.rareExplanation}</p>
        <RareActions account={account} />
      </Section>
    </>
  );
}

function AccountFacts({ account }: { readonly account: Account }) {
  const fields: Readonly<Record<string, unknown>> = { ...account };
  const given = changeableFields.map(({ name, label }) => [label, fields[name] ?? undefined] as const);
  return (
    <Facts
      of={[
        ...given.map(([label, value]) => [label, value === undefined ? undefined : String(value)] as const),
        [texts.accounts.currency, account.currency ?? texts.common.none],
        [texts.accounts.zone, account.timeZone],
        [t.billCycleDay, account.billCycleDayLocal || t.notYet],
        [t.createdOn, instant(account.createdDate, account.timeZone)],
        [t.id, <Copyable key="id" text={account.id} />],
      ]}
    />
  );
}

function Emails({ account }: { readonly account: Account }) {
  const loaded = useLoad(() => api().accounts.emails(account.id), [account.id]);
  const add = may('account:add_emails') && (
    <Action
      label={t.addEmail}
      explanation={t.emailsExplanation}
      fields={[{ name: 'email', label: texts.accounts.email, kind: 'email', isRequired: true }]}
      run={(values) => api().accounts.addEmail(account.id, textOf(values, 'email') ?? '')}
    />
  );
  return (
    <ListSection
      of={loaded}
      pageParameter="emails"
      caption={t.emails}
      keyOf={({ id }) => id}
      empty={t.noEmails}
      columns={[
        { title: texts.accounts.email, cell: ({ email }) => email },
        {
          title: '',
          cell: ({ email }) =>
            may('account:delete_emails') && (
              <Action
                label={texts.labels.remove}
                explanation={email}
                run={() => api().accounts.removeEmail(account.id, email)}
              />
            ),
        },
      ]}
      actions={add}
    />
  );
}

/** The parent and the children of an account. */
function Family({ account }: { readonly account: Account }) {
  const { id, parentAccountId, isPaymentDelegatedToParent } = account;
  const children = useLoad(() => api().accounts.children(id), [id]);
  return (
    <Section title={t.family}>
      {parentAccountId !== null && (
        <p>
          {t.parent}: <IdLink page="/accounts" id={parentAccountId} />{' '}
          {isPaymentDelegatedToParent && t.parentPays}
        </p>
      )}
      <ListTable
        of={children}
        pageParameter="children"
        caption={t.children}
        keyOf={(child) => child.id}
        empty={t.noChildren}
        columns={[
          {
            title: t.child,
            cell: (child) => <a href={href('/accounts', child.id)}>{child.name ?? child.externalKey}</a>,
          },
          {
            title: t.parentPays,
            cell: (child) => (child.isPaymentDelegatedToParent ? texts.common.yes : texts.common.no),
          },
        ]}
      />
    </Section>
  );
}
