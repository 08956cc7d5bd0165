import { type Account, api } from '../../core/data.ts';
import { instant } from '../../core/format.ts';
import { href } from '../../core/location.ts';
import { Action, requiredText } from '../../parts/action.tsx';
import { CustomFields, Tags } from '../../parts/labels.tsx';
import { Columns, Copyable, Facts, IdLink, Section } from '../../parts/layout.tsx';
import { List, ListSection } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';
import { Blocks } from '../subscriptions/blocks.tsx';
import { RareActions } from './account-actions.tsx';
import { changeableOf } from './account-form.ts';

const t = texts.account;

interface AccountProps {
  readonly account: Account;
}

/** Facts, tags, custom fields, family and addresses of an account. */
export function Details({ account }: AccountProps) {
  const { id, currency, timeZone, billCycleDayLocal, createdDate } = account;
  const object = { type: 'ACCOUNT', id } as const;
  return (
    <>
      <Columns>
        <Section name="facts">
          <Facts
            of={{
              ...changeableOf(account),
              currency: currency ?? texts.common.none,
              timeZone,
              billCycleDay: billCycleDayLocal || texts.common.notYet,
              created: instant(createdDate, timeZone),
              id: <Copyable text={id} />,
            }}
          />
        </Section>
        <Tags of={object} />
        <CustomFields of={object} />
        <Emails accountId={id} />
        <Family account={account} />
        <Blocks accountId={id} of={[object]} />
      </Columns>
      <Section name="closeOrAnonymize">
        <p>{t.rareExplanation}</p>
        <RareActions account={account} />
      </Section>
    </>
  );
}

function Emails({ accountId }: { readonly accountId: string }) {
  return (
    <ListSection
      name="furtherAddresses"
      load={() => api().accounts.emails(accountId)}
      columns={[
        'email',
        [
          '',
          ({ email }) => (
            <Action
              name="remove"
              needs="account:delete_emails"
              explanation={email}
              run={() => api().accounts.removeEmail(accountId, email)}
            />
          ),
        ],
      ]}
      actions={
        <Action
          name="addAddress"
          needs="account:add_emails"
          fields={[{ name: 'email', kind: 'email', isRequired: true }]}
          run={(values) => api().accounts.addEmail(accountId, requiredText(values, 'email'))}
        />
      }
    />
  );
}

/** The parent and the children of an account. */
function Family({ account: { id, parentAccountId, isPaymentDelegatedToParent } }: AccountProps) {
  return (
    <Section name="parentAndChildren">
      {parentAccountId !== null && (
        <p>
          {t.parent} <IdLink page="/accounts" id={parentAccountId} />{' '}
          {isPaymentDelegatedToParent && t.parentPays}
        </p>
      )}
      <List
        name="childAccounts"
        pageParameter="children"
        load={() => api().accounts.children(id)}
        columns={[
          [
            'childAccount',
            (child) => <a href={href('/accounts', child.id)}>{child.name ?? child.externalKey}</a>,
          ],
          'isPaymentDelegatedToParent',
        ]}
      />
    </Section>
  );
}
