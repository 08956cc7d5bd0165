import { type Account, api } from '../../core/data.ts';
import { instant, label } from '../../core/format.ts';
import { hrefWith, parameters } from '../../core/location.ts';
import { CustomFields, History, Tags, whoColumn } from '../../parts/history.tsx';
import { AccountLink, Copyable, Facts, IdLink, ObjectLink, Section } from '../../parts/layout.tsx';
import { List, ListSection } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';
import { changeableOf } from './accounts.tsx';

const t = texts.account;

interface AccountProps {
  readonly account: Account;
}

/** Facts, tags, custom fields and family of an account. */
export function Details({ account }: AccountProps) {
  const { id, currency, timeZone, billCycleDayLocal, createdDate } = account;
  const object = { type: 'ACCOUNT', id } as const;
  return (
    <div class="columns">
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
      <Family account={account} />
    </div>
  );
}

/** The parent and the children of an account. */
function Family({ account: { id, parentAccountId, isPaymentDelegatedToParent } }: AccountProps) {
  return (
    <Section name="parentAndChildren">
      {parentAccountId !== null && (
        <p>
          {t.parent} <IdLink page="/accounts" id={parentAccountId} />{' '}
          {isPaymentDelegatedToParent && label('isPaymentDelegatedToParent')}
        </p>
      )}
      <List
        name="childAccounts"
        pageParameter="children"
        load={() => api().accounts.children(id)}
        columns={[['childAccount', (child) => <AccountLink {...child} />], 'isPaymentDelegatedToParent']}
      />
    </Section>
  );
}

/** Who changed the account, when, and what; and the changes of all its objects, which take longer to load. */
export function HistoryOfAccount({ accountId }: { readonly accountId: string }) {
  return (
    <>
      <Section name="changesOfTheAccount">
        <History accountId={accountId} of={{ type: 'ACCOUNT', id: accountId }} />
      </Section>
      {parameters.value.get('all') === null ? (
        <a href={hrefWith({ all: 1 })}>{t.showAllHistory}</a>
      ) : (
        <ListSection
          name="changesOfAllObjects"
          load={() => loadAllChanges(accountId)}
          columns={[
            ['when', 'changeDate'],
            whoColumn,
            ['change', ({ changeType }) => label(changeType)],
            ['object', (row) => <ObjectLink objectType={row.objectType} objectId={row.targetId} />],
          ]}
        />
      )}
    </>
  );
}

/** Loads the changes of the account's objects, newest first. A table is named for its objects, with an S at the end. */
async function loadAllChanges(accountId: string) {
  const entries = await api().audit.ofAccount(accountId);
  return entries
    .toSorted((a, b) => b.changeDate.getTime() - a.changeDate.getTime() || b.recordId - a.recordId)
    .map((entry) => ({ ...entry, id: entry.recordId, objectType: entry.tableName.replace(/S$/, '') }));
}
